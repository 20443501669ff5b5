// The automatic quality on simulated machines: the time of a frame is a function of the parameters and of the clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/detect/detector_kinds.h"
#include "core/pipeline/auto_quality.h"

namespace throng {
namespace {

using namespace std::chrono_literals;

class Machine {
public:
    Machine(const DetectorParams& configured, double rate) : configured_(configured), quality_(configured, rate) {}

    // Detects for this long; full_ms is the time of a frame at the configured parameters.
    void run(std::chrono::seconds span, double full_ms) {
        for (const auto end = now_ + span; now_ < end;) {
            const DetectorParams& used = quality_.params();
            const double sizes = static_cast<double>(configured_.min_size) / used.min_size;
            last_ms_ = full_ms * std::pow(sizes * sizes, yield_) * std::log(configured_.scale_factor) /
                       std::log(used.scale_factor);
            now_ += std::chrono::duration_cast<AutoQuality::Clock::duration>(
                std::chrono::duration<double, std::milli>(last_ms_));
            if (quality_.add(last_ms_, now_)) ++changes_;
        }
    }

    DetectorParams configured_;
    AutoQuality quality_;
    AutoQuality::Clock::time_point now_{1h};
    double yield_ = 1;  // < 1: coarser levels save less than expected
    double last_ms_ = 0;
    int changes_ = 0;
};

DetectorParams haar() {
    return detector_kind("haar").params;
}

TEST(AutoQuality, FastMachineKeepsTheConfiguredDetection) {
    Machine machine(haar(), 12);
    machine.run(60s, 80);
    EXPECT_EQ(machine.quality_.level(), 0);
    EXPECT_EQ(machine.changes_, 0);
    EXPECT_EQ(machine.quality_.given_up(), "");
}

TEST(AutoQuality, SlowMachineGetsTheFinestLevelThatKeepsUp) {
    Machine machine(haar(), 12);
    machine.run(20s, 150);
    EXPECT_LE(machine.last_ms_, 1000.0 / 12);
    EXPECT_EQ(machine.quality_.params().min_size, 36) << "150 ms / 1.56 is still too slow, 150 / 2.25 is not";
    EXPECT_EQ(machine.quality_.params().scale_factor, haar().scale_factor);
    EXPECT_EQ(machine.quality_.given_up(), "faces from 36 instead of 24 px");
}

TEST(AutoQuality, NeverExceedsOneAndAHalfTimesTheMinimumSize) {
    for (const std::string kind : {"haar", "lbp", "cnn", "hog"}) {
        Machine machine(detector_kind(kind).params, 12);
        machine.run(600s, 5000);
        const DetectorParams& used = machine.quality_.params();
        EXPECT_EQ(used.min_size, std::lround(1.5 * machine.configured_.min_size)) << kind;
        EXPECT_LE(used.scale_factor, std::max(1.25, machine.configured_.scale_factor)) << kind;
        EXPECT_NE(machine.quality_.given_up(), "") << kind;
    }
}

TEST(AutoQuality, RecoversWhenThereIsTime) {
    Machine machine(haar(), 12);
    machine.run(20s, 400);
    EXPECT_GT(machine.quality_.level(), 2);
    machine.run(30s, 40);
    EXPECT_EQ(machine.quality_.level(), 0);
}

// The finer level of before did not last: once, the next one is tried after twice the time, 4 s.
TEST(AutoQuality, WaitsTwiceAsLongOnceForALevelThatDidNotLast) {
    Machine machine(haar(), 12);
    machine.run(20s, 400);
    machine.run(30s, 40);
    ASSERT_EQ(machine.quality_.level(), 0);
    machine.run(20s, 400);
    const int level = machine.quality_.level();
    ASSERT_GT(level, 2);
    machine.run(10s, 40);
    EXPECT_LE(machine.quality_.level(), level - 2);
}

TEST(AutoQuality, DoesNotTryALevelThatIsExpectedToBeTooSlow) {
    for (const char* kind : {"haar", "cnn"}) {
        Machine machine(detector_kind(kind).params, 12);
        machine.run(60s, 95);
        EXPECT_EQ(machine.quality_.level(), 1) << kind;
        EXPECT_EQ(machine.changes_, 1) << kind;
    }
}

TEST(AutoQuality, DoesNotOscillate) {
    // The coarser level saves far more than expected, so the finer one always looks fast enough and never is.
    Machine machine(haar(), 12);
    machine.yield_ = 4;
    machine.run(600s, 90);
    EXPECT_LT(machine.changes_, 30) << "in ten minutes";
}

// A network that runs once has no scales: a larger factor would give up nothing and gain nothing.
TEST(AutoQuality, NetworksKeepTheirFactor) {
    for (const char* kind : {"cnn", "person", "face+person"}) {
        Machine machine(detector_kind(kind).params, 12);
        machine.run(600s, 5000);
        EXPECT_EQ(machine.quality_.level(), 2) << kind;
        EXPECT_EQ(machine.quality_.params().scale_factor, machine.configured_.scale_factor) << kind;
    }
}

TEST(AutoQuality, ScalesTheFacesOfPeopleByTheSameFactor) {
    Machine machine(detector_kind("face+person").params, 12);
    DetectorParams faces = detector_kind("cnn").params;
    faces.min_size = 20;
    EXPECT_EQ(machine.quality_.scaled(faces).min_size, 20);
    machine.run(600s, 5000);
    EXPECT_EQ(machine.quality_.scaled(faces).min_size, 30);
    faces.max_size = 24;
    EXPECT_EQ(machine.quality_.scaled(faces).min_size, 24);
}

TEST(AutoQuality, KeepsAConfiguredFactorAndMaximumSize) {
    DetectorParams params = haar();
    params.min_size = 100;
    params.max_size = 120;
    params.scale_factor = 1.22;
    Machine machine(params, 12);
    machine.run(600s, 5000);
    EXPECT_EQ(machine.quality_.params().min_size, 120);
    EXPECT_EQ(machine.quality_.params().max_size, 120);
    EXPECT_EQ(machine.quality_.params().scale_factor, 1.25);
}

}  // namespace
}  // namespace throng
