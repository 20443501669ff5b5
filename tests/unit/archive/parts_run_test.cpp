// Runs that divide inputs into parts: each character of a text is a part.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cctype>
#include <csignal>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/log.h"
#include "core/base/output_file.h"
#include "tests/unit/archive/archive_runs.h"

namespace throng {
namespace {

// Collects what is warned of while it exists.
class Warnings {
public:
    Warnings() {
        write_log_to([this](auto, std::string_view line) { lines_ += std::string(line) + "\n"; }, spdlog::level::warn);
    }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;
    ~Warnings() { write_log_to(nullptr, spdlog::level::off); }
    [[nodiscard]] bool contain(const std::string& text) const { return lines_.find(text) != std::string::npos; }

private:
    std::string lines_;
};

class PartsRun : public ArchiveRuns, public ::testing::WithParamInterface<bool> {
protected:
    static std::string upper(char c) { return {static_cast<char>(std::toupper(static_cast<unsigned char>(c)))}; }

    // A part holds its character in upper case, an encoded part that of its part twice; the result has all of them.
    [[nodiscard]] ArchiveOptions divided(bool encodes = GetParam()) {
        ArchiveOptions options = this->options();
        options.segment = 1;
        options.files.workers = [](std::size_t items) { return static_cast<int>(std::min<std::size_t>(items, 3)); };
        options.divide = [](const WorkItem& item, const std::stop_token&) {
            const auto size = static_cast<int>(item.size);
            return size > 1 ? Division{size, ""} : Division{1, "it is short"};
        };
        options.encoded_parts = options.parts = options.files;
        options.parts.make_worker = [this](int, int) -> ProcessInput {
            return [this](const WorkItem& item, const auto& outputs, const auto& add_frames, const auto&) {
                ++parts_done_;
                if (on_part_) on_part_(item);
                add_frames(1);
                write_text(outputs.at(0), upper(bytes_of(item.path).at(static_cast<std::size_t>(item.part - 1))));
                return InputResult{1, 0, "cpu", item.path.ends_with(incomplete_) ? "is cut" : ""};
            };
        };
        options.encoded_parts.make_worker = {};
        if (encodes) {
            options.encoded_parts.make_worker = [this](int, int) -> ProcessInput {
                return [this](const WorkItem& item, const auto& outputs, const auto&, const auto&) {
                    if (on_encode_) on_encode_(item);
                    SplitVideo found = *item.split;
                    found.detections.clear();
                    const std::string text = bytes_of(found.file_of(item.part));
                    write_text(outputs.at(0), text + text);
                    return InputResult{1, 0, "cpu", ""};
                };
            };
        }
        options.files.make_worker = [this](int, int) -> ProcessInput {
            return [this](const WorkItem& item, const auto& outputs, const auto&, const auto&) {
                ++processed_;
                std::string text = bytes_of(item.path);
                if (item.split) {
                    text.clear();
                    for (const fs::path& part : item.split->files()) text += bytes_of(part);
                    joined_ += 1;
                }
                write_text(outputs.at(0), text);
                return InputResult{1, 0, "cpu", ""};
            };
        };
        return options;
    }
    // Expects the result of each input once, and no parts.
    void expect_joined(bool encodes = GetParam()) const {
        for (const WorkItem& item : list()) {
            std::string expected;
            const std::string text = bytes_of(item.path);
            for (const char c : text) expected += encodes ? upper(c) + upper(c) : upper(c);
            EXPECT_EQ(bytes_of(file("out") / (item.name + ".jsonl")), text.size() > 1 ? expected : text) << item.name;
        }
        std::map<std::string, int> records;
        read_manifests(file("out"), [&](const fs::path&, ManifestEntry&& entry) {
            if (entry.status != InputStatus::failed) ++records[entry.input];
        });
        EXPECT_EQ(records.size(), list().size());
        for (const auto& [name, count] : records) EXPECT_EQ(count, 1) << name;
        for (const auto& entry : fs::recursive_directory_iterator(parts_folder(file("out")))) {
            const std::string extension = entry.path().extension().string();
            EXPECT_FALSE(extension == ".part" || entry.path().filename().string().find("-of-0") != std::string::npos)
                << entry.path();
        }
    }

    std::atomic<int> parts_done_ = 0;
    std::atomic<int> joined_ = 0;
    std::string incomplete_ = "no such file";
    std::function<void(const WorkItem&)> on_part_, on_encode_;
};

TEST_P(PartsRun, ShardsInAnyOrderAddUp) {
    make_inputs(20);
    test::Integers integer(2801);
    ArchiveOptions part = divided();
    part.shard.count = 4;
    std::vector<int> order = {1, 2, 3, 4};
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(i) - 1))]);
    }
    for (const int index : order) {
        part.shard.index = index;
        const ArchiveProgress files = run(part);
        EXPECT_EQ(files.finished, files.inputs);
        EXPECT_EQ(files.failed, 0U);
    }
    expect_joined();
    int characters = 0;
    for (const WorkItem& item : list()) characters += item.size > 1 ? static_cast<int>(item.size) : 0;
    EXPECT_EQ(parts_done_, characters);
    EXPECT_TRUE(ArchiveMerge({file("out")}).problems().empty());
    part.resume = true;
    for (const int index : order) {
        part.shard.index = index;
        const ArchiveProgress files = run(part);
        EXPECT_EQ(files.skipped, files.inputs);
    }
    EXPECT_EQ(parts_done_, characters) << "a part of a joined video was processed again";
    expect_joined();
}

// Shards at the same time: each piece of work is done by one of them.
TEST_P(PartsRun, ConcurrentShardsDivideTheWork) {
    make_inputs(20);
    std::mutex mutex;
    std::multiset<std::string> encoded;
    on_encode_ = [&](const WorkItem& item) {
        const std::lock_guard lock(mutex);
        encoded.insert(item.name);
    };
    {
        std::vector<std::jthread> shards;
        for (const int index : {1, 2, 3}) {
            shards.emplace_back([&, index] {
                ArchiveOptions part = divided();
                part.shard = {index, 3};
                const ArchiveTotals totals = run_archive(list(), part, {});
                EXPECT_EQ(files_of(totals).failed, 0U);
            });
        }
    }
    expect_joined();
    EXPECT_EQ(std::set<std::string>(encoded.begin(), encoded.end()).size(), encoded.size());
}

// SIGKILL at a random time within parts, encoding and joining, of several shards at once.
TEST_P(PartsRun, SurviveSigkillAtAnyTime) {
    make_inputs(40);
    test::Integers integer(2802);
    constexpr int kShards = 2;
    constexpr int kKills = 5;
    for (int round = 0; round <= kKills; ++round) {
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        std::vector<pid_t> children;
        for (int index = 1; index <= kShards; ++index) {
            const pid_t child = ::fork();
            if (child == 0) {
                on_part_ = on_encode_ = [&](const WorkItem&) {
                    if (::write(ends[1], ".", 1) != 1) ::_exit(1);
                };
                ArchiveOptions part = divided();
                part.shard = {index, kShards};
                part.resume = true;
                run_archive(list(), part, {});
                ::_exit(0);
            }
            children.push_back(child);
        }
        ::close(ends[1]);
        char begun = 0;
        for (std::int64_t left = integer(1, 60); round < kKills && left > 0 && ::read(ends[0], &begun, 1) == 1;
             --left) {
        }
        if (round < kKills) ::usleep(static_cast<useconds_t>(integer(0, 2000)));
        for (const pid_t child : children) {
            if (round < kKills) ::kill(child, SIGKILL);
        }
        for (const pid_t child : children) {
            int status = 0;
            ASSERT_EQ(::waitpid(child, &status, 0), child);
            EXPECT_TRUE(round < kKills || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
        }
        ::close(ends[0]);
    }
    expect_joined();
    EXPECT_TRUE(ArchiveMerge({file("out")}).problems().empty());
}

TEST_P(PartsRun, AClaimIsHeldUntilTheRecordIsOnDisk) {
    make_inputs(12);
    std::atomic<int> early = 0;
    std::atomic<bool> over = false;
    // Another process that looks for work that nobody has.
    std::jthread other([&] {
        while (!over) {
            if (!fs::exists(parts_folder(file("out")) / "locks")) continue;
            WorkClaims claims(parts_folder(file("out")));
            for (const WorkItem& item : list()) {
                const std::string output = item.name + ".jsonl";
                const std::string folder = SplitVideo{item.name, 1, 2, {}}.subfolder();
                if (!fs::exists(file("out") / output) || !claims.claim(folder)) continue;
                bool recorded = item.size == 1;
                read_manifests(file("out"), [&](const fs::path&, ManifestEntry&& entry) {
                    recorded = recorded || entry.input == item.name;
                });
                early += recorded ? 0 : 1;
            }
        }
    });
    run(divided());
    over = true;
    other.join();
    EXPECT_EQ(early, 0);
}

TEST_P(PartsRun, AnInputWithAnIncompletePartIsProcessedAsAWhole) {
    make_inputs(8);
    incomplete_ = "/3.txt";
    const Warnings warnings;
    EXPECT_EQ(run(divided()).failed, 0U);
    EXPECT_FALSE(warnings.contain("waiting for parts"));
    EXPECT_EQ(joined_, 5);
    EXPECT_EQ(bytes_of(file("out") / mirrored("in/0/3.txt.jsonl")), bytes_of(file("in/0/3.txt")));
}

// The input changes between its parts and their encoding: nobody encodes or joins them, and nobody waits for ever.
TEST_P(PartsRun, AnInputThatChangesBetweenItsPartsFails) {
    make_inputs(8);
    ArchiveOptions part = divided();
    part.shard = {1, 2};
    {
        const Warnings warnings;
        run(part);
        EXPECT_TRUE(warnings.contain("videos are waiting for segments"));
    }
    write_text(file("in/0/6.txt"), "changed");
    part.shard = {2, 2};
    EXPECT_EQ(run(part).failed, 1U);
    EXPECT_FALSE(fs::exists(file("out") / mirrored("in/0/6.txt.jsonl")));
    part.resume = true;
    for (const int index : {1, 2}) {
        part.shard.index = index;
        EXPECT_EQ(run(part).failed, 0U) << index;
    }
    EXPECT_EQ(bytes_of(file("out") / mirrored("in/0/6.txt.jsonl")), GetParam() ? "CCHHAANNGGEEDD" : "CHANGED");
}

// A result of a part that is damaged on the disk is no result.
TEST_P(PartsRun, ADamagedPartIsNotJoined) {
    make_inputs(7);
    const SplitVideo video{mirrored("in/0/6.txt"), 1, 7, parts_folder(file("out"))};
    ArchiveOptions part = divided();
    part.shard = {1, 2};
    run(part);
    int damaged = 0;
    for (int number = 1; number <= 7; ++number) {
        if (!fs::exists(video.file_of(number))) continue;
        write_text(video.file_of(number), "?");
        ++damaged;
    }
    ASSERT_GT(damaged, 0);
    part.shard = {2, 2};
    EXPECT_EQ(run(part).failed, 1U);
    EXPECT_FALSE(fs::exists(file("out") / (video.name + ".jsonl")));
    part.resume = true;
    for (const int index : {1, 2}) {
        part.shard.index = index;
        run(part);
    }
    expect_joined();
}

// No descriptor per input or part stays open.
TEST_P(PartsRun, AnyNumberOfInputsNeedsFewOpenFiles) {
    make_inputs(90);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit few{40, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    const ArchiveProgress files = run(divided());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(files.failed, 0U);
    expect_joined();
}

// The disk is full while parts join: the run ends, and the next one makes no recorded part again.
TEST_P(PartsRun, JoinsAfterAFullDisk) {
    make_inputs(6);
    fs::remove(file("in/0/0.txt"));  // is not divided
    ArchiveOptions full = divided();
    full.files.make_worker = [](int, int) -> ProcessInput {
        return [](const auto&, const auto& outputs, const auto&, const auto&) -> InputResult {
            throw DiskError(ErrorKind::input, "no space left", outputs.at(0));
        };
    };
    EXPECT_EQ(kind_of([&] { run(full); }), ErrorKind::input);
    const int done = parts_done_;
    ArchiveOptions again = divided();
    again.resume = true;
    EXPECT_EQ(run(again).failed, 0U);
    EXPECT_LE(parts_done_, done + 3) << "those in progress, of three workers";
    expect_joined();
}

// A stop while the first parts are processed: what is recorded remains, and the next run goes on.
TEST_P(PartsRun, StopsAndResumes) {
    make_inputs(20);
    std::stop_source stop;
    on_part_ = [&](const WorkItem&) {
        if (parts_done_ == 10) stop.request_stop();
    };
    run_archive(list(), divided(), stop.get_token());
    on_part_ = {};
    ArchiveOptions again = divided();
    again.resume = true;
    EXPECT_EQ(run(again).failed, 0U);
    expect_joined();
}

INSTANTIATE_TEST_SUITE_P(Encoding, PartsRun, ::testing::Bool());

}  // namespace
}  // namespace throng
