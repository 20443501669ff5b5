// Runs over small text files: no run replaces or removes a file that no record names.
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/sha256.h"
#include "tests/unit/archive/archive_runs.h"

namespace throng {
namespace {

TEST_F(ArchiveRuns, RejectOutputsThatReplaceInputsOrEachOther) {
    make_inputs(4);
    ArchiveOptions part = options();
    part.outputs_of = [](const WorkItem&) { return std::vector<std::string>{"same.jsonl"}; };
    EXPECT_EQ(kind_of([&] { run(part); }), ErrorKind::usage);
    // The output folder is the root of the tree that the names mirror, and the output has the name of the input.
    part.outputs_of = [](const WorkItem& item) { return std::vector<std::string>{item.name}; };
    part.output = "/";
    const auto problem = [&] {
        try {
            run(part);
        } catch (const Error& error) {
            return error.problem().text();
        }
        return std::string();
    };
    EXPECT_EQ(problem(), "would overwrite the input");
    part.output = file("in/0/0.txt");
    EXPECT_EQ(problem(), "is not a folder");
    part.output = "/";
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
        EXPECT_EQ(problem(), "would overwrite the input") << index;
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

// A report of a run replaces files as its results do.
TEST_F(ArchiveRuns, ReplaceOnlyTheirOwnReports) {
    make_inputs(1);
    run(options());
    const auto write = [&](const std::string& text, const std::string& name) {
        write_text(file("new"), text);
        place_beside_results(file("out"), {{file("new"), name}});
    };
    write("one", "report");
    EXPECT_EQ(bytes_of(file("out/report")), "one");
    write("second", "report");
    EXPECT_EQ(bytes_of(file("out/report")), "second");
    std::vector<std::uint64_t> sizes;
    for (const OutputRecord& record : read_intents(file("out"))) sizes.push_back(record.size);
    EXPECT_EQ(sizes, (std::vector<std::uint64_t>{6, 3})) << "both are ours if the run is killed while it replaces";
    write_text(file("out/foreign"), "an original");
    EXPECT_EQ(kind_of([&] { write("three", "foreign"); }), ErrorKind::input);
    EXPECT_EQ(bytes_of(file("out/foreign")), "an original");
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
    // A file that no record names ends the run nevertheless.
    write_text(file("in/last.txt"), "new");
    const fs::path foreign = file("out") / (mirrored("in/last.txt") + ".jsonl");
    write_text(foreign, "an original");
    EXPECT_EQ(kind_of([&] { run(other); }), ErrorKind::usage);
    fs::remove(foreign);
    fs::remove(file("in/last.txt"));
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
    const ArchiveProgress progress =
        files_of(run_archive(make_work_list(paths, nullptr, file("out").string()), again, {}));
    EXPECT_EQ(progress.failed, 5U);
    fs::rename(file("away"), file("in"));
    expect_all_results();
    EXPECT_EQ(run(again).skipped, 5U);
}

TEST_F(ArchiveRuns, EndIfAForeignFileAppears) {
    make_inputs(4);
    ArchiveOptions part = options();
    const auto make = part.files.make_worker;
    part.files.make_worker = [&](int worker, int workers) -> ProcessInput {
        return [&, process = make(worker, workers)](const auto& item, const auto& outputs, const auto& add,
                                                    const auto& stop) {
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
    one.files.workers = [](std::size_t) { return 1; };
    const auto make = one.files.make_worker;
    one.files.make_worker = [&](int worker, int workers) -> ProcessInput {
        return [&, process = make(worker, workers)](const auto& item, const auto& outputs, const auto& add,
                                                    const auto& stop) {
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

}  // namespace
}  // namespace throng
