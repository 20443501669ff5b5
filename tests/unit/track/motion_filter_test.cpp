#include "core/track/motion_filter.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "tests/support/random.h"

namespace throng {
namespace {

using Matrix = std::array<std::array<double, 2>, 2>;

Matrix product(const Matrix& a, const Matrix& b) {
    Matrix result{};
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j) result[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
    }
    return result;
}

Matrix transposed(const Matrix& m) {
    return {{{m[0][0], m[1][0]}, {m[0][1], m[1][1]}}};
}

// The Kalman filter of the textbooks for one coordinate with a constant velocity, in matrices. The correction has the form
// of Joseph.
struct TextbookFilter {
    std::array<double, 2> state{};  // position, velocity
    Matrix covariance{};

    void predict(double t, double q) {
        const Matrix transition{{{1, t}, {0, 1}}};
        state[0] += t * state[1];
        covariance = product(product(transition, covariance), transposed(transition));
        covariance[0][0] += q * t * t * t / 3;
        covariance[0][1] += q * t * t / 2;
        covariance[1][0] += q * t * t / 2;
        covariance[1][1] += q * t;
    }
    void correct(double measured, double variance) {
        const double total = covariance[0][0] + variance;
        const std::array<double, 2> gain{covariance[0][0] / total, covariance[1][0] / total};
        const double innovation = measured - state[0];
        for (std::size_t i = 0; i < 2; ++i) state[i] += gain[i] * innovation;
        const Matrix rest{{{1 - gain[0], 0}, {-gain[1], 1}}};
        covariance = product(product(rest, covariance), transposed(rest));
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t j = 0; j < 2; ++j) covariance[i][j] += gain[i] * variance * gain[j];
        }
    }
};

TEST(MotionFilter, AgreesWithTheTextbookOnRandomTracks) {
    std::mt19937_64 random(test::seed(51));
    const auto uniform = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
    const auto random_box = [&] {
        return Box{static_cast<float>(uniform(0, 400)), static_cast<float>(uniform(0, 300)),
                   static_cast<float>(uniform(8, 90)), static_cast<float>(uniform(8, 90))};
    };
    for (std::size_t round = test::case_count(50); round > 0; --round) {
        const MotionNoise noise{uniform(0.01, 0.1), uniform(0.01, 0.2), uniform(0.1, 1),
                                uniform(0.1, 1),    uniform(1, 5),      uniform(0.1, 1)};
        const Box first = random_box();
        MotionFilter filter(first, noise);
        std::array<TextbookFilter, 4> expected;
        const auto side = [&] { return std::sqrt(std::exp(expected[2].state[0]) * std::exp(expected[3].state[0])); };
        const auto centers = [](const Box& box) {
            const double x = static_cast<double>(box.x), y = static_cast<double>(box.y);
            const double w = static_cast<double>(box.w), h = static_cast<double>(box.h);
            return std::array{x + w / 2, y + h / 2, std::log(w), std::log(h)};
        };
        for (std::size_t i = 0; i < 4; ++i) expected[i].state[0] = centers(first)[i];
        for (std::size_t i = 0; i < 4; ++i) {
            const double unit = i < 2 ? side() : 1;
            expected[i].covariance[0][0] = std::pow(unit * (i < 2 ? noise.position : noise.size), 2);
            expected[i].covariance[1][1] = std::pow(unit * (i < 2 ? noise.velocity : noise.size_velocity), 2);
        }
        for (int step = 0; step < 12; ++step) {
            const double seconds = uniform(0.01, 0.5);
            const double walk_factor = uniform(0.5, 3);
            const double before = side();
            filter.predict(seconds, noise, walk_factor);
            for (std::size_t i = 0; i < 4; ++i) {
                expected[i].predict(seconds,
                                    std::pow(walk_factor * (i < 2 ? noise.walk * before : noise.size_walk), 2));
            }
            if (step % 3 != 0) {
                const Box measured = random_box();
                const double factor = uniform(0.5, 20);
                const double scale = side();
                filter.correct(measured, noise, factor);
                for (std::size_t i = 0; i < 4; ++i) {
                    const double deviation = i < 2 ? noise.position * scale : noise.size;
                    expected[i].correct(centers(measured)[i], factor * deviation * deviation);
                }
            }
            if (step % 4 == 0) {
                filter.shift(3, -5);
                filter.accelerate(-7, 2);
                expected[0].state[0] += 3;
                expected[1].state[0] -= 5;
                expected[0].state[1] -= 7;
                expected[1].state[1] += 2;
            }
            for (std::size_t i = 0; i < 4; ++i) {
                const AxisFilter& axis = filter.axes()[i];
                const auto near = [](double value) { return 1e-6 * (1 + std::abs(value)); };
                EXPECT_NEAR(axis.position, expected[i].state[0], near(axis.position)) << i;
                EXPECT_NEAR(axis.velocity, expected[i].state[1], near(axis.velocity)) << i;
                EXPECT_NEAR(axis.pp, expected[i].covariance[0][0], near(axis.pp)) << i;
                EXPECT_NEAR(axis.pv, expected[i].covariance[0][1], near(axis.pv)) << i;
                EXPECT_NEAR(axis.vv, expected[i].covariance[1][1], near(axis.vv)) << i;
            }
            const Box box = filter.box();
            EXPECT_NEAR(filter.side(), side(), 1e-6 * side());
            EXPECT_NEAR(box.x + box.w / 2, filter.axes()[0].position, 1e-2 * (1 + side()));
            EXPECT_NEAR(box.y + box.h / 2, filter.axes()[1].position, 1e-2 * (1 + side()));
            EXPECT_NEAR(std::log(static_cast<double>(box.w)), filter.axes()[2].position, 1e-5);
            EXPECT_NEAR(std::log(static_cast<double>(box.h)), filter.axes()[3].position, 1e-5);
        }
    }
}

}  // namespace
}  // namespace throng
