// Boards with clocks in attribute files: rounding, rejections, nodes that appear late, and invalid contents.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/clocks/clock_controller.h"
#include "core/clocks/cpu_clock.h"
#include "core/clocks/devfreq_clock.h"
#include "core/clocks/telemetry.h"
#include "tests/support/fake_board.h"
#include "tests/support/test_data.h"
#include "tests/unit/clocks/nvml_rig.h"

namespace throng {
namespace {

using test::FakeBoard;
using test::FakeFiles;

class Boards : public ::testing::TestWithParam<FakeBoard> {
protected:
    void SetUp() override { GetParam().build(*files_); }

    ClockController controller(std::vector<ClockProfile> profiles = default_profiles(), bool keep = false) {
        return ClockController({scratch_.path(), std::move(profiles), keep}, files_, find_gpu_clock(files_, nullptr));
    }

    test::ScratchDir scratch_;
    std::shared_ptr<FakeFiles> files_ = std::make_shared<FakeFiles>();
};

TEST_P(Boards, ReportsAReadOnlyFileWithAdvice) {
    for (const char* file : {"/max_freq", "/min_freq", "rate", "state"}) files_->make_read_only(GetParam().node + file);
    ClockController clocks = controller();
    const ApplyResult result = clocks.apply("p50");
    EXPECT_EQ(result.status, ApplyStatus::needs_privilege);
    EXPECT_EQ(result.where.rfind(GetParam().node, 0), 0U) << result.where;
    EXPECT_EQ(result.advice.text().find("udev") == std::string::npos, GetParam().soc == "tegra124")
        << "only root may write debugfs";
    EXPECT_TRUE(files_->written().empty()) << files_->written().front();
}

TEST_P(Boards, FindsANodeThatAppearsLate) {
    if (GetParam().soc == "tegra124") GTEST_SKIP() << "skipped: debugfs exists from the start on TK1";
    files_->remove_below(GetParam().node);
    ClockController clocks = controller();
    EXPECT_EQ(clocks.apply("p50").status, ApplyStatus::unsupported);
    EXPECT_FALSE(clocks.measure().gpu.current.has_value());
    GetParam().power_gpu(*files_);
    EXPECT_TRUE(clocks.apply("p50").ok());
    files_->remove_below(GetParam().node);  // and may disappear
    EXPECT_FALSE(clocks.measure().gpu.current.has_value());
    GetParam().power_gpu(*files_);
}

TEST_P(Boards, ToleratesInvalidFileContents) {
    ClockController clocks = controller();
    for (const std::string& garbage :
         {std::string(), std::string("\xff\0\x01 nonsense", 12), std::string(100'000, '9'), std::string("-5")}) {
        for (const char* file :
             {"/available_frequencies", "/cur_freq", "/min_freq", "/max_freq", "/governor", "/device/load"}) {
            files_->set(GetParam().node + file, garbage);
        }
        EXPECT_NO_THROW(static_cast<void>(clocks.measure()));
        EXPECT_NO_THROW(static_cast<void>(clocks.profiles()));
        EXPECT_NO_THROW(static_cast<void>(clocks.apply("p50")));
    }
}

INSTANTIATE_TEST_SUITE_P(All, Boards, ::testing::ValuesIn(test::fake_boards()), [](const auto& instance) {
    return instance.param.soc + "_" + std::to_string(instance.index);
});

TEST(Clocks, ReportsALimitBelowTheRequest) {
    const FakeBoard& board = test::fake_boards().back();
    auto files = std::make_shared<FakeFiles>();
    board.build(*files);
    // The power mode limits the clock: higher values are accepted and silently lowered.
    const std::string cap = std::to_string(board.steps_hz[3]);
    files->on_write(board.node + "/max_freq", [cap](std::string& value) -> WriteOutcome {
        if (std::stoll(value) > std::stoll(cap)) value = cap;
        return {};
    });
    files->set(board.node + "/max_freq", cap);
    test::ScratchDir scratch;
    ClockController clocks({scratch.path(), default_profiles(), false}, files, find_gpu_clock(files, nullptr));
    const ApplyResult result = clocks.apply("maximum");
    EXPECT_EQ(result.status, ApplyStatus::rejected);
    EXPECT_NE(result.reason.text().find(cap), std::string::npos) << result.reason;
    EXPECT_EQ(files->text(board.node + "/min_freq"), std::to_string(board.steps_hz.front()))
        << "a failed change is undone";
}

TEST(Clocks, DetectsAChangeByAnotherProgram) {
    const FakeBoard& board = test::fake_boards()[2];
    auto files = std::make_shared<FakeFiles>();
    board.build(*files);
    test::ScratchDir scratch;
    ClockController clocks({scratch.path(), default_profiles(), false}, files, find_gpu_clock(files, nullptr));
    ASSERT_TRUE(clocks.apply("p50").ok());
    files->set(board.node + "/max_freq", std::to_string(board.steps_hz.back()));
    EXPECT_TRUE(clocks.measure().changed_by_another);
}

TEST(Clocks, AppliesAndRestoresCpuRangeAndGovernor) {
    const FakeBoard& board = test::fake_boards()[2];
    auto files = std::make_shared<FakeFiles>();
    board.build(*files);
    test::ScratchDir scratch;
    ClockProfile profile;
    profile.id = "slow";
    profile.gpu = Automatic{};
    profile.cpu = Fraction{0};
    profile.cpu_governor = "userspace";
    {
        ClockController clocks({scratch.path(), {profile}, false}, files, find_gpu_clock(files, nullptr));
        ASSERT_TRUE(clocks.apply("slow").ok());
        EXPECT_EQ(clocks.measure().cpu.max, 102'000'000);
        EXPECT_EQ(clocks.measure().cpu.governor, "userspace");
    }
    EXPECT_EQ(CpuClock(files).read().max, 2'014'500'000);
    EXPECT_EQ(CpuClock(files).read().governor, "schedutil");
}

TEST(Clocks, TakesTheLoadFromNvmlWhereTheNodeHasNone) {
    const FakeBoard& thor = test::fake_boards().back();
    auto files = std::make_shared<FakeFiles>();
    thor.build(*files);
    test::NvmlRig rig(TH_FAKE_NVML);
    EXPECT_FALSE(find_gpu_clock(files, nullptr)->read().load);
    const auto clock = find_gpu_clock(files, rig.open());
    EXPECT_EQ(clock->kind(), "devfreq") << "NVML does not control a Jetson's clocks";
    EXPECT_EQ(clock->read().load, 0.37);
    EXPECT_EQ(clock->read().current, thor.steps_hz.front());
    rig.set("lost", 1);
    EXPECT_FALSE(clock->read().load);
}

TEST(Clocks, ReadsTheBoardWhereNvmlIsNotSupported) {
    auto files = std::make_shared<FakeFiles>();
    test::fake_boards()[6].build(*files);
    test::NvmlRig rig(TH_FAKE_NVML);
    rig.set("unsupported", 1);
    const TelemetrySample sample = TelemetryReader(files, rig.open()).read();
    EXPECT_EQ(sample.gpu_clock, test::fake_boards()[6].steps_hz.front());
    EXPECT_EQ(sample.gpu_load, 0.437);
    EXPECT_EQ(sample.memory_clock, 2'133'000'000);
}

TEST(Clocks, ReadsAMemoryClockThatAppearsLate) {
    const FakeBoard& thor = test::fake_boards().back();
    auto files = std::make_shared<FakeFiles>();
    thor.build(*files);
    files->remove_below("/sys/class/devfreq/bwmgr");
    TelemetryReader reader(files, nullptr);
    EXPECT_FALSE(reader.read().memory_clock);
    thor.build(*files);
    EXPECT_EQ(reader.read().memory_clock, 4'266'000'000);
}

ClockProfile with_fast_memory() {
    ClockProfile profile;
    profile.id = "fast";
    profile.gpu = Fraction{1};
    profile.memory = Fraction{1};
    return profile;
}

// Attribute files of the memory of the boards that let root change it.
struct MemoryFiles {
    std::size_t board = 0;
    std::string rate;
    std::string state;
    std::string fastest;
};
const std::vector<MemoryFiles> kMemories{
    {0, "/sys/kernel/debug/clock/override.emc/rate", "/sys/kernel/debug/clock/override.emc/state", "924000000"},
    {6, "/sys/kernel/debug/bpmp/debug/clk/emc/rate", "/sys/kernel/debug/bpmp/debug/clk/emc/mrq_rate_locked",
     "3199000000"}};

TEST(Clocks, AppliesAndRestoresTheMemoryClock) {
    for (const MemoryFiles& memory : kMemories) {
        const FakeBoard& board = test::fake_boards()[memory.board];
        auto files = std::make_shared<FakeFiles>();
        board.build(*files);
        test::ScratchDir scratch;
        const auto open = [&](bool keep) {
            return ClockController({scratch.path(), {with_fast_memory()}, 0, keep}, files,
                                   find_gpu_clock(files, nullptr));
        };
        const auto fast = [&] {
            return files->text(memory.rate) == memory.fastest && files->text(memory.state) == "1";
        };
        {
            ClockController clocks = open(false);
            ASSERT_TRUE(clocks.apply("fast").ok()) << board.name;
            EXPECT_TRUE(fast()) << board.name;
            EXPECT_EQ(std::to_string(clocks.measure().memory.max.value_or(0)), memory.fastest) << board.name;
        }
        EXPECT_EQ(files->text(memory.state), "0") << board.name;
        // What a `set` left is restored by another process.
        EXPECT_TRUE(open(true).apply("fast").ok());
        EXPECT_TRUE(fast()) << board.name;
        EXPECT_TRUE(open(true).restore().ok());
        EXPECT_EQ(files->text(memory.state), "0") << board.name;
    }
}

TEST(Clocks, UndoesAProfileWhoseMemoryClockFails) {
    const auto expect_failure = [](const FakeBoard& board, const std::shared_ptr<FakeFiles>& files, ApplyStatus status,
                                   const char* reason) {
        test::ScratchDir scratch;
        ClockController clocks({scratch.path(), {with_fast_memory()}, false}, files, find_gpu_clock(files, nullptr));
        const auto before = clocks.measure().gpu.min;
        const ApplyResult result = clocks.apply("fast");
        EXPECT_EQ(result.status, status) << board.name;
        EXPECT_NE(result.reason.text().find(reason), std::string::npos) << board.name << ": " << result.reason;
        EXPECT_EQ(clocks.measure().gpu.min, before) << board.name << ": the GPU's clock is restored";
    };
    for (const MemoryFiles& memory : kMemories) {
        const FakeBoard& board = test::fake_boards()[memory.board];
        auto files = std::make_shared<FakeFiles>();
        board.build(*files);
        files->make_read_only(memory.rate);
        expect_failure(board, files, ApplyStatus::needs_privilege, "Permission denied");
    }
    const FakeBoard& without = test::fake_boards()[1];
    auto files = std::make_shared<FakeFiles>();
    without.build(*files);
    files->remove_below("/sys/class/devfreq/a-memory-controller");
    expect_failure(without, files, ApplyStatus::unsupported, "no memory clock found");
    const FakeBoard& thor = test::fake_boards().back();
    files = std::make_shared<FakeFiles>();
    thor.build(*files);
    expect_failure(thor, files, ApplyStatus::unsupported, "lists no steps");
}

TEST(Clocks, AppliesAndRestoresTheTk1Cluster) {
    const FakeBoard& board = test::fake_boards().front();
    auto files = std::make_shared<FakeFiles>();
    board.build(*files);
    test::ScratchDir scratch;
    ClockProfile profile;
    profile.id = "lp";
    profile.gpu = Fraction{0};
    profile.cpu_cluster = "LP";
    {
        ClockController clocks({scratch.path(), {profile}, false}, files, find_gpu_clock(files, nullptr));
        ASSERT_TRUE(clocks.apply("lp").ok());
        EXPECT_EQ(files->text("/sys/kernel/cluster/active"), "LP");
    }
    EXPECT_EQ(files->text("/sys/kernel/cluster/active"), "G");
}

// The file of what was saved may lie in a folder of another user.
TEST(Clocks, RestoresOnlyFilesOfCores) {
    auto files = std::make_shared<FakeFiles>();
    test::fake_boards().front().build(*files);
    CpuClock cpu(files);
    SavedClock saved = cpu.save();
    ASSERT_FALSE(saved.empty());
    const std::string core = "/sys/devices/system/cpu/cpu0/cpufreq/";
    ASSERT_TRUE(saved.contains(core + "scaling_governor"));
    for (const std::string& path : {std::string("/etc/passwd"), core + "scaling_setspeed", core + "../../online",
                                    core + "../cpufreq/scaling_governor",
                                    std::string("/sys/devices/system/cpu/cpu/cpufreq/scaling_governor"), core}) {
        files->set(path, "before");
        saved[path] = "after";
    }
    EXPECT_TRUE(cpu.restore(saved).ok());
    EXPECT_TRUE(files->written().empty()) << files->written().front();
    saved[core + "scaling_governor"] = "performance";
    EXPECT_TRUE(cpu.restore(saved).ok());
    EXPECT_EQ(files->text(core + "scaling_governor"), "performance");
}

TEST(Clocks, AMissingGpuClockIsNotAnError) {
    auto files = std::make_shared<FakeFiles>();
    test::ScratchDir scratch;
    ClockController clocks({scratch.path(), default_profiles(), false}, files, find_gpu_clock(files, nullptr));
    EXPECT_EQ(clocks.kind(), "none");
    for (const ResolvedProfile& entry : clocks.profiles()) EXPECT_FALSE(entry.available);
    EXPECT_EQ(clocks.apply("p50").status, ApplyStatus::unsupported);
    EXPECT_THROW(static_cast<void>(clocks.apply("no such")), Error);
    EXPECT_TRUE(clocks.restore().ok());
}

}  // namespace
}  // namespace throng
