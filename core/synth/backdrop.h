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

    // Returns the static part, painted once.
    [[nodiscard]] const FloatImage& still() const noexcept { return still_; }

    // Adds the moving shapes behind the people: sweeping beams and twinkling lights. The shapes are bounded.
    void moving(double seconds, std::vector<Shape>& shapes) const;

    // Returns the light at a pose's position. Beams light the people, too.
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
