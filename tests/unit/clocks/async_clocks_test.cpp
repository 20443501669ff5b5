#include "core/clocks/async_clocks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "core/clocks/clock_sweep.h"
#include "tests/support/board_folder.h"
#include "tests/support/eventually.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using namespace std::chrono_literals;

const test::FakeBoard& orin() {
    return test::fake_boards()[5];
}

ClockStatus wait_for(const AsyncClocks& clocks, ClockPhase phase) {
    ClockStatus status;
    EXPECT_TRUE(test::eventually([&] { return (status = clocks.status()).phase == phase; }));
    return status;
}

class AsyncClocksTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::build_board_folder(orin(), scratch_.path());
        options_.clocks.root = scratch_.path();
        options_.period = 20ms;
        options_.wake = [this] { ++woken_; };
    }
    [[nodiscard]] std::string max() const { return test::attribute(scratch_.path(), orin().node + "/max_freq"); }

    test::ScratchDir scratch_;
    std::atomic<int> woken_ = 0;
    AsyncClocks::Options options_;
};

TEST_F(AsyncClocksTest, ReportsTheBoardAppliesAndRestores) {
    const std::string before = max();
    {
        AsyncClocks clocks(options_);
        ClockStatus status = wait_for(clocks, ClockPhase::idle);
        EXPECT_EQ(status.kind, "devfreq");
        EXPECT_EQ(status.board.soc, "tegra234");
        EXPECT_EQ(status.profiles.size(), default_profiles().size());
        clocks.request("p50");
        EXPECT_EQ(clocks.status().requested, "p50");
        status = wait_for(clocks, ClockPhase::applied);
        EXPECT_TRUE(status.result.ok());
        EXPECT_NE(max(), before);
        clocks.restore();
        wait_for(clocks, ClockPhase::idle);
        EXPECT_EQ(max(), before);
        clocks.request("minimum");
        wait_for(clocks, ClockPhase::applied);
        EXPECT_GT(woken_, 2);
    }
    EXPECT_EQ(max(), before) << "the destructor restores";
}

TEST_F(AsyncClocksTest, ReportsRejectionsAndUnknownNames) {
    AsyncClocks clocks(options_);
    wait_for(clocks, ClockPhase::idle);
    clocks.request("warp");
    const ClockStatus status = wait_for(clocks, ClockPhase::rejected);
    EXPECT_EQ(status.result.where, "warp");
    EXPECT_FALSE(status.result.advice.empty());
    clocks.request("p25");
    wait_for(clocks, ClockPhase::applied);
}

TEST_F(AsyncClocksTest, CarriesOutTheNewestRequest) {
    AsyncClocks clocks(options_);
    for (const char* id : {"minimum", "p25", "p50", "p75", "maximum", "p25"}) clocks.request(id);
    wait_for(clocks, ClockPhase::applied);
    EXPECT_EQ(clocks.status().requested, "p25");
    EXPECT_EQ(max(), "306000000");
}

TEST_F(AsyncClocksTest, ReportsAChangeByAnotherProgram) {
    AsyncClocks clocks(options_);
    clocks.request("minimum");
    wait_for(clocks, ClockPhase::applied);
    const auto files = make_system_files(scratch_.path());
    ASSERT_TRUE(files->write(orin().node + "/max_freq", "1300500000").ok());
    EXPECT_TRUE(test::eventually([&] { return clocks.status().reading.changed_by_another; }));
}

TEST(AsyncClocksAnywhere, AMachineWithoutClockControlIsNotAnError) {
    test::ScratchDir empty;
    AsyncClocks::Options options;
    options.clocks.root = empty.path();
    AsyncClocks clocks(options);
    EXPECT_EQ(wait_for(clocks, ClockPhase::idle).kind, "none");
    clocks.request("p50");
    EXPECT_EQ(wait_for(clocks, ClockPhase::rejected).result.status, ApplyStatus::unsupported);
}

// The time is an argument of the sweep, so these tests do not wait.
class Sweep : public ::testing::Test {
protected:
    std::optional<std::string> step(std::chrono::milliseconds passed) {
        now_ += passed;
        const auto id = sweep_.step(now_, status_);
        if (id) status_.requested = *id;
        return id;
    }
    void apply() {
        status_.phase = ClockPhase::applied;
        status_.reading.requested = 500'000'000;
    }
    ClockSweep sweep_{{{"minimum", "maximum"}, 100ms, 1000ms, 3000ms}};
    ClockSweep::Time now_{};
    ClockStatus status_;
};

TEST_F(Sweep, MeasuresMediansAtEveryProfile) {
    EXPECT_EQ(step(0ms), "minimum");
    status_.phase = ClockPhase::applying;
    EXPECT_FALSE(step(10ms));
    apply();
    EXPECT_FALSE(step(10ms));
    sweep_.add(StageTimes{{"total", 99}});  // settling: not counted
    EXPECT_FALSE(step(100ms));
    for (const double ms : {3.0, 1.0, 2.0}) sweep_.add(StageTimes{{"total", ms}, {"nms_map", ms / 10}});
    TelemetrySample sample;
    sample.gpu_clock = 306'000'000;
    sample.joules_per_frame = 0.25;
    sweep_.add(sample);
    EXPECT_FALSE(step(1000ms));
    EXPECT_EQ(step(1ms), "maximum");
    ASSERT_EQ(sweep_.points().size(), 1U);
    const SweepPoint& point = sweep_.points().front();
    EXPECT_EQ(point.frames, 3U);
    EXPECT_EQ(point.ms.at("total"), 2.0);
    EXPECT_EQ(point.ms.at("nms_map"), 0.2);
    EXPECT_EQ(point.clock, 306'000'000);
    EXPECT_EQ(point.joules, 0.25);
    EXPECT_FALSE(point.throttled);

    status_.phase = ClockPhase::rejected;
    status_.result = {ApplyStatus::needs_privilege, "/sys/x", "Permission denied", ""};
    EXPECT_FALSE(step(1ms));
    EXPECT_EQ(step(1ms), "") << "requests a restore at the end";
    EXPECT_TRUE(sweep_.done());
    EXPECT_EQ(sweep_.points().back().rejected, "/sys/x: Permission denied");
}

TEST_F(Sweep, EndsWhenAnotherProfileIsRequested) {
    step(0ms);
    apply();
    step(1ms);
    step(100ms);
    status_.requested = "p25";
    EXPECT_FALSE(step(1ms));
    EXPECT_TRUE(sweep_.done());
}

TEST_F(Sweep, TimesOutWithoutAnAnswer) {
    step(0ms);
    status_.phase = ClockPhase::applying;
    EXPECT_FALSE(step(3001ms));
    EXPECT_EQ(step(1ms), "maximum");
    EXPECT_FALSE(sweep_.points().front().rejected.empty());
}

TEST(SweepIds, ContainsEachStepOnceSlowestFirst) {
    test::ScratchDir scratch;
    test::build_board_folder(orin(), scratch.path());
    ClockOptions options;
    options.root = scratch.path();
    ClockProfile again = default_profiles()[1];
    again.id = "again";
    options.profiles.push_back(again);
    const auto ids = ClockSweep::ids_of(ClockController(options).profiles());
    EXPECT_EQ(ids, (std::vector<std::string>{"minimum", "fanless", "p50", "p75", "maximum"}));
}

}  // namespace
}  // namespace throng
