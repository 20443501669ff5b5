// The report of `throng bench pipeline`; times are not checked.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "app/lab/measure/pipeline_measurement.h"
#include "core/base/error.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"
#include "tests/unit/pipeline/fakes.h"

namespace throng {
namespace {

PipelineBench small_bench(test::FakeBackend::Plan plan = {}) {
    plan.detect_time = std::chrono::milliseconds(1);  // so that no stream ends before the others have warmed up
    PipelineBench bench;
    bench.source = "crowd:faces=2,size=160x120,frames=7,seed=5";  // loops many times
    bench.frames = 200;
    bench.make_backend = [plan] { return std::make_shared<test::FakeBackend>(plan); };
    bench.interrupted = [] { return false; };
    bench.progress = [](std::uint64_t) {};
    return bench;
}

TEST(BenchPipeline, EveryPartDeliversTheRequestedFramesAndItsFigures) {
    ResultList rows;
    for (const PipelinePart part : {PipelinePart::decode, PipelinePart::detect, PipelinePart::both}) {
        for (const int streams : {1, 3}) {
            SCOPED_TRACE(std::string(name_of(kPipelineParts, part)) + std::to_string(streams));
            std::vector<StageSummary> stages;
            const PipelineRow row = measure_pipeline(small_bench(), part, streams, stages);
            EXPECT_EQ(row.streams, streams);
            EXPECT_GT(row.frames, 0U);
            EXPECT_LE(row.frames, static_cast<std::uint64_t>(streams) * 250);
            EXPECT_GT(row.fps, 0);
            EXPECT_EQ(stages.empty(), part == PipelinePart::decode);
            EXPECT_GE(row.latency_p99, row.latency_p50);
            add_pipeline_row(rows, row);
        }
    }
    const TextTable table = rows.table();
    EXPECT_NE(table.csv().find("host MB at 1/10,host MB at end,device MB at 1/10,device MB at end"), std::string::npos)
        << table.csv();
}

TEST(BenchPipeline, AMuchFasterStreamIsMeasuredTogetherWithTheOthers) {
    // The fast stream could deliver all its frames several times during the warm-up of the other.
    for (const int fast : {0, 1}) {
        PipelineBench bench = small_bench();
        bench.frames = 20;
        bench.make_backend = [fast, made = 0]() mutable {
            test::FakeBackend::Plan plan;
            plan.detect_time = std::chrono::milliseconds(made++ == fast ? 0 : 5);
            return std::make_shared<test::FakeBackend>(plan);
        };
        std::vector<StageSummary> stages;
        const PipelineRow row = measure_pipeline(bench, PipelinePart::both, 2, stages);
        EXPECT_GE(row.frames, 20U) << fast;
        EXPECT_GT(row.fps, 0) << fast;
    }
}

TEST(BenchPipeline, ASourceThatEndsDuringTheWarmUpIsRejected) {
    TH_NEED_FFMPEG();
    const test::ScratchDir folder;
    test::ffmpeg("-f lavfi -i testsrc=size=64x48:rate=10:duration=2 -c:v mpeg2video -f mpegts",
                 folder.path() / "clip.ts");
    const std::vector<char> clip = test::read_file(folder.path() / "clip.ts");
    const auto pipe = folder.path() / "pipe.ts";  // a pipe cannot loop
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const std::jthread writer([&] { test::write_file(pipe, clip); });
    PipelineBench bench = small_bench();
    bench.source = pipe.string();
    std::vector<StageSummary> stages;
    try {
        static_cast<void>(measure_pipeline(bench, PipelinePart::both, 1, stages));
        FAIL() << "measured an empty run";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::input);
        EXPECT_EQ(failure.where(), bench.source);
    }
}

TEST(BenchPipeline, ReportsTheMemoryAtATenthAndAtTheEnd) {
    test::FakeBackend::Plan plan;
    plan.memory = {3'000'000'000, 8'000'000'000};
    std::vector<StageSummary> stages;
    const PipelineRow row = measure_pipeline(small_bench(plan), PipelinePart::both, 2, stages);
    constexpr double kMinMb = 1;        // the program itself is larger
    constexpr double kMaxMb = 1 << 20;  // no test machine has as much memory
    for (const double resident : {row.resident_tenth_mb, row.resident_end_mb}) {
        EXPECT_GT(resident, kMinMb);
        EXPECT_LT(resident, kMaxMb);
    }
    EXPECT_EQ(row.device_tenth_mb, 3000);
    EXPECT_EQ(row.device_end_mb, 3000);
    ResultList rows;
    add_pipeline_row(rows, row);
    const nlohmann::ordered_json json = rows.json();
    EXPECT_EQ(json[0]["resident_tenth_mb"], row.resident_tenth_mb);
    EXPECT_EQ(json[0]["resident_end_mb"], row.resident_end_mb);
    EXPECT_EQ(json[0]["device_tenth_mb"], 3000);
    EXPECT_EQ(json[0]["device_end_mb"], 3000);

    const PipelineRow on_host = measure_pipeline(small_bench(), PipelinePart::both, 1, stages);
    EXPECT_EQ(on_host.device_end_mb, 0) << "a backend without device memory";
}

TEST(BenchPipeline, ReadsItsOptionsFromTheCommandLine) {
    if (!test::cascade_file("haarcascade_frontalface_alt2.xml")) GTEST_SKIP() << "skipped: no opencv-data";
    const test::ProgramResult result = test::run_program(
        {"bench", "pipeline", "crowd:faces=2,size=160x120,frames=7,seed=5", "--backend", "cpu", "--streams", "1,2",
         "--parts", "both", "--frames", "40", "--spare", "1", "--min-size", "60", "--json", "-"},
        test::own_process());
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json json = nlohmann::json::parse(result.out);
    ASSERT_EQ(json["rows"].size(), 2U);
    for (const auto& row : json["rows"]) {
        EXPECT_GT(row["frames"], 0);
        EXPECT_GT(row["resident_tenth_mb"], 1);
        EXPECT_GT(row["resident_end_mb"], 1);
    }
    EXPECT_EQ(test::run_program({"bench", "pipeline", "crowd:faces=2", "--spare", "-1"}).status, 2);
}

}  // namespace
}  // namespace throng
