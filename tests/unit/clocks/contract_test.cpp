// The contract of every clock controller, on simulated boards and on a simulated NVML library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/clocks/clock_controller.h"
#include "tests/support/fake_board.h"
#include "tests/support/test_data.h"
#include "tests/unit/clocks/nvml_rig.h"

namespace throng {
namespace {

using test::FakeBoard;
using test::FakeFiles;

struct Machine {
    std::string name;
    const FakeBoard* board = nullptr;  // null: a discrete GPU with NVML
};

void PrintTo(const Machine& machine, std::ostream* out) {
    *out << machine.name;
}

class Contract : public ::testing::TestWithParam<Machine> {
protected:
    void SetUp() override {
        if (board() != nullptr) {
            board()->build(*files_);
        } else {
            nvml_ = std::make_unique<test::NvmlRig>(TH_FAKE_NVML);
        }
    }

    [[nodiscard]] const FakeBoard* board() const { return GetParam().board; }
    [[nodiscard]] std::vector<Hertz> steps() const { return board() ? board()->steps_hz : test::NvmlRig::steps(); }

    ClockController controller(std::vector<ClockProfile> profiles = default_profiles(), bool keep = false) {
        ClockOptions options;
        options.root = scratch_.path();
        options.profiles = std::move(profiles);
        options.keep = keep;
        return ClockController(options, files_, find_gpu_clock(files_, nvml_ ? nvml_->open() : nullptr));
    }

    // Returns the maximum clock that the machine currently allows.
    std::optional<Hertz> in_force(const ClockController& clocks) {
        return nvml_ ? nvml_->locked_max() : clocks.measure().gpu.max;
    }
    void reject_changes() {
        if (nvml_) return nvml_->set("reject", 1);
        for (const char* file : {"/max_freq", "/min_freq", "rate", "state"})
            files_->make_read_only(board()->node + file);
    }

    test::ScratchDir scratch_;
    std::shared_ptr<FakeFiles> files_ = std::make_shared<FakeFiles>();
    std::unique_ptr<test::NvmlRig> nvml_;
};

TEST_P(Contract, FindsTheGpuAndItsSteps) {
    ClockController clocks = controller();
    EXPECT_EQ(clocks.board().soc, board() ? board()->soc : "");
    EXPECT_EQ(clocks.location(), board() ? board()->node : "Fake H1");
    EXPECT_EQ(clocks.steps(), steps());
}

TEST_P(Contract, ResolvesAndAppliesEveryProfile) {
    ClockController clocks = controller();
    const auto free = in_force(clocks);
    for (const ResolvedProfile& entry : clocks.profiles()) {
        ASSERT_TRUE(entry.available) << entry.profile.id << ": " << entry.reason;
        const ApplyResult result = clocks.apply(entry.profile.id);
        ASSERT_TRUE(result.ok()) << entry.profile.id << ": " << result.where << ": " << result.reason;
        const std::vector<Hertz> all = steps();
        if (entry.gpu_max) {
            EXPECT_TRUE(std::count(all.begin(), all.end(), *entry.gpu_max));
            EXPECT_EQ(in_force(clocks), entry.gpu_max);
            EXPECT_EQ(clocks.measure().requested, entry.gpu_max);
        } else {
            EXPECT_EQ(in_force(clocks), free);
        }
        EXPECT_EQ(clocks.measure().applied, entry.profile.id);
        EXPECT_FALSE(clocks.measure().changed_by_another);
    }
}

TEST_P(Contract, AppliesStepsInAnyOrder) {
    ClockController clocks = controller();
    for (const char* id :
         {"maximum", "minimum", "maximum", "p25", "p75", "minimum", "p50", "automatic", "maximum", "automatic"}) {
        const ApplyResult result = clocks.apply(id);
        EXPECT_TRUE(result.ok()) << id << ": " << result.where << ": " << result.reason;
    }
}

TEST_P(Contract, RestoresTheOriginalClocks) {
    std::optional<Hertz> before;
    std::string governor;
    {
        ClockController clocks = controller();
        before = in_force(clocks);
        governor = clocks.measure().gpu.governor;
        ASSERT_TRUE(clocks.apply("p50").ok());
        ASSERT_NE(in_force(clocks), before);
    }
    ClockController after = controller();
    EXPECT_TRUE(after.recovered().empty()) << "after a normal end there is nothing to recover";
    EXPECT_EQ(in_force(after), before);
    EXPECT_EQ(after.measure().gpu.governor, governor);
}

TEST_P(Contract, NextStartRestoresAfterACrash) {
    std::optional<Hertz> before;
    {
        // A controller with `keep` leaves the clocks and the state file like a killed program.
        ClockController clocks = controller(default_profiles(), true);
        before = in_force(clocks);
        ASSERT_TRUE(clocks.apply("minimum").ok());
    }
    const ClockStateFile file(scratch_.path());
    ClockState state = *file.read();
    EXPECT_EQ(state.owner, 0) << "a persistent change has no owner";
    state.owner = 2'000'000'000;  // no process has this id
    state.owner_start = "1";
    file.write(state);

    ClockController after = controller();
    EXPECT_FALSE(after.recovered().empty());
    EXPECT_EQ(in_force(after), before);
    EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST_P(Contract, PersistentChangesAreRestoredToTheOriginalState) {
    std::optional<Hertz> before;
    {
        ClockController clocks = controller(default_profiles(), true);
        before = in_force(clocks);
        ASSERT_TRUE(clocks.apply("p25").ok());
    }
    {
        ClockController clocks = controller(default_profiles(), true);
        EXPECT_TRUE(clocks.recovered().empty());
        EXPECT_NE(in_force(clocks), before);
        ASSERT_TRUE(clocks.apply("p75").ok());
    }
    ClockController clocks = controller(default_profiles(), true);
    EXPECT_TRUE(clocks.restore().ok());
    EXPECT_EQ(in_force(clocks), before);
}

TEST_P(Contract, ReportsARejectionWithAdviceAndChangesNothing) {
    reject_changes();
    {
        ClockController clocks = controller();
        const auto before = in_force(clocks);
        const ApplyResult result = clocks.apply("p50");
        EXPECT_EQ(result.status, ApplyStatus::needs_privilege);
        EXPECT_EQ(result.where.rfind(board() ? board()->node : "nvmlDeviceSetGpuLockedClocks", 0), 0U) << result.where;
        EXPECT_NE(result.advice.text().find("sudo throng clocks"), std::string::npos) << result.advice;
        EXPECT_EQ(in_force(clocks), before);
        EXPECT_TRUE(files_->written().empty());
    }
    EXPECT_FALSE(std::filesystem::exists(ClockStateFile(scratch_.path()).path()));
    EXPECT_TRUE(controller().recovered().empty());
}

TEST_P(Contract, ChangesNothingIfTheFolderOfTheStateLeadsElsewhere) {
    namespace fs = std::filesystem;
    const fs::path shared = scratch_.path() / "run";
    fs::create_directories(shared);
    fs::create_directories(scratch_.path() / "victim");
    fs::create_directory_symlink(scratch_.path() / "victim", shared / "throng");
    const char* temporary = std::getenv("TMPDIR");
    const std::string earlier = temporary != nullptr ? temporary : "/tmp";
    ::setenv("TMPDIR", shared.c_str(), 1);
    {
        ClockController clocks = controller();
        const auto before = in_force(clocks);
        EXPECT_THROW(static_cast<void>(clocks.apply("p50")), Error);
        EXPECT_EQ(in_force(clocks), before);
    }
    EXPECT_TRUE(fs::is_empty(scratch_.path() / "victim"));
    ::setenv("TMPDIR", earlier.c_str(), 1);
}

TEST_P(Contract, ChangesNothingIfTheStateCannotBeSaved) {
    ClockController clocks = controller();
    const auto before = in_force(clocks);
    std::filesystem::create_directories(ClockStateFile(scratch_.path()).path());
    EXPECT_THROW(static_cast<void>(clocks.apply("p50")), Error);
    EXPECT_EQ(in_force(clocks), before);
}

TEST_P(Contract, RejectsAClockThatIsNotAStep) {
    std::vector<ClockProfile> profiles = default_profiles();
    ClockProfile odd;
    odd.id = "odd";
    odd.gpu = Fixed{123'456'789};
    profiles.push_back(odd);
    ClockController clocks = controller(profiles);
    const auto before = in_force(clocks);
    EXPECT_EQ(clocks.apply("odd").status, ApplyStatus::rejected);
    EXPECT_TRUE(files_->written().empty());
    EXPECT_EQ(in_force(clocks), before);
}

TEST_P(Contract, ChangesNothingWhileAnotherProgramControlsTheClocks) {
    ClockController clocks = controller();
    const auto before = in_force(clocks);
    // A running program: the parent process.
    ClockState state;
    state.owner = ::getppid();
    state.owner_start = process_start(state.owner);
    state.gpu_kind = clocks.kind();
    if (state.owner_start.empty()) GTEST_SKIP() << "skipped: /proc does not show the parent process";
    ClockStateFile(scratch_.path()).write(state);
    const ApplyResult result = clocks.apply("p50");
    EXPECT_EQ(result.status, ApplyStatus::rejected);
    EXPECT_NE(result.reason.text().find(std::to_string(state.owner)), std::string::npos) << result.reason;
    EXPECT_EQ(clocks.restore().status, ApplyStatus::rejected);
    EXPECT_EQ(in_force(clocks), before);
}

std::vector<Machine> machines() {
    std::vector<Machine> all;
    for (const FakeBoard& board : test::fake_boards())
        all.push_back({board.soc + "_" + std::to_string(all.size()), &board});
    all.push_back({"nvml", nullptr});
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, Contract, ::testing::ValuesIn(machines()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace throng
