// Positions and motion of the people: rows across the hall, larger and lower towards the front. Each row drifts
// sideways at its own speed. Walking people each have a row of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "core/synth/crowd.h"

namespace throng::synth {

// The moving parameters of a person at one instant. Lengths in pixels.
struct Pose {
    float x = 0, y = 0;  // center of the face
    float size = 0;      // side of the face's box
    float yaw = 0;       // radians, to the right of the image
    float pitch = 0;     // radians, downwards
    float roll = 0;      // radians, clockwise
    float lids = 0;      // 0 open, 1 closed
    float mouth = 0;     // 0 closed, 1 wide open
    float depth = 0;     // 0 the front row, 1 the back row
    int identity = 0;    // the person; of people who walk another one after each passage of the hall
};

class Layout {
public:
    explicit Layout(const CrowdOptions& options);

    // Returns the people from back to front: the order of painting.
    [[nodiscard]] const std::vector<int>& back_to_front() const noexcept { return order_; }
    [[nodiscard]] Pose pose(int person, double seconds) const;

private:
    struct Row {
        float size;  // of the row's faces
        float y;     // of the faces' centers
        int people;
        float depth;
        double speed;          // pixels per second, to the right
        double circumference;  // in pixels; people who leave on one side reappear on the other after this distance
    };
    struct Position {
        int row;
        float x, y, size;  // in frame 0, without sway
        std::uint64_t stream;
    };

    [[nodiscard]] std::vector<Row> rows_for(float face_size) const;
    [[nodiscard]] int slots(const Row& row) const;
    void spread_people(std::vector<Row>& rows) const;
    [[nodiscard]] std::vector<Row> walking_rows() const;
    void position_people();

    CrowdOptions options_;
    std::vector<Row> rows_;
    std::vector<Position> positions_;  // by person
    std::vector<int> order_;
};

}  // namespace throng::synth
