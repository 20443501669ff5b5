// Runs over small text files: every input once, in any number of shards and workers, whatever kills the run.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <thread>
#include <utility>

#include "core/archive/work_queue.h"
#include "core/base/sha256.h"
#include "tests/support/bytes_read.h"
#include "tests/support/eventually.h"
#include "tests/unit/archive/archive_runs.h"

namespace throng {
namespace {

TEST_F(ArchiveRuns, ProcessEveryInputOnceInAnyNumberOfShards) {
    make_inputs(40);
    for (int index = 1; index <= 4; ++index) {
        ArchiveOptions part = options();
        part.shard = {index, 4};
        const ArchiveProgress progress = run(part);
        EXPECT_EQ(progress.finished, progress.inputs);
        EXPECT_EQ(progress.finished_bytes, progress.bytes);
    }
    EXPECT_EQ(processed_, 40);
    expect_all_results();
    EXPECT_TRUE(ArchiveMerge({file("out")}).problems().empty());
    // A resumed run with another number of shards finds the results of all of them.
    ArchiveOptions again = options();
    again.resume = true;
    EXPECT_EQ(run(again).skipped, 40U);
    EXPECT_EQ(processed_, 40);
}

TEST_F(ArchiveRuns, ContinueOnlyWithResume) {
    make_inputs(3);
    run(options());
    EXPECT_EQ(kind_of([&] { run(options()); }), ErrorKind::usage);
}

TEST_F(ArchiveRuns, CountWhatTheyDo) {
    make_inputs_of_each_end();
    ArchiveOptions part = options();
    part.resume = true;
    for (const bool again : {false, true}) {
        const ArchiveProgress progress = run(part);
        EXPECT_EQ(progress.inputs, 4U);
        EXPECT_EQ(progress.finished, 4U);
        EXPECT_EQ(progress.skipped, again ? 3U : 0U);
        EXPECT_EQ(progress.incomplete, 1U);
        EXPECT_EQ(progress.failed, 1U);
        EXPECT_EQ(progress.frames, again ? 0U : 3U);
        EXPECT_EQ(progress.faces, again ? 0U : 14U) << "one a letter of what did not fail";
        EXPECT_EQ(progress.bytes, 17U);
        EXPECT_EQ(progress.finished_bytes, 17U);
    }
}

TEST_F(ArchiveRuns, ShardsTakeOverWhatOthersFoundOutAboutFiles) {
    make_inputs(5);
    ArchiveOptions part = options();
    part.segment = 1;
    int looked_at = 0;
    part.divide = [&](const WorkItem& item, const std::stop_token&) {
        ++looked_at;
        return Division{static_cast<int>(item.size), ""};
    };
    for (const int index : {1, 2}) {
        part.shard = {index, 2};
        std::vector<WorkItem> items = list();
        divide_list(items, part, {});
        EXPECT_EQ(looked_at, 5) << "shard " << index;
        for (const WorkItem& item : items) EXPECT_EQ(item.split ? item.split->parts : 1, static_cast<int>(item.size));
    }
}

TEST_F(ArchiveRuns, RepeatWhatChanged) {
    make_inputs(6);
    run(options());
    ArchiveOptions again = options();
    again.resume = true;
    write_text(file("in/0/0.txt"), "other");
    fs::remove(file("out") / (list()[1].name + ".jsonl"));
    EXPECT_EQ(run(again).skipped, 4U);
    again.settings = R"({"theta": "0.6"})";
    EXPECT_EQ(run(again).skipped, 0U);
    again.version = "2";
    EXPECT_EQ(run(again).skipped, 0U);
    EXPECT_TRUE(ArchiveMerge({file("out")}).problems().empty()) << "the last line of an input counts";
}

// Outputs of the same size, as those of uncompressed images are.
TEST_F(ArchiveRuns, RepeatWhatOtherSettingsReplaced) {
    make_inputs(4);
    ArchiveOptions part = options();
    part.resume = true;
    const auto with_settings = [&](const std::string& settings) {
        part.settings = settings;
        part.files.make_worker = [settings](int, int) -> ProcessInput {
            return [settings](const WorkItem&, const auto& outputs, const auto&, const auto&) {
                write_text(outputs.at(0), settings);
                return InputResult{1, 0, "cpu", ""};
            };
        };
        return run(part).skipped;
    };
    EXPECT_EQ(with_settings("1"), 0U);
    EXPECT_EQ(with_settings("1"), 4U);
    EXPECT_EQ(with_settings("2"), 0U);
    EXPECT_EQ(with_settings("1"), 0U);
    for (const WorkItem& item : list()) EXPECT_EQ(bytes_of(file("out") / (item.name + ".jsonl")), "1");
    EXPECT_TRUE(ArchiveMerge({file("out")}).problems().empty());
    // Equal outputs of other settings: the newest record counts, as it does in a merge.
    part.settings = "2";
    run(part);
    part.settings = "1";
    EXPECT_EQ(run(part).skipped, 0U);
    EXPECT_TRUE(ArchiveMerge({file("out")}).problems().empty());
}

TEST_F(ArchiveRuns, AnInputIsAllFilesThatItNames) {
    make_inputs(3);
    write_text(file("named"), "a");
    ArchiveOptions again = options();
    again.resume = true;
    again.files_of = [&](const WorkItem& item) {
        return item.name == list()[0].name ? std::vector<std::string>{item.path, file("named"), file("missing")}
                                           : std::vector<std::string>{item.path};
    };
    EXPECT_EQ(run(again).skipped, 0U);
    EXPECT_EQ(run(again).skipped, 3U);
    for (const char* name : {"named", "missing"}) {
        write_text(file(name), "b");
        EXPECT_EQ(run(again).skipped, 2U) << name;
        EXPECT_EQ(run(again).skipped, 3U) << name;
    }
    // A change while the input is read.
    again.settings = "other";
    again.files.make_worker = [&, make = options().files.make_worker](int worker, int workers) -> ProcessInput {
        return [&, process = make(worker, workers)](const auto& item, const auto& outputs, const auto& add,
                                                    const auto& stop) {
            if (item.name == list()[0].name) write_text(file("named"), "longer");
            return process(item, outputs, add, stop);
        };
    };
    const ArchiveProgress changed = run(again);
    EXPECT_EQ(changed.failed, 1U);
    EXPECT_EQ(changed.finished, 3U);
}

// Kills runs after a random number of inputs, then lets one end by itself.
TEST_F(ArchiveRuns, SurviveSigkillAtAnyTime) {
    make_inputs(120);
    test::Integers integer(2703);
    ArchiveOptions part = options();
    part.resume = true;
    constexpr int kKills = 6;
    for (int run = 0; run <= kKills; ++run) {
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ArchiveOptions reporting = part;
            reporting.files.workers = [](std::size_t) { return 2; };
            reporting.files.make_worker = [make = part.files.make_worker, report = ends[1]](
                                              int worker, int workers) -> ProcessInput {
                return [process = make(worker, workers), report](const auto& item, const auto& outputs, const auto& add,
                                                                 const auto& stop) {
                    if (::write(report, ".", 1) != 1) ::_exit(1);
                    return process(item, outputs, add, stop);
                };
            };
            run_archive(list(), reporting, {});
            ::_exit(0);
        }
        ::close(ends[1]);
        char begun = 0;
        for (std::int64_t left = integer(1, 15); run < kKills && left > 0 && ::read(ends[0], &begun, 1) == 1; --left) {
        }
        // Within or between the steps of an input.
        if (run < kKills) ::usleep(static_cast<useconds_t>(integer(0, 2000)));
        if (run < kKills) ::kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ::close(ends[0]);
        EXPECT_TRUE(run < kKills || WIFEXITED(status));
    }
    expect_all_results();
    EXPECT_TRUE(ArchiveMerge({file("out")}).problems().empty());
}

TEST_F(ArchiveRuns, HashAFileOnceForAllWorkers) {
    if (test::bytes_read_so_far() == 0) GTEST_SKIP() << "skipped: no /proc/self/io";
    constexpr std::uintmax_t kSize = std::uintmax_t{64} << 20U;
    write_text(file("large"), "x");
    fs::resize_file(file("large"), kSize);
    const std::string expected = sha256_of(file("large"));
    FileHashes hashes;
    const std::uint64_t before = test::bytes_read_so_far();
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] { EXPECT_EQ(hashes.of(file("large").string(), {}), expected); });
        }
    }
    EXPECT_LT(test::bytes_read_so_far() - before, kSize + kSize / 2);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(hashes.of(file("large").string(), {}), expected);
    write_text(file("large"), "other");
    EXPECT_EQ(kind_of([&] { static_cast<void>(hashes.of(file("large").string(), stop.get_token())); }),
              ErrorKind::interrupted);
    EXPECT_EQ(hashes.of(file("large").string(), {}), sha256_of(file("large")));
}

TEST_F(ArchiveRuns, UseEveryWorker) {
    make_inputs(64);
    ArchiveOptions part = options();
    part.files.workers = [](std::size_t) { return 6; };
    std::atomic<int> begun = 0;
    const auto make = part.files.make_worker;
    part.files.make_worker = [&](int worker, int workers) -> ProcessInput {
        // The first input of a worker waits for those of the others.
        return [&, first = true, process = make(worker, workers)](const auto& item, const auto& outputs,
                                                                  const auto& add, const auto& stop) mutable {
            if (std::exchange(first, false)) {
                ++begun;
                EXPECT_TRUE(test::eventually([&] { return begun == 6; }));
            }
            return process(item, outputs, add, stop);
        };
    };
    run(part);
    EXPECT_EQ(begun, 6);
    expect_all_results();
}

}  // namespace
}  // namespace throng
