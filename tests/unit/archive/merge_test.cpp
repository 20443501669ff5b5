// Merges of the results of runs over small text files.
#include <gtest/gtest.h>

#include "core/base/output_file.h"
#include "core/base/sha256.h"
#include "tests/unit/archive/archive_runs.h"

namespace throng {
namespace {

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

TEST_F(Merging, AddsUpTheRecords) {
    make_inputs_of_each_end();
    ArchiveOptions all = options();
    all.settings = R"({"command": "detect"})";
    run(all);
    const ArchiveMerge merge({file("out")});
    const MergeTotals totals = merge.totals();
    EXPECT_EQ(totals.inputs, 4U);
    EXPECT_EQ(totals.incomplete, 1U);
    EXPECT_EQ(totals.failed, 1U);
    EXPECT_EQ(totals.bytes, 17U);
    EXPECT_EQ(totals.frames, 3U);
    EXPECT_EQ(totals.faces, 14U) << "one a letter of what did not fail";
    EXPECT_GT(totals.seconds, 0);
    EXPECT_EQ(totals.backends.at("cpu"), 3U);
    EXPECT_EQ(merge.command(), "detect");
    for (const char* damaged : {R"({"command": 5})", R"({"command": null})", "[]", "{"}) {
        write_text(file("out") / kRecordFolder / ("settings-" + sha256_of_text(all.settings) + ".json"), damaged);
        EXPECT_EQ(merge.command(), "") << damaged;
    }
    std::vector<std::string> failures;
    for (const ManifestEntry& failure : merge.failures()) failures.push_back(bytes_of("/" + failure.input));
    EXPECT_EQ(failures, (std::vector<std::string>{"cut", "bad"}));
}

TEST_F(Merging, TheCsvNamesPeopleAndFaces) {
    make_inputs(2);
    run_shard(1, 1);
    const auto csv = [this] {
        OutputFile output(file("merged.csv").string());
        ArchiveMerge({file("out")}).write_csv(output);
        output.close();
        return bytes_of(file("merged.csv"));
    };
    const std::string header = "input,frame,pts,x,y,w,h,score,hits";
    EXPECT_EQ(csv(), header + "\n");
    const std::string begin =
        R"({"source":"a","frame":3,"pts":0.5,"kept":[{"x":1,"y":2,"w":3,"h":4,"score":0.5,"hits":6}])";
    const std::string face = R"({"x":1.5,"y":2,"w":1,"h":1,"score":0.25,"hits":2})";
    const std::vector<WorkItem> items = list();
    for (const WorkItem& item : items) write_text(file("out/" + item.name + ".jsonl"), begin + "}\n");
    EXPECT_EQ(csv(), header + "\na,3,0.5,1,2,3,4,0.5,6\na,3,0.5,1,2,3,4,0.5,6\n");
    write_text(file("out/" + items[1].name + ".jsonl"), begin + R"(,"faces":{"kept":[]}})" + "\n");
    EXPECT_EQ(kind_of(csv), ErrorKind::input) << "one class and two";
    write_text(file("out/" + items[0].name + ".jsonl"), begin + R"(,"faces":{"kept":[)" + face + "]}}\n");
    EXPECT_EQ(csv(), header +
                         ",class\na,3,0.5,1,2,3,4,0.5,6,person\na,3,0.5,1.5,2,1,1,0.25,2,face\n"
                         "a,3,0.5,1,2,3,4,0.5,6,person\n");
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

TEST_F(Merging, RejectsCountsWithoutALine) {
    make_inputs(1);
    run_shard(1, 1);
    const std::string table = list().front().name + std::string(kPerMinuteExtension);
    const fs::path manifest = file("out") / kRecordFolder / "shard-1-of-1.jsonl";
    ManifestEntry entry = parse_manifest_line(bytes_of(manifest));
    entry.outputs.push_back({table, 0, {}});
    write_text(manifest, manifest_line(entry));
    for (const char* text : {"", "source,start"}) {
        write_text(file("out") / table, text);
        OutputFile merged(file("merged").string());
        EXPECT_EQ(kind_of([&] { ArchiveMerge({file("out")}).write_per_minute(merged); }), ErrorKind::input) << text;
    }
}

}  // namespace
}  // namespace throng
