// Where everybody stands and how they move: rows across the hall, larger and lower towards the front, each drifting
// sideways at its own pace.
#pragma once

#include <cstdint>
#include <vector>

#include "core/synth/crowd.h"

namespace throng::synth {

// Everything that moves, at one instant. Lengths in pixels.
struct Pose {
    float x = 0, y = 0;  // the middle of the face
    float size = 0;      // side of the face's box
    float yaw = 0;       // radians, to the right of the image
    float pitch = 0;     // radians, downwards
    float roll = 0;      // radians, clockwise
    float lids = 0;      // 0 open, 1 shut
    float mouth = 0;     // 0 shut, 1 wide open
    float depth = 0;     // 0 the front row, 1 the back row
};

class Layout {
public:
    explicit Layout(const CrowdOptions& options);

    // People from the back to the front: the order of painting.
    [[nodiscard]] const std::vector<int>& back_to_front() const noexcept { return order_; }
    [[nodiscard]] Pose pose(int person, double seconds) const;

private:
    struct Row {
        float size;  // of its faces
        float y;     // of their middles
        int people;
        float depth;
        double speed;          // pixels a second, to the right
        double circumference;  // who leaves on one side comes back on the other after this many pixels
    };
    struct Place {
        int row;
        float x, y, size;  // in frame 0, sway apart
        std::uint64_t stream;
    };

    [[nodiscard]] std::vector<Row> rows_for(float largest) const;
    [[nodiscard]] int slots(const Row& row) const;
    void spread_people(std::vector<Row>& rows) const;
    void position_people();

    CrowdOptions options_;
    std::vector<Row> rows_;
    std::vector<Place> places_;  // by person
    std::vector<int> order_;
};

}  // namespace throng::synth
