// The hall behind the crowd.
#pragma once

#include <vector>

#include "core/synth/canvas.h"
#include "core/synth/crowd.h"
#include "core/synth/person.h"

namespace throng::synth {

class Backdrop {
public:
    Backdrop(const CrowdOptions& options, int threads);

    // What never moves, painted once.
    [[nodiscard]] const FloatImage& still() const noexcept { return still_; }

    // Adds what moves behind the people: sweeping beams and twinkling lights. Bounded.
    void moving(double seconds, std::vector<Shape>& shapes) const;

    // The light at a place of the hall: beams pass over the people too.
    [[nodiscard]] Scene light(const Pose& pose, double seconds) const;

private:
    struct Lamp {
        float x, y, radius;
        Rgb color;
        float rate, phase;
    };

    CrowdOptions options_;
    FloatImage still_;
    std::vector<Lamp> lamps_;
    int hue_;
};

}  // namespace throng::synth
