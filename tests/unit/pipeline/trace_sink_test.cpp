#include "core/sinks/trace_sink.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

using Time = FrameTrace::Time;
using std::chrono::microseconds;

FrameResult example(std::int64_t index, Time at, bool on_device = false) {
    FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::gray8, 64, 48);
    writable.info().index = index;
    FrameResult result;
    result.frame = std::move(writable).finish();
    result.source = "a \"quoted\"\n\xFF name";
    result.kept.detections = {{{1.5F, 2.0F, 30.25F, 31.0F}, 0.1F, 4, 0}};
    result.raw_count = 9;
    result.timings = {{stage::kDecode, 1}, {stage::kCascade, 2}, {stage::kNmsMap, 0.125}, {stage::kTrack, 0.1}};
    result.timings.push_back({stage::kTotal, 3});
    result.trace.decoded = at;
    result.trace.decode_ms = 1;
    result.trace.submit_begin = at + microseconds(500);
    result.trace.submit_end = at + microseconds(on_device ? 600 : 2900);
    result.trace.collect_begin = at + microseconds(3000);
    result.trace.collect_end = at + microseconds(3500);
    result.trace.queued = 1;
    result.trace.in_flight = 2;
    result.trace.on_device = on_device;
    return result;
}

nlohmann::json read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return nlohmann::json::parse(file);
}

// Returns a time of the file in nanoseconds.
std::int64_t nanoseconds(const nlohmann::json& time) {
    return std::llround(time.get<double>() * 1000);
}

// Expects the fields that the trace event format requires, and what Perfetto requires of it: threads with numbers of
// their own in the whole file, not 0, and on each of them events in order, apart or nested. It drops what overlaps by a
// nanosecond.
void expect_valid(const nlohmann::json& events) {
    std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> open;  // enclosing events, by thread
    std::map<int, std::int64_t> last;
    std::map<int, int> process_of;
    std::map<int, std::string> processes, threads;  // names
    for (const nlohmann::json& event : events) {
        const std::string phase = event.at("ph");
        const int process = event.at("pid");
        ASSERT_GT(process, 0) << event;
        ASSERT_TRUE(event.at("name").is_string() && event.at("args").is_object()) << event;
        if (phase == "M") {
            const bool of_thread = event["name"] == "thread_name";
            ASSERT_TRUE(of_thread || event["name"] == "process_name") << event;
            (of_thread ? threads[event.at("tid")] : processes[process]) = event["args"].at("name");
            if (of_thread) {
                EXPECT_TRUE(process_of.try_emplace(event["tid"], process).second) << event << ": named twice";
            }
            continue;
        }
        EXPECT_TRUE(processes.count(process)) << event << ": the process has no name yet";
        const std::int64_t begin = nanoseconds(event.at("ts"));
        EXPECT_GE(begin, 0) << event;
        if (phase == "C") {
            EXPECT_FALSE(event["args"].empty()) << event;
            for (const nlohmann::json& value : event["args"]) EXPECT_TRUE(value.is_number()) << event;
            continue;
        }
        ASSERT_EQ(phase, "X") << event;
        const int thread = event.at("tid");
        EXPECT_GT(thread, 0) << event;
        EXPECT_NE(thread, process) << event;
        EXPECT_EQ(process_of[thread], process)
            << event << ": the thread has no name yet, or belongs to another process";
        const std::int64_t end = begin + nanoseconds(event.at("dur"));
        EXPECT_GE(end, begin) << event;
        EXPECT_GE(begin, last[thread]) << event;
        last[thread] = begin;
        auto& enclosing = open[thread];
        while (!enclosing.empty() && enclosing.back().second <= begin) enclosing.pop_back();
        if (!enclosing.empty()) {
            EXPECT_LE(end, enclosing.back().second) << event;
        }
        enclosing.emplace_back(begin, end);
    }
}

TEST(TraceSink, WritesThreadsStagesAndCounters) {
    const test::ScratchDir dir;
    TraceSink sink((dir.path() / "t.json").string());
    const Time start = std::chrono::steady_clock::now();
    for (int i = 0; i < 3; ++i) sink.write(example(i, start + microseconds(4000 * (i + 1))));
    sink.close();
    const nlohmann::json events = read(dir.path() / "t.json");
    expect_valid(events);
    std::map<std::string, int> names;
    for (const nlohmann::json& event : events) {
        ++names[event["name"].get<std::string>()];
        if (event["name"] == "cascade") {
            EXPECT_NEAR(event["dur"].get<double>(), 2000, 0.01);
        }
        if (event["name"] == "queue") {
            EXPECT_EQ(event["args"]["frames"], 1);
        }
        if (event["name"] == "process_name") {
            EXPECT_EQ(event["args"]["name"],
                      "a \"quoted\"\n\xEF\xBF\xBD"
                      "ff name");
        }
    }
    for (const char* name : {"frame", "wait", "total", "decode", "submit", "collect", "cascade", "nms_map", "track",
                             "queue", "in flight", "detections"}) {
        EXPECT_EQ(names[name], 3) << name;
    }
    EXPECT_EQ(names["process_name"], 1);
}

TEST(TraceSink, OverlappingFramesAreOnThreadsOfTheirOwn) {
    std::mt19937_64 random(test::seed(25));
    const test::ScratchDir dir;
    TraceSink sink((dir.path() / "t.json").string());
    const Time start = std::chrono::steady_clock::now();
    int at = 2000;
    for (int i = 0; i < 300; ++i) {
        at += static_cast<int>(random() % 3000);
        FrameResult result = example(i, start + microseconds(at), random() % 2 == 0);
        result.source_number = static_cast<int>(1 + random() % 2);
        result.trace.decode_ms = static_cast<double>(random() % 50);  // decoded ahead, several at a time
        for (StageTime& time : result.timings) time.ms *= static_cast<double>(random() % 100) / 50;
        sink.write(result);
    }
    sink.close();
    const nlohmann::json events = read(dir.path() / "t.json");
    expect_valid(events);
    std::set<int> threads;
    for (const nlohmann::json& event : events) {
        if (event["ph"] == "X") threads.insert(event["tid"].get<int>());
    }
    EXPECT_GT(threads.size(), 10U) << "of two sources";
    EXPECT_LE(threads.size(), 2U * 5 * TraceSink::kMaxLanes);
}

TEST(TraceSink, ATraceWithoutFramesIsAnEmptyArray) {
    const test::ScratchDir dir;
    TraceSink((dir.path() / "t.json").string()).close();
    EXPECT_EQ(read(dir.path() / "t.json"), nlohmann::json::array());
}

TEST(TraceSink, ADestroyedTraceIsComplete) {
    const test::ScratchDir dir;
    { TraceSink((dir.path() / "t.json").string()).write(example(0, std::chrono::steady_clock::now())); }
    EXPECT_GT(read(dir.path() / "t.json").size(), 5U);
}

TEST(TraceSink, AFullDiskLeavesACompleteArrayAndOneError) {
    const test::ScratchDir dir;
    const auto path = dir.path() / "t.json";
    TraceSink sink(path.string());
    const Time start = std::chrono::steady_clock::now();
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit previous{};
    getrlimit(RLIMIT_FSIZE, &previous);
    rlimit small = previous;
    small.rlim_cur = 5000;  // simulates a full disk
    setrlimit(RLIMIT_FSIZE, &small);
    int errors = 0;
    for (int i = 0; i < 10; ++i) {
        try {
            sink.write(example(i, start + microseconds(4000 * i)));
        } catch (const Error& error) {
            ++errors;
            EXPECT_EQ(error.kind(), ErrorKind::input);
            EXPECT_EQ(error.where(), path.string());
        }
    }
    EXPECT_THROW(sink.close(), Error);
    setrlimit(RLIMIT_FSIZE, &previous);
    EXPECT_EQ(errors, 1);
    EXPECT_GT(read(path).size(), 5U);
}

}  // namespace
}  // namespace throng
