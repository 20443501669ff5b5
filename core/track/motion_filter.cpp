#include "core/track/motion_filter.h"

#include <cmath>

namespace throng {

std::array<double, 4> coordinates_of(const Box& box) {
    const auto w = static_cast<double>(box.w);
    const auto h = static_cast<double>(box.h);
    return {static_cast<double>(box.x) + 0.5 * w, static_cast<double>(box.y) + 0.5 * h, std::log(w), std::log(h)};
}

MotionFilter::MotionFilter(const Box& box, const MotionNoise& noise) {
    const std::array<double, 4> measured = coordinates_of(box);
    const double side = std::exp(0.5 * (measured[2] + measured[3]));
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const double position = i < 2 ? noise.position * side : noise.size;
        const double velocity = i < 2 ? noise.velocity * side : noise.size_velocity;
        axes_[i] = {measured[i], 0, position * position, 0, velocity * velocity};
    }
}

void MotionFilter::predict(double seconds, const MotionNoise& noise, double walk_factor) {
    const double walk = noise.walk * side() * walk_factor;
    const double size_walk = noise.size_walk * walk_factor;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        axes_[i].predict(seconds, i < 2 ? walk * walk : size_walk * size_walk);
    }
}

void MotionFilter::correct(const Box& measured, const MotionNoise& noise, double variance_factor) {
    const std::array<double, 4> coordinates = coordinates_of(measured);
    const double position = noise.position * side();
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        axes_[i].correct(coordinates[i], variance_factor * (i < 2 ? position * position : noise.size * noise.size));
    }
}

void MotionFilter::shift(double x, double y) {
    axes_[0].position += x;
    axes_[1].position += y;
}

void MotionFilter::accelerate(double x, double y) {
    axes_[0].velocity += x;
    axes_[1].velocity += y;
}

Box MotionFilter::box() const {
    const double w = std::exp(axes_[2].position);
    const double h = std::exp(axes_[3].position);
    return {static_cast<float>(axes_[0].position - 0.5 * w), static_cast<float>(axes_[1].position - 0.5 * h),
            static_cast<float>(w), static_cast<float>(h)};
}

double MotionFilter::side() const {
    return std::exp(0.5 * (axes_[2].position + axes_[3].position));
}

}  // namespace throng
