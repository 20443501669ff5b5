// Runs over small text files: every input once, whatever kills, stops or fails the run; and their merge.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/archive/archive_run.h"
#include "core/archive/merge.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/base/sha256.h"
#include "tests/support/eventually.h"
#include "tests/support/test_data.h"
#include "tests/unit/archive/files.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::kind_of;
using test::write_text;

// The result of an input is its text in upper case, as a line of detections would be.
std::string expected_result(const std::string& name, const std::string& text) {
    return R"({"source":")" + name + R"(","source_number":1,"frame":0,"pts":0,"text":")" + text + "\",\"kept\":[]}\n";
}

class ArchiveRuns : public ::testing::Test {
protected:
    void SetUp() override { spdlog::set_level(spdlog::level::off); }
    void TearDown() override { spdlog::set_level(spdlog::level::info); }

    void make_inputs(int count) {
        for (int i = 0; i < count; ++i) {
            write_text(file("in/" + std::to_string(i % 3) + "/" + std::to_string(i) + ".txt"),
                       std::string(static_cast<std::size_t>(1 + i % 7), static_cast<char>('a' + i % 26)));
        }
    }
    [[nodiscard]] fs::path file(const std::string& name) const { return dir_.path() / name; }
    // Returns the name that a file given by its absolute path has below the output folder.
    [[nodiscard]] std::string mirrored(const std::string& name) const { return file(name).relative_path().string(); }
    // Returns the number of files of records whose names begin so.
    [[nodiscard]] std::ptrdiff_t records_of(const std::string& begin) const {
        const fs::directory_iterator records(file("out") / kRecordFolder);
        return std::count_if(fs::begin(records), fs::end(records),
                             [&](const auto& record) { return record.path().filename().string().starts_with(begin); });
    }
    [[nodiscard]] std::vector<WorkItem> list() const {
        return make_work_list(
            {file("in").string()}, [](const std::string&) { return true; }, file("out").string());
    }
    [[nodiscard]] ArchiveOptions options(const std::string& output = "out") {
        ArchiveOptions options;
        options.output = file(output);
        options.workers = 3;
        options.settings = R"({"theta": "0.5"})";
        options.version = "1";
        options.outputs_of = [](const WorkItem& item) { return std::vector<std::string>{item.name + ".jsonl"}; };
        options.make_worker = [this](int) -> ProcessInput {
            return [this](const WorkItem& item, const std::vector<std::string>& outputs, const auto& add_frames,
                          const std::stop_token&) {
                ++processed_;
                const std::string text = bytes_of(item.path);
                if (text == "bad") throw Error(ErrorKind::input, "is bad", item.path);
                if (text == "huge") throw std::bad_alloc();
                if (text == "odd") throw std::runtime_error("of a library");
                add_frames(1);
                write_text(outputs.at(0), expected_result(item.name, text));
                return InputResult{1, text.size(), "cpu", text == "cut" ? "is cut" : ""};
            };
        };
        return options;
    }
    ArchiveProgress run(const ArchiveOptions& options) { return run_archive(list(), options, {}); }

    // Expects a complete result of every input, and nothing else, below the output folder.
    void expect_all_results() const {
        std::set<std::string> expected;
        for (const WorkItem& item : list()) {
            expected.insert(item.name + ".jsonl");
            EXPECT_EQ(bytes_of(file("out") / (item.name + ".jsonl")), expected_result(item.name, bytes_of(item.path)));
        }
        std::set<std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(file("out"))) {
            const std::string name = fs::relative(entry.path(), file("out")).string();
            if (entry.is_regular_file() && !name.starts_with(kRecordFolder)) found.insert(name);
        }
        EXPECT_EQ(found, expected);
        std::map<std::string, int> records;
        read_manifests(file("out"), [&](const fs::path&, ManifestEntry&& entry) { ++records[entry.input]; });
        for (const auto& [name, count] : records) EXPECT_EQ(count, 1) << name;
        EXPECT_EQ(records.size(), expected.size());
    }

    test::ScratchDir dir_;
    std::atomic<int> processed_ = 0;
};

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
        part.make_worker = [settings](int) -> ProcessInput {
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
    again.make_worker = [&, make = options().make_worker](int worker) -> ProcessInput {
        return [&, process = make(worker)](const auto& item, const auto& outputs, const auto& add, const auto& stop) {
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
            reporting.workers = 2;
            reporting.make_worker = [make = part.make_worker, report = ends[1]](int worker) -> ProcessInput {
                return [process = make(worker), report](const auto& item, const auto& outputs, const auto& add,
                                                        const auto& stop) {
                    static_cast<void>(::write(report, ".", 1));
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

TEST_F(ArchiveRuns, FailFastEndsAtTheFirstFailure) {
    make_inputs(50);
    write_text(file("in/bad.txt"), "bad");
    ArchiveOptions part = options();
    part.workers = 1;
    part.fail_fast = true;
    const ArchiveProgress progress = run(part);
    EXPECT_EQ(progress.failed, 1U);
    EXPECT_LT(progress.finished, progress.inputs);
}

TEST_F(ArchiveRuns, FailAnInputThatChangesDuringTheRun) {
    make_inputs(3);
    ArchiveOptions part = options();
    const auto make = part.make_worker;
    part.make_worker = [&](int worker) -> ProcessInput {
        return [&, process = make(worker)](const auto& item, const auto& outputs, const auto& add, const auto& stop) {
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
    const auto make = part.make_worker;
    part.make_worker = [&](int worker) -> ProcessInput {
        return [&, process = make(worker)](const auto& item, const auto& outputs, const auto& add, const auto& token) {
            if (processed_ >= 20) stop.request_stop();
            return process(item, outputs, add, token);
        };
    };
    const ArchiveProgress progress = run_archive(list(), part, stop.get_token());
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
    part.make_worker = [](int) -> ProcessInput {
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
    const auto make = part.make_worker;
    part.make_worker = [&](int worker) -> ProcessInput {
        return [&, process = make(worker)](const auto& item, const auto& outputs, const auto& add, const auto& stop) {
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
    part.make_worker = [&](int) -> ProcessInput {
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
            part.workers = 1;
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

TEST_F(ArchiveRuns, RejectOutputsThatReplaceInputsOrEachOther) {
    make_inputs(4);
    ArchiveOptions part = options();
    part.outputs_of = [](const WorkItem&) { return std::vector<std::string>{"same.jsonl"}; };
    EXPECT_EQ(kind_of([&] { run(part); }), ErrorKind::usage);
    // The output folder is the root of the tree that the names mirror, and the output has the name of the input.
    part.outputs_of = [](const WorkItem& item) { return std::vector<std::string>{item.name}; };
    part.output = "/";
    EXPECT_EQ(kind_of([&] { run(part); }), ErrorKind::usage);
    // The inputs of another shard are protected, too.
    std::map<std::string, std::string> other;
    const std::vector<WorkItem> first = select_shard(list(), {1, 2});
    const std::vector<WorkItem> second = select_shard(list(), {2, 2});
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
        other[first[i].name] = second[i].name;
        other[second[i].name] = first[i].name;
    }
    part.outputs_of = [&](const WorkItem& item) { return std::vector<std::string>{other.at(item.name)}; };
    for (const int index : {1, 2}) {
        part.shard = {index, 2};
        EXPECT_EQ(kind_of([&] { run(part); }), ErrorKind::usage) << index;
    }
    EXPECT_FALSE(fs::exists("/.throng"));
}

// A folder given by --out may hold anything. Only what a record names is replaced or removed.
TEST_F(ArchiveRuns, KeepFilesThatNoRecordNames) {
    make_inputs(3);
    write_text(file("in/bad.txt"), "bad");
    write_text(file("elsewhere"), "linked");
    const auto output_of = [&](const std::string& name) { return file("out") / (mirrored(name) + ".jsonl"); };
    for (const char* name : {"in/0/0.txt", "in/bad.txt"}) {
        for (const bool is_link : {false, true}) {
            fs::create_directories(output_of(name).parent_path());
            is_link ? fs::create_symlink(file("elsewhere"), output_of(name))
                    : write_text(output_of(name), "an original");
            for (const bool resume : {false, true}) {
                ArchiveOptions part = options();
                part.resume = resume;
                try {
                    run(part);
                    ADD_FAILURE() << name;
                } catch (const Error& error) {
                    EXPECT_EQ(error.kind(), ErrorKind::usage);
                    EXPECT_EQ(error.where(), output_of(name).string());
                }
                EXPECT_EQ(bytes_of(output_of(name)), is_link ? "linked" : "an original");
                EXPECT_EQ(fs::is_symlink(output_of(name)), is_link);
            }
            fs::remove(output_of(name));
        }
    }
    EXPECT_EQ(processed_, 0);
    run(options());
    EXPECT_EQ(records_of("intents-"), 0) << "nothing is left of a whole run but its records";
}

// A list that is relative to another folder: no input exists, but each has the name of an original.
TEST_F(ArchiveRuns, KeepFilesThatHaveTheNamesOfMissingInputs) {
    std::vector<WorkItem> missing = make_work_list({"a.txt", "b.txt"}, nullptr, file("out").string());
    ArchiveOptions part = options();
    part.outputs_of = [](const WorkItem& item) { return std::vector<std::string>{item.name}; };
    write_text(file("out/b.txt"), "an original");
    EXPECT_EQ(kind_of([&] { run_archive(missing, part, {}); }), ErrorKind::usage);
    EXPECT_EQ(bytes_of(file("out/b.txt")), "an original");
}

TEST_F(ArchiveRuns, KeepResultsThatWereChanged) {
    make_inputs(6);
    run(options());
    const std::vector<WorkItem> items = list();
    const auto result_of = [&](std::size_t item) { return file("out") / (items[item].name + ".jsonl"); };
    std::string edited = bytes_of(result_of(0));
    edited[0] = '[';
    write_text(result_of(0), edited);
    write_text(result_of(1), "edited, too");
    write_text(items[1].path, "bad");  // an input that fails removes its result only if that is as recorded
    write_text(items[2].path, "bad");
    ArchiveOptions other = options();
    other.resume = true;
    other.settings = "other";
    const ArchiveProgress progress = run(other);
    EXPECT_EQ(progress.failed, 3U);
    EXPECT_EQ(progress.finished, 6U);
    EXPECT_EQ(bytes_of(result_of(0)), edited);
    EXPECT_EQ(bytes_of(result_of(1)), "edited, too");
    EXPECT_FALSE(fs::exists(result_of(2)));
    std::map<std::string, std::string> errors;
    for (const ManifestEntry& entry : ArchiveMerge({file("out")}).failures()) errors[entry.input] = entry.error;
    EXPECT_NE(errors[items[0].name].find(result_of(0).string() + " is not replaced: it was changed"), std::string::npos)
        << errors[items[0].name];
    // Moved away, it is made again.
    fs::rename(result_of(0), file("moved"));
    EXPECT_EQ(run(other).skipped, 3U);
    EXPECT_EQ(bytes_of(result_of(0)), expected_result(items[0].name, bytes_of(items[0].path)));
}

TEST_F(ArchiveRuns, KeepResultsOfInputsThatCannotBeRead) {
    make_inputs(5);
    run(options());
    const std::vector<WorkItem> before = list();
    fs::rename(file("in"), file("away"));  // a disk that is not mounted
    std::vector<std::string> paths;
    for (const WorkItem& item : before) paths.push_back(item.path);
    ArchiveOptions again = options();
    again.resume = true;
    const ArchiveProgress progress = run_archive(make_work_list(paths, nullptr, file("out").string()), again, {});
    EXPECT_EQ(progress.failed, 5U);
    fs::rename(file("away"), file("in"));
    expect_all_results();
    EXPECT_EQ(run(again).skipped, 5U);
}

TEST_F(ArchiveRuns, EndIfAForeignFileAppears) {
    make_inputs(4);
    ArchiveOptions part = options();
    const auto make = part.make_worker;
    part.make_worker = [&](int worker) -> ProcessInput {
        return [&, process = make(worker)](const auto& item, const auto& outputs, const auto& add, const auto& stop) {
            write_text(file("out") / (item.name + ".jsonl"), "an original");
            return process(item, outputs, add, stop);
        };
    };
    EXPECT_EQ(kind_of([&] { run(part); }), ErrorKind::input);
    std::size_t found = 0;
    for (const WorkItem& item : list()) {
        const std::string text = bytes_of(file("out") / (item.name + ".jsonl"));
        found += text == "an original" ? 1 : 0;
        EXPECT_TRUE(text.empty() || text == "an original") << text;
    }
    EXPECT_GT(found, 0U);
}

// The name of an output is on the disk before the output has it, so what a kill leaves is not foreign.
TEST_F(ArchiveRuns, TakeWhatAKilledRunRenamed) {
    make_inputs(8);
    const WorkItem first = list()[0];
    const fs::path result = file("out") / (first.name + ".jsonl");
    const std::string text = expected_result(first.name, bytes_of(first.path));
    {
        Manifest killed(file("out"), {1, 1});
        killed.intend({{first.name + ".jsonl", text.size(), sha256_of_text(text)}});
        write_text(result, text);
    }
    ArchiveOptions again = options();
    again.resume = true;
    EXPECT_EQ(run(again).finished, 8U);
    expect_all_results();
    // The rename of the last of a batch fails: those before it have their names, and no records. A file is where the
    // last, which is the smallest, needs a folder.
    fs::remove_all(file("out"));
    write_text(file("in/last/empty.txt"), "");
    const fs::path blocked = file("out") / mirrored("in/last");
    ArchiveOptions one = options();
    one.workers = 1;
    const auto make = one.make_worker;
    one.make_worker = [&](int worker) -> ProcessInput {
        return [&, process = make(worker)](const auto& item, const auto& outputs, const auto& add, const auto& stop) {
            if (item.size == 0) write_text(blocked, "a file");
            return process(item, outputs, add, stop);
        };
    };
    EXPECT_EQ(kind_of([&] { run(one); }), ErrorKind::input);
    EXPECT_EQ(bytes_of(blocked), "a file");
    one.resume = true;
    EXPECT_EQ(kind_of([&] { run(one); }), ErrorKind::usage) << "known before the work begins";
    fs::remove(blocked);
    EXPECT_EQ(run(again).failed, 0U);
    expect_all_results();
}

// Returns the bytes that this process has read.
std::uint64_t bytes_read_so_far() {
    std::ifstream file("/proc/self/io");
    std::string key;
    std::uint64_t value = 0;
    file >> key >> value;
    return key == "rchar:" ? value : 0;
}

TEST_F(ArchiveRuns, HashAFileOnceForAllWorkers) {
    if (bytes_read_so_far() == 0) GTEST_SKIP() << "skipped: no /proc/self/io";
    constexpr std::uintmax_t kSize = std::uintmax_t{64} << 20U;
    write_text(file("large"), "x");
    fs::resize_file(file("large"), kSize);
    const std::string expected = sha256_of(file("large"));
    FileHashes hashes;
    const std::uint64_t before = bytes_read_so_far();
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] { EXPECT_EQ(hashes.of(file("large").string(), {}), expected); });
        }
    }
    EXPECT_LT(bytes_read_so_far() - before, kSize + kSize / 2);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(hashes.of(file("large").string(), {}), expected);
    write_text(file("large"), "other");
    EXPECT_EQ(kind_of([&] { static_cast<void>(hashes.of(file("large").string(), stop.get_token())); }),
              ErrorKind::interrupted);
    EXPECT_EQ(hashes.of(file("large").string(), {}), sha256_of(file("large")));
}

TEST_F(ArchiveRuns, KeepAClaimUntilTheRecordIsOnDisk) {
    make_inputs(3);
    ArchiveOptions claiming = options();
    std::atomic<int> early = 0;
    std::atomic<int> released = 0;
    const auto is_recorded = [&](const std::string& name) {
        bool found = false;
        read_manifests(file("out"), [&](const fs::path&, ManifestEntry&& entry) { found |= entry.input == name; });
        return found;
    };
    claiming.make_worker = [&, make = claiming.make_worker](int worker) -> ProcessInput {
        return [&, process = make(worker)](const auto& item, const auto& outputs, const auto& add, const auto& stop) {
            InputResult result = process(item, outputs, add, stop);
            result.claim = std::shared_ptr<void>(nullptr, [&, name = item.name](void*) {
                early += is_recorded(name) ? 0 : 1;
                ++released;
            });
            return result;
        };
    };
    run(claiming);
    EXPECT_EQ(released, 3);
    EXPECT_EQ(early, 0);
}

TEST_F(ArchiveRuns, UseEveryWorker) {
    make_inputs(64);
    ArchiveOptions part = options();
    part.workers = 6;
    std::atomic<int> begun = 0;
    const auto make = part.make_worker;
    part.make_worker = [&](int worker) -> ProcessInput {
        // The first input of a worker waits for those of the others.
        return [&, first = true, process = make(worker)](const auto& item, const auto& outputs, const auto& add,
                                                         const auto& stop) mutable {
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

class Merging : public ArchiveRuns {
protected:
    void run_shard(int index, int count, const std::string& output = "out", const std::string& theta = "0.5") {
        ArchiveOptions part = options(output);
        part.shard = {index, count};
        part.settings = R"({"theta": ")" + theta + "\", \"rule\": \"greedy\"}";
        run(part);
    }
    [[nodiscard]] std::string problems_of(const std::vector<fs::path>& folders) const {
        std::string all;
        for (const std::string& line : ArchiveMerge(folders).problems()) all += line + "\n";
        return all;
    }
    [[nodiscard]] std::string merged(const std::vector<fs::path>& folders) const {
        OutputFile output((dir_.path() / "merged").string());
        ArchiveMerge(folders).write_json(output);
        output.close();
        return bytes_of(file("merged"));
    }
};

TEST_F(Merging, GivesTheSameBytesForAnyDivision) {
    make_inputs(25);
    for (int index = 1; index <= 3; ++index) run_shard(index, 3, "part" + std::to_string(index));
    run_shard(1, 1, "whole");
    const std::string whole = merged({file("whole")});
    EXPECT_EQ(merged({file("part2"), file("part3"), file("part1")}), whole);
    EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 25);
    EXPECT_NE(whole.find(R"(,"source_number":25,)"), std::string::npos);
    EXPECT_EQ(ArchiveMerge({file("whole")}).totals().inputs, 25U);
}

TEST_F(Merging, ListsWhatIsMissing) {
    make_inputs(9);
    run_shard(1, 3);
    run_shard(3, 3);
    const std::string problems = problems_of({file("out")});
    const auto left_out = select_shard(list(), {2, 3});
    EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n'), static_cast<std::ptrdiff_t>(left_out.size()));
    for (const WorkItem& item : left_out) EXPECT_NE(problems.find("missing: " + item.name), std::string::npos);
}

TEST_F(Merging, ListsWhatWasProcessedTwice) {
    make_inputs(6);
    run_shard(1, 2, "a");
    run_shard(2, 2, "a");
    run_shard(2, 2, "b");
    const std::string problems = problems_of({file("a"), file("b")});
    for (const WorkItem& item : select_shard(list(), {2, 2})) {
        EXPECT_NE(problems.find("processed twice: " + item.name), std::string::npos) << problems;
    }
    EXPECT_EQ(problems_of({file("a")}), "");
    EXPECT_EQ(kind_of([&] { ArchiveMerge({file("a"), file("a/.")}); }), ErrorKind::usage);
    EXPECT_EQ(kind_of([&] { ArchiveMerge({file("in")}); }), ErrorKind::input);
}

TEST_F(Merging, ListsMixedSettings) {
    make_inputs(6);
    run_shard(1, 2);
    run_shard(2, 2, "out", "0.7");
    const std::string problems = problems_of({file("out")});
    EXPECT_NE(problems.find("theta \"0.5\""), std::string::npos) << problems;
    EXPECT_NE(problems.find("theta \"0.7\""), std::string::npos) << problems;
    EXPECT_EQ(problems.find("rule"), std::string::npos) << "equal in both";
}

// A manifest that was edited, or comes from elsewhere.
TEST_F(Merging, RejectsOutputsOutsideTheFolder) {
    make_inputs(1);
    write_text(file("secret"), "secret");
    const std::string hex = "2e2e2f736563726574";  // ../secret
    for (const std::string& name : {std::string("../secret"), std::string("a/../../secret"), file("secret").string(),
                                    std::string(".."), std::string()}) {
        fs::remove_all(file("out"));
        run_shard(1, 1);
        const fs::path manifest = file("out") / kRecordFolder / "shard-1-of-1.jsonl";
        const std::string line = bytes_of(manifest);
        ManifestEntry entry = parse_manifest_line(line);
        entry.outputs = {{name, 6, sha256_of(file("secret"))}};
        for (const bool as_hex : {false, true}) {
            std::string edited = manifest_line(entry);
            if (as_hex) edited.insert(edited.find("\"name\""), "\"name_hex\":\"" + hex + "\",");
            write_text(manifest, edited);
            try {
                ArchiveMerge merge({file("out")});
                ADD_FAILURE() << edited;
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::input);
                EXPECT_NE(error.problem().text().find("outside"), std::string::npos) << error.problem();
                EXPECT_EQ(error.where(), manifest.string() + ":1");
            }
        }
    }
}

TEST_F(Merging, ListsOutputsThatChanged) {
    make_inputs(3);
    run_shard(1, 1);
    const auto items = list();
    write_text(file("out") / (items[0].name + ".jsonl"), "edited\n");
    fs::remove(file("out") / (items[1].name + ".jsonl"));
    const std::string problems = problems_of({file("out")});
    EXPECT_NE(problems.find("output changed"), std::string::npos);
    EXPECT_NE(problems.find("output missing"), std::string::npos);
}

}  // namespace
}  // namespace throng
