// Kalman filter of a box: its center and the logarithms of its sides, each with a constant velocity.
#pragma once

#include <array>

#include "core/algo/box.h"

namespace throng {

// Position and velocity of one coordinate with their covariance. Time in seconds.
struct AxisFilter {
    double position = 0;
    double velocity = 0;
    double pp = 0, pv = 0, vv = 0;  // variances of the position and the velocity, and their covariance

    void predict(double seconds, double acceleration) {  // acceleration: variance of the velocity per second
        position += seconds * velocity;
        pp += seconds * (2 * pv + seconds * (vv + acceleration * seconds / 3));
        pv += seconds * (vv + acceleration * seconds / 2);
        vv += seconds * acceleration;
    }

    void correct(double measured, double variance) {
        const double innovation = measured - position;
        const double gain_position = pp / (pp + variance);
        const double gain_velocity = pv / (pp + variance);
        position += gain_position * innovation;
        velocity += gain_velocity * innovation;
        vv -= gain_velocity * pv;
        pv -= gain_position * pv;
        pp -= gain_position * pp;
    }
};

// Standard deviations of positions and velocities are in sides of the box, those of sizes in natural logarithms.
struct MotionNoise {
    double position = 0.05;      // of a measured center
    double size = 0.08;          // of a measured side
    double walk = 0.3;           // of the change of velocity in one second
    double size_walk = 0.1;      // of the change of the sides' growth in one second
    double velocity = 4;         // of the velocity of a new track, per second
    double size_velocity = 0.3;  // of the growth of a new track, per second
};

class MotionFilter {
public:
    // box: sides > 0.
    MotionFilter(const Box& box, const MotionNoise& noise);

    void predict(double seconds, const MotionNoise& noise, double walk_factor = 1);
    // variance_factor: on the variance of the measured box.
    void correct(const Box& measured, const MotionNoise& noise, double variance_factor = 1);
    // Moves the center without changing the velocity: for motion of the camera.
    void shift(double x, double y);
    // Adds to the velocity of the center, in pixels per second.
    void accelerate(double x, double y);

    [[nodiscard]] Box box() const;
    [[nodiscard]] double side() const;  // geometric mean of width and height
    // x, y, logarithm of the width, logarithm of the height.
    [[nodiscard]] const std::array<AxisFilter, 4>& axes() const { return axes_; }

private:
    std::array<AxisFilter, 4> axes_;
};

// Returns center x, center y, logarithm of the width, logarithm of the height.
[[nodiscard]] std::array<double, 4> coordinates_of(const Box& box);

}  // namespace throng
