// Runs over small text files that cannot be read or written: what fails, what goes on, and what a stop leaves.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "tests/unit/archive/archive_runs.h"

namespace throng {
namespace {

TEST_F(ArchiveRuns, RecordDamagedInputsAndGoOn) {
    make_inputs(5);
    write_text(file("in/bad.txt"), "bad");
    write_text(file("in/cut.txt"), "cut");
    write_text(file("in/huge.txt"), "huge");
    write_text(file("in/odd.txt"), "odd");
    fs::create_symlink("nowhere", file("in/link.txt"));
    const ArchiveProgress progress = run(options());
    EXPECT_EQ(progress.finished, 10U);
    EXPECT_EQ(progress.failed, 4U);
    EXPECT_EQ(progress.incomplete, 1U);
    const ArchiveMerge merge({file("out")});
    EXPECT_TRUE(merge.problems().empty());
    std::map<std::string, std::string> errors;
    for (const ManifestEntry& entry : merge.failures()) errors[fs::path(entry.input).filename()] = entry.error;
    EXPECT_EQ(errors, (std::map<std::string, std::string>{{"bad.txt", "is bad"},
                                                          {"cut.txt", "is cut"},
                                                          {"huge.txt", "not enough memory"},
                                                          {"link.txt", "broken link: No such file or directory"},
                                                          {"odd.txt", "of a library"}}));
    // Failed inputs are tried again. A result that no longer belongs to its input is removed.
    ArchiveOptions again = options();
    again.resume = true;
    write_text(file("in/bad.txt"), "good");
    write_text(file("in/0/0.txt"), "bad");
    const ArchiveProgress second = run(again);
    EXPECT_EQ(second.skipped, 5U);
    EXPECT_EQ(second.incomplete, 1U);
    EXPECT_EQ(second.failed, 4U);
    EXPECT_FALSE(fs::exists(file("out") / (file("in/0/0.txt").string().substr(1) + ".jsonl")));
}

TEST_F(ArchiveRuns, NeedANameOfTheOutputFolder) {
    make_inputs(1);
    ArchiveOptions unnamed = options();
    unnamed.output.clear();
    EXPECT_EQ(kind_of([&] { run(unnamed); }), ErrorKind::usage);
}

TEST_F(ArchiveRuns, FailFastEndsAtTheFirstFailure) {
    make_inputs(50);
    write_text(file("in/bad.txt"), "bad");
    ArchiveOptions part = options();
    part.files.workers = [](std::size_t) { return 1; };
    part.fail_fast = true;
    const ArchiveProgress progress = run(part);
    EXPECT_EQ(progress.failed, 1U);
    EXPECT_LT(progress.finished, progress.inputs);
}

TEST_F(ArchiveRuns, FailAnInputThatChangesDuringTheRun) {
    make_inputs(3);
    ArchiveOptions part = options();
    const auto make = part.files.make_worker;
    part.files.make_worker = [&](int worker, int workers) -> ProcessInput {
        return [&, process = make(worker, workers)](const auto& item, const auto& outputs, const auto& add,
                                                    const auto& stop) {
            const InputResult result = process(item, outputs, add, stop);
            if (item.path.ends_with("/1.txt")) write_text(item.path, "changed while it is read");
            return result;
        };
    };
    EXPECT_EQ(run(part).failed, 1U);
    const auto failures = ArchiveMerge({file("out")}).failures();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_NE(failures[0].error.find("changed"), std::string::npos);
    ArchiveOptions again = options();
    again.resume = true;
    EXPECT_EQ(run(again).failed, 0U);
    EXPECT_TRUE(ArchiveMerge({file("out")}).failures().empty());
}

TEST_F(ArchiveRuns, StopWithAWholeManifest) {
    make_inputs(60);
    std::stop_source stop;
    ArchiveOptions part = options();
    const auto make = part.files.make_worker;
    part.files.make_worker = [&](int worker, int workers) -> ProcessInput {
        return [&, process = make(worker, workers)](const auto& item, const auto& outputs, const auto& add,
                                                    const auto& token) {
            if (processed_ >= 20) stop.request_stop();
            return process(item, outputs, add, token);
        };
    };
    const ArchiveProgress progress = files_of(run_archive(list(), part, stop.get_token()));
    EXPECT_GE(progress.finished, 18U);
    EXPECT_LT(progress.finished, 60U);
    std::size_t recorded = 0;
    read_manifests(file("out"), [&](const fs::path&, ManifestEntry&&) { ++recorded; });
    EXPECT_EQ(recorded, progress.finished);
    ArchiveOptions again = options();
    again.resume = true;
    EXPECT_EQ(run(again).skipped, progress.finished);
    expect_all_results();
}

TEST_F(ArchiveRuns, EndWhenAnOutputCannotBeWritten) {
    make_inputs(20);
    ArchiveOptions part = options();
    part.files.make_worker = [](int, int) -> ProcessInput {
        return [](const WorkItem&, const std::vector<std::string>& outputs, const auto&,
                  const std::stop_token&) -> InputResult { throw system_error("cannot write", outputs.at(0), ENOSPC); };
    };
    try {
        run(part);
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(error.where().text().find("output of " + file("in").string()), std::string::npos) << error.where();
    }
    read_manifests(file("out"), [](const fs::path&, ManifestEntry&&) { ADD_FAILURE(); });
    write_text(file("plain"), "a file");
    EXPECT_EQ(kind_of([&] { run(options("plain/out")); }), ErrorKind::input);
    // Nobody, not even root, creates files there.
    ArchiveOptions read_only = options();
    read_only.output = "/proc/self/out";
    EXPECT_EQ(kind_of([&] { run(read_only); }), ErrorKind::input);
}

// An encoder or a container that refuses an input has an error at the output, too.
TEST_F(ArchiveRuns, FailAnInputThatItsOutputCannotHold) {
    make_inputs(12);
    ArchiveOptions part = options();
    const auto make = part.files.make_worker;
    part.files.make_worker = [&](int worker, int workers) -> ProcessInput {
        return [&, process = make(worker, workers)](const auto& item, const auto& outputs, const auto& add,
                                                    const auto& stop) {
            for (const auto& [name, kind] : {std::pair{"/1.txt", ErrorKind::input},
                                             {"/2.txt", ErrorKind::usage},
                                             {"/3.txt", ErrorKind::unavailable}}) {
                if (item.path.ends_with(name))
                    throw Error(kind, "cannot write the video: Invalid argument", outputs[0]);
            }
            return process(item, outputs, add, stop);
        };
    };
    const ArchiveProgress progress = run(part);
    EXPECT_EQ(progress.finished, 12U);
    EXPECT_EQ(progress.failed, 3U);
    for (const ManifestEntry& entry : ArchiveMerge({file("out")}).failures()) {
        EXPECT_EQ(entry.error, "cannot write the video: Invalid argument");
    }
    // An error elsewhere is one of the run.
    part.files.make_worker = [&](int, int) -> ProcessInput {
        return [&](const auto&, const auto&, const auto&, const auto&) -> InputResult {
            throw Error(ErrorKind::unavailable, "no device");
        };
    };
    part.resume = true;
    EXPECT_EQ(kind_of([&] { run(part); }), ErrorKind::unavailable);
}

// One file fails, in this run and in the next; the others are processed.
TEST_F(ArchiveRuns, FailAnInputWhoseOutputWouldHaveATooLongName) {
    make_inputs(8);
    write_text(file("in/0/" + std::string(251, 'a') + ".txt"), "long");  // the longest name of a file
    for (const bool resume : {false, true}) {
        ArchiveOptions again = options();
        again.resume = resume;
        const ArchiveProgress progress = run(again);
        EXPECT_EQ(progress.finished, 9U);
        EXPECT_EQ(progress.failed, 1U);
        EXPECT_EQ(processed_, 8) << "the input was processed in vain";
        const std::vector<ManifestEntry> failures = ArchiveMerge({file("out")}).failures();
        ASSERT_EQ(failures.size(), 1U);
        EXPECT_NE(failures[0].error.find("too long"), std::string::npos) << failures[0].error;
        EXPECT_NE(failures[0].error.find("rename the input"), std::string::npos) << failures[0].error;
    }
}

// Reading a pipe takes its bytes, and a device may have no end.
TEST_F(ArchiveRuns, FailAnInputThatNamesAPipeOrADevice) {
    make_inputs(3);
    ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
    for (const fs::path& named : {file("pipe"), fs::path("/dev/zero")}) {
        ArchiveOptions again = options();
        again.resume = true;
        again.settings = named;
        again.files_of = [&](const WorkItem& item) {
            return item.name == list()[0].name ? std::vector<std::string>{item.path, named}
                                               : std::vector<std::string>{item.path};
        };
        const ArchiveProgress progress = run(again);
        EXPECT_EQ(progress.finished, 3U);
        EXPECT_EQ(progress.failed, 1U);
        for (const ManifestEntry& entry : ArchiveMerge({file("out")}).failures()) {
            EXPECT_EQ(entry.error, "names a pipe or a device: " + named.string());
        }
    }
}

// A disk that becomes full while the manifest is written leaves whole lines only.
TEST_F(ArchiveRuns, KeepTheManifestWholeOnAFullDisk) {
    make_inputs(30);
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{5000, 5000};  // more than a result, less than the list and a manifest of all
        static_cast<void>(::setrlimit(RLIMIT_FSIZE, &limit));
        int status = 0;
        try {
            ArchiveOptions part = options();
            part.files.workers = [](std::size_t) { return 1; };
            run_archive(list(), part, {});
        } catch (const Error& error) {
            status = exit_status(error.kind());
        }
        ::_exit(status);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 3);
    const std::string text = bytes_of(file("out") / kRecordFolder / "shard-1-of-1.jsonl");
    EXPECT_TRUE(text.empty() || text.back() == '\n');
    ArchiveOptions again = options();
    again.resume = true;
    EXPECT_EQ(run(again).finished, 30U);
    expect_all_results();
}

}  // namespace
}  // namespace throng
