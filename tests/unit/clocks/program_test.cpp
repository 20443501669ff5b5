// The program on simulated boards: killed between change and restore, two at once, rejected changes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/clocks/clock_state.h"
#include "tests/support/board_folder.h"
#include "tests/support/eventually.h"
#include "tests/support/program/program.h"
#include "tests/unit/clocks/nvml_rig.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::eventually;
using test::FakeBoard;

struct Outcome {
    int status = -1;  // 128 + signal for a killed one
    std::string out;  // standard output and standard error
};

class Program {
public:
    explicit Program(std::vector<std::string> arguments) {
        out_ = scratch_.path() / "out";
        arguments.insert(arguments.begin(), test::program_path());
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        process_ = ::fork();
        if (process_ == 0) {
            const int file = ::open(out_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
            ::dup2(file, STDOUT_FILENO);
            ::dup2(file, STDERR_FILENO);
            ::execv(argv.front(), argv.data());
            ::_exit(127);
        }
    }
    ~Program() {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            wait();
        }
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void kill(int signal) const { ::kill(process_, signal); }
    [[nodiscard]] int id() const { return process_; }
    Outcome wait() {
        int status = 0;
        ::waitpid(process_, &status, 0);
        process_ = -1;
        std::ifstream file(out_);
        Outcome outcome;
        outcome.out.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return outcome;
    }

private:
    test::ScratchDir scratch_;
    fs::path out_;
    pid_t process_ = -1;
};

Outcome run(std::vector<std::string> arguments) {
    return Program(std::move(arguments)).wait();
}

// Arguments of a run that applies a profile until it is ended: the crowd source is endless.
std::vector<std::string> holding(const std::string& profile, const fs::path& root) {
    return {"detect", "crowd:faces=1,size=320x240", "--backend", "cpu", "--clocks", profile, "--root", root.string(),
            "--quiet"};
}

class ProgramOnABoard : public ::testing::TestWithParam<FakeBoard> {
protected:
    void SetUp() override { test::build_board_folder(GetParam(), root()); }
    [[nodiscard]] const fs::path& root() const { return scratch_.path(); }
    [[nodiscard]] bool tk1() const { return GetParam().soc == "tegra124"; }
    // The attribute that shows a change: the override state on the TK1, the maximum clock on others.
    [[nodiscard]] std::string in_force() const {
        return test::attribute(root(), tk1() ? GetParam().node + "state" : GetParam().node + "/max_freq");
    }
    // The file is empty for a moment while it is written.
    [[nodiscard]] bool has_changed_from(const std::string& before) const {
        const std::string now = in_force();
        return !now.empty() && now != before;
    }
    // Runs `throng clocks` in this process, or in its own.
    Outcome clocks(std::vector<std::string> arguments, const test::ProgramOptions& options = {}) {
        arguments.insert(arguments.begin(), "clocks");
        arguments.insert(arguments.end(), {"--root", root().string()});
        const test::ProgramResult result = test::run_program(arguments, options);
        return {result.status, result.out + result.err};
    }
    test::ScratchDir scratch_;
};

TEST_P(ProgramOnABoard, ShowListSetAndRestore) {
    const std::string before = in_force();
    Outcome outcome = clocks({"show"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find(GetParam().name), std::string::npos) << outcome.out;
    outcome = clocks({"list"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("maximum"), std::string::npos);
    outcome = clocks({"set", "minimum"}, test::own_process());
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    EXPECT_NE(in_force(), before);
    EXPECT_EQ(clocks({"show"}, test::own_process()).status, 0);
    EXPECT_NE(in_force(), before) << "a persistent change outlives other starts";
    EXPECT_EQ(clocks({"restore"}).status, 0);
    EXPECT_EQ(in_force(), before);
}

TEST_P(ProgramOnABoard, NextStartRestoresAfterAKill) {
    const std::string before = in_force();
    Program program(holding("minimum", root()));
    ASSERT_TRUE(eventually([&] { return has_changed_from(before); }));
    program.kill(SIGKILL);
    EXPECT_EQ(program.wait().status, 128 + SIGKILL);
    EXPECT_NE(in_force(), before) << "a killed program does not restore";
    const Outcome next = clocks({"show"});
    EXPECT_NE(next.out.find("restored the clocks"), std::string::npos) << next.out;
    EXPECT_EQ(in_force(), before);
}

TEST_P(ProgramOnABoard, RestoresWhenInterrupted) {
    const std::string before = in_force();
    Program program(holding("minimum", root()));
    ASSERT_TRUE(eventually([&] { return has_changed_from(before); }));
    program.kill(SIGINT);
    EXPECT_EQ(program.wait().status, 130);
    EXPECT_EQ(in_force(), before);
}

TEST_P(ProgramOnABoard, OnlyOneProgramControlsTheClocks) {
    const std::string before = in_force();
    Program first(holding("minimum", root()));
    ASSERT_TRUE(eventually([&] { return has_changed_from(before); }));
    const std::string held = in_force();
    const Outcome second = clocks({"set", "maximum"});
    EXPECT_EQ(second.status, 4);
    EXPECT_NE(second.out.find("process " + std::to_string(first.id())), std::string::npos) << second.out;
    EXPECT_EQ(in_force(), held);
    EXPECT_EQ(clocks({"restore"}).status, 4);
    first.kill(SIGTERM);
    first.wait();
    EXPECT_EQ(in_force(), before);
}

TEST_P(ProgramOnABoard, RestoresTheOriginalStateAfterConcurrentChanges) {
    const std::string before = in_force();
    std::vector<std::unique_ptr<Program>> programs;
    for (const char* id : {"minimum", "p25", "p50", "maximum"}) {
        programs.push_back(
            std::make_unique<Program>(std::vector<std::string>{"clocks", "set", id, "--root", root().string()}));
    }
    int applied = 0;
    for (const auto& program : programs) applied += program->wait().status == 0 ? 1 : 0;
    EXPECT_GE(applied, 1);
    EXPECT_EQ(clocks({"restore"}).status, 0);
    EXPECT_EQ(in_force(), before);
}

TEST_P(ProgramOnABoard, ToleratesInvalidFileContents) {
    const std::string folder = tk1() ? "/sys/kernel/debug/clock/gbus/" : GetParam().node + "/";
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(root() / fs::path(folder + name).relative_path(), std::ios::binary | std::ios::trunc) << text;
    };
    for (const std::string& text :
         {std::string(), std::string("\xff\0\x01\n", 4), std::string(300'000, '7'), std::string("-1 0 zero")}) {
        for (const char* name : {"available_frequencies", "cur_freq", "min_freq", "max_freq", "governor", "rate"})
            write(name, text);
        EXPECT_EQ(clocks({"show"}).status, 0);
        EXPECT_EQ(clocks({"list"}).status, 0);
        EXPECT_LE(clocks({"set", "p50"}).status, 4);
    }
}

INSTANTIATE_TEST_SUITE_P(All, ProgramOnABoard,
                         ::testing::Values(test::fake_boards().front(), test::fake_boards()[5],
                                           test::fake_boards().back()),
                         [](const auto& instance) { return instance.param.soc; });

TEST(ProgramOnABoard, ReportsTheBoardWithoutTheNamesOfFolders) {
    test::ScratchDir scratch;
    test::build_board_folder(test::fake_boards().back(), scratch.path() / "root");
    const fs::path home = scratch.path() / "home" / "somebody";
    fs::create_directories(home / ".local/share/throng/models");
    std::ofstream(home / ".local/share/throng/models/haarcascade_mine.xml") << "<opencv_storage/>";
    const fs::path file = scratch.path() / "report.txt";
    const test::ProgramResult result =
        test::run_program({"info", "--root", (scratch.path() / "root").string(), "--report", file.string()},
                          test::own_process({"HOME=" + home.string(), "XDG_DATA_HOME="}));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find(file.string()), std::string::npos) << result.out;
    const std::string report = test::contents(file);
    for (const char* part : {"tegra264", "gpu-gpc-0", "no name, has cur_freq", "bwmgr", "libnvidia-ml.so.1", "software",
                             "~/.local/share/throng/models/haarcascade_mine.xml"}) {
        EXPECT_NE(report.find(part), std::string::npos) << part << " is missing in " << report;
    }
    EXPECT_EQ(report.find("somebody"), std::string::npos) << report;
}

TEST(ProgramOnNvml, NextStartRestoresAfterAKill) {
    test::NvmlRig rig(TH_FAKE_NVML);
    Program program(holding("p50", rig.root()));
    ASSERT_TRUE(eventually([&] { return rig.locked_max().has_value(); }));
    EXPECT_EQ(rig.locked_max(), 990'000'000);
    program.kill(SIGKILL);
    program.wait();
    EXPECT_TRUE(rig.locked_max().has_value());
    const Outcome next = run({"clocks", "show", "--root", rig.root().string()});
    EXPECT_NE(next.out.find("restored the clocks"), std::string::npos) << next.out;
    EXPECT_FALSE(rig.locked_max().has_value());
}

TEST(ProgramOnNvml, ReportsARejectedCallWithAdvice) {
    test::NvmlRig rig(TH_FAKE_NVML);
    rig.set("reject", 1);
    const Outcome outcome = run({"clocks", "set", "p50", "--root", rig.root().string()});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_NE(outcome.out.find("nvmlDeviceSetGpuLockedClocks"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("sudo throng clocks set"), std::string::npos) << outcome.out;
}

TEST(ProgramWithProfiles, ReportsErrorsInTheFile) {
    test::ScratchDir scratch;
    test::build_board_folder(test::fake_boards()[5], scratch.path());
    const auto with = [&](const std::string& toml) {
        const fs::path file = scratch.path() / "mine.toml";
        std::ofstream(file) << toml;
        return run({"clocks", "set", "mine", "--root", scratch.path().string(), "--profiles", file.string()});
    };
    EXPECT_EQ(with("[[profile]]\nid='mine'\ngpu='612 MHz'\n").status, 0);
    Outcome outcome = with("[[profile]]\nid='mine'\ngpu='612 MHz'\nfan=3\n");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.out.find("mine.toml:4: fan"), std::string::npos) << outcome.out;
    outcome = with("[[profile]]\nid='mine'\ngpu='613 MHz'\n");
    EXPECT_EQ(outcome.status, 4);
    EXPECT_NE(outcome.out.find("not a clock step"), std::string::npos) << outcome.out;
    EXPECT_EQ(run({"clocks", "list", "--profiles", (scratch.path() / "none.toml").string()}).status, 3);
}

TEST(ProgramWithTelemetry, WritesTimeAndEnergyPerFrame) {
    test::NvmlRig rig(TH_FAKE_NVML);
    const fs::path csv = rig.root() / "board.csv";
    const Outcome outcome = run({"detect", "crowd:faces=1,size=160x120,frames=60,fps=1000", "--backend", "cpu",
                                 "--root", rig.root().string(), "--telemetry", csv.string(), "--quiet"});
    ASSERT_EQ(outcome.status, 0) << outcome.out;
    std::ifstream file(csv);
    std::string header, line, last;
    std::getline(file, header);
    EXPECT_EQ(header.rfind("time,gpu_hz,cpu_hz,memory_hz,gpu_load", 0), 0U);
    EXPECT_NE(header.find("frame_us,joules_per_frame"), std::string::npos);
    while (std::getline(file, line)) last = line;
    EXPECT_NE(last.find("123.456"), std::string::npos) << last;
}

}  // namespace
}  // namespace throng
