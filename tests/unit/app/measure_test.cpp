// The shared parts of all measurements: statistics, rows of results, interleaved runs and the end of an interrupted run.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "app/lab/measure/bench_run.h"
#include "app/lab/measure/nms_clusters.h"
#include "app/lab/measure/nms_measurement.h"
#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

TEST(Samples, AreSummarizedByNearestRank) {
    Samples samples;
    EXPECT_EQ(samples.median(), 0);
    EXPECT_EQ(samples.min(), 0);
    for (const double ms : {3.0, 1.0, 2.0}) samples.add(ms);
    EXPECT_EQ(samples.median(), 2);
    EXPECT_EQ(samples.min(), 1);
    EXPECT_EQ(samples.p99(), 3);
    // The definition: the smallest sample that at least p of all do not exceed.
    std::mt19937 random(5);
    for (int n : {1, 2, 99, 100, 101, 1000}) {
        std::vector<double> ms;
        for (int i = 0; i < n; ++i) ms.push_back(static_cast<double>(random() % 50));
        for (const double p : {0.5, 0.99}) {
            const double found = Samples(ms).percentile(p);
            const auto share = [&](auto accept) {
                return static_cast<double>(std::count_if(ms.begin(), ms.end(), accept)) / n;
            };
            EXPECT_GE(share([&](double v) { return v <= found; }), p) << n;
            EXPECT_LT(share([&](double v) { return v < found; }), p) << n;
        }
    }
}

TEST(Samples, OfStagesAreKeptInTheOrderOfTheRun) {
    RunTimes times;
    times.add(3, {{"z", 1.0}, {"a", 2.0}});
    times.add(5, {{"z", 3.0}, {"b", 1.0}, {"a", 2.0}});
    EXPECT_EQ(times.total.size(), 2U);
    ASSERT_EQ(times.stages.size(), 3U);
    EXPECT_EQ(times.stages[0].first, "z");
    EXPECT_EQ(times.stages[1].first, "a");
    EXPECT_EQ(times.stage_median("z"), 1.0);
    EXPECT_EQ(times.stage_median("missing"), std::nullopt);
}

TEST(Samples, RepeatWithinABudget) {
    EXPECT_EQ(repeats_within(500, 1), 500);
    EXPECT_EQ(repeats_within(500, 1000), 5);
    EXPECT_EQ(repeats_within(500, 0), 2000);
    int runs = 0;
    EXPECT_EQ(samples_within(0.001, [&] { std::this_thread::sleep_for(std::chrono::milliseconds(1)), ++runs; }).size(),
              1U);
    EXPECT_EQ(runs, 1);
}

TEST(ResultList, WritesTheSameRowsAsTableCsvAndJson) {
    ResultList rows;
    rows.row().add("size", "size", "1x1").add("ms", "times/median_ms", 1.25, 1).field("runs", std::int64_t{3});
    rows.row()
        .add("size", "size", "a,b")
        .add("ms", "times/median_ms", {})
        .cell("list", std::vector<std::int64_t>{1, 2});
    EXPECT_EQ(rows.table().csv(), "size,ms,list\n1x1,1.2,-\n\"a,b\",-,1 2\n");
    EXPECT_EQ(rows.json().dump(), R"([{"size":"1x1","times":{"median_ms":1.25},"runs":3},{"size":"a,b"}])");
}

TEST(ResultList, PutsAColumnThatOnlySomeRowsHaveAfterItsPredecessor) {
    ResultList rows;
    rows.row().cell("n", std::int64_t{1}).cell("last", true);
    rows.row().cell("n", std::int64_t{2}).cell("stage 1", 0.5).cell("stage 2", 0.5).cell("last", false);
    rows.row().cell("n", std::int64_t{3}).cell("stage 2", 0.5).cell("last", false);
    EXPECT_EQ(rows.table().header(), (std::vector<std::string>{"n", "stage 1", "stage 2", "last"}));
    EXPECT_EQ(rows.table().rows()[2], (std::vector<std::string>{"3", "-", "0.5000", "no"}));
}

TEST(ResultList, RejectsTwoValuesInOneColumn) {
    ResultList rows;
    ResultRow& row = rows.row().cell("order", "cascade").field("order", "cascade");
    EXPECT_THROW(row.cell("order", 0.5), std::invalid_argument);
}

TEST(BenchCases, RunInTurn) {
    std::string order;
    std::vector<BenchCase> cases{{"a", [&] { order += 'a'; }}, {"b", [&] { order += 'b'; }}};
    cases[1].stages = [] { return StageTimes{{"svm", 2.0}}; };
    int steps = 0;
    measure_interleaved(cases, 1, 2, "setting", [&](const std::string& note) {
        EXPECT_NE(note.find("setting, "), std::string::npos);
        ++steps;
    });
    EXPECT_EQ(order, "ababab");
    EXPECT_EQ(steps, 6);
    EXPECT_EQ(cases[0].times.total.size(), 2U) << "without the warm-up";
    EXPECT_EQ(cases[1].times.stage_median("svm"), 2.0);
}

TEST(BenchRun, KeepsTheCompletedRowsOfAnInterruptedRun) {
    const test::ScratchDir folder;
    CommonOptions common;
    common.quiet = true;
    BenchOptions options;
    options.json = (folder.path() / "rows.json").string();
    BenchRun run(common, options, "bench test");
    run.start(std::nullopt);
    ResultList rows;
    run.for_each(std::vector<int>{1, 2, 3}, [&](int setting) {
        run.step("setting");
        if (setting == 2) {
            std::raise(SIGINT);
            run.step("the next run");
        }
        rows.row().field("setting", std::int64_t{setting});
    });
    EXPECT_EQ(run.finish(rows, nlohmann::ordered_json{{"device", "none"}}, ""), 130);
    const std::vector<char> text = test::read_file(options.json);
    const auto json = nlohmann::json::parse(text.begin(), text.end());
    EXPECT_EQ(json["device"], "none");
    ASSERT_EQ(json["rows"].size(), 1U);
    EXPECT_EQ(json["rows"][0]["setting"], 1);
}

TEST(Clusters, AreReorderedWithoutLosingABox) {
    const DetectionSet original = make_clusters({500, 20, 3, false});
    const auto key = [](const Detection& d) { return std::tuple(d.box.x, d.box.y, d.box.w, d.score); };
    for (const auto& [name, order] : kBoxOrderNames) {
        DetectionSet set = original;
        reorder(set, order, 7);
        std::vector<std::tuple<float, float, float, float>> before, after;
        for (const Detection& d : original.detections) before.push_back(key(d));
        for (const Detection& d : set.detections) after.push_back(key(d));
        EXPECT_EQ(before == after, order == BoxOrder::cluster) << name;
        std::sort(before.begin(), before.end());
        std::sort(after.begin(), after.end());
        EXPECT_EQ(before, after) << name;
        for (std::size_t i = 0; i < set.detections.size(); ++i) {
            EXPECT_EQ(set.detections[i].source, static_cast<std::int32_t>(i)) << name;
            if (order != BoxOrder::cascade || i == 0) continue;
            // No box follows one that is more than one level larger.
            EXPECT_GT(set.detections[i].box.w * 1.1F, set.detections[i - 1].box.w);
        }
    }
}

TEST(NmsMeasurement, CountsRunsAndDoesNotDependOnOrderOrCapacity) {
    const auto cpu = make_cpu_backend(1);
    DetectionSet boxes = make_clusters({300, 20, 1, false});
    NmsRepeats repeats;
    repeats.runs = 3;
    repeats.cold = 2;
    const NmsMeasurement tight = measure_nms(*cpu, boxes, 300, {}, repeats);
    EXPECT_EQ(tight.calls.total.size(), 3U);
    EXPECT_EQ(tight.cold.size(), 2U);
    EXPECT_GT(tight.total().median(), 0);
    reorder(boxes, BoxOrder::cascade, 1);
    EXPECT_EQ(measure_nms(*cpu, boxes, program_capacity(300), {}, repeats).kept.total, tight.kept.total);
    EXPECT_EQ(program_capacity(300), 16384);
    EXPECT_EQ(program_capacity(20000), 25000);
}

}  // namespace
}  // namespace throng
