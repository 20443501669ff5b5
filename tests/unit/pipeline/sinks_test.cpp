#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/detect/detector_kinds.h"
#include "core/pipeline/async_sink.h"
#include "core/sinks/annotated_sinks.h"
#include "core/sinks/json_sink.h"
#include "core/sinks/relink_sink.h"
#include "tests/support/eventually.h"
#include "tests/support/test_data.h"
#include "tests/unit/pipeline/recording_sink.h"

namespace throng {
namespace {

FrameResult example(std::int64_t index = 7) {
    FramePool pool;
    WritableFrame writable = pool.take(PixelFormat::gray8, 64, 48);
    writable.info().index = index;
    writable.info().pts = 0.28;
    FrameResult result;
    result.frame = std::move(writable).finish();
    result.source = "a \"quoted\"\n\xFF name";
    result.kept.detections = {{{1.5F, 2.0F, 30.25F, 31.0F}, 0.1F, 4, 0}};
    result.raw.detections = {{{1, 2, 3, 4}, -1e-8F, 1, -1},
                             {{1, 2, 3, std::numeric_limits<float>::infinity()}, 1, 1, -1}};
    result.raw_count = 9;
    result.overflow = 7;
    result.timings = {{stage::kDecode, 1.25}, {stage::kNmsMap, 0.125}};
    return result;
}

std::string contents(const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST(JsonLine, NamesDetectorClassAndConfidence) {
    FrameResult result = example();
    result.kept.detections[0].confidence = 0.75F;
    for (const auto& [name, object] : {std::pair{"haar", "face"}, {"hog", "person"}, {"person", "person"}}) {
        result.detector = &detector_kind(name);
        const nlohmann::json line = nlohmann::json::parse(json_line(result, {.raw = true}));
        EXPECT_EQ(line["detector"], name);
        EXPECT_EQ(line["kept"][0]["class"], object);
        EXPECT_EQ(line["kept"][0]["confidence"], 0.75);
        for (const nlohmann::json& raw : line["raw_boxes"]) EXPECT_FALSE(raw.contains("confidence"));
    }
}

TEST(JsonLine, SaysWhichFaceBelongsToWhichPerson) {
    FrameResult result = example();
    result.detector = &detector_kind("face+person");
    const auto track = [](std::int64_t id, Box box, std::int64_t partner) {
        Track made;
        made.id = id;
        made.box = box;
        made.confirmed = true;
        made.partner = partner;
        return made;
    };
    result.kept.detections = {{{300, 100, 80, 240}, 0.9F, 1, 0}, {{100, 100, 80, 240}, 0.8F, 1, 1}};
    result.tracks = {track(7, {100, 100, 80, 240}, 3), track(8, {300, 100, 80, 240}, 0)};
    EXPECT_FALSE(nlohmann::json::parse(json_line(result, {}))["kept"][0].contains("facing"));
    result.faces = std::make_shared<FrameResult>();
    result.faces->detector = &detector_kind("cnn");
    result.faces->kept.detections = {{{500, 0, 30, 36}, 0.9F, 1, 0}, {{125, 106, 30, 36}, 0.8F, 1, 1}};
    result.faces->tracks = {track(3, {125, 106, 30, 36}, 7), track(4, {500, 0, 30, 36}, 0)};
    result.faces->raw_count = 5;
    const nlohmann::json line = nlohmann::json::parse(json_line(result, {.tracks = true}));
    EXPECT_EQ(line["kept"][0]["class"], "person");
    EXPECT_EQ(line["kept"][0]["facing"], false);
    EXPECT_EQ(line["kept"][1]["facing"], true);
    EXPECT_EQ(line["tracks"][0]["facing"], true);
    EXPECT_EQ(line["tracks"][1]["facing"], false);
    const nlohmann::json& faces = line["faces"];
    EXPECT_EQ(faces["detector"], "cnn");
    EXPECT_EQ(faces["raw"], 5);
    EXPECT_EQ(faces["kept"][0]["class"], "face");
    EXPECT_TRUE(faces["kept"][0]["person"].is_null());
    EXPECT_EQ(faces["kept"][1]["person"], 1);
    EXPECT_EQ(faces["tracks"][0]["person"], 7);
    EXPECT_TRUE(faces["tracks"][1]["person"].is_null());
}

TEST(JsonLine, HasTheDocumentedFields) {
    const nlohmann::json line = nlohmann::json::parse(json_line(example(), {}));
    EXPECT_EQ(line["source"],
              "a \"quoted\"\n\xEF\xBF\xBD"
              "ff name");
    EXPECT_EQ(line["frame"], 7);
    EXPECT_EQ(line["pts"], 0.28);
    EXPECT_EQ(line["width"], 64);
    EXPECT_EQ(line["height"], 48);
    EXPECT_EQ(line["raw"], 9);
    EXPECT_EQ(line["overflow"], 7);
    ASSERT_EQ(line["kept"].size(), 1U);
    EXPECT_EQ(line["kept"][0]["w"].get<float>(), 30.25F);
    EXPECT_EQ(line["kept"][0]["score"].get<float>(), 0.1F);
    EXPECT_EQ(line["kept"][0]["hits"], 4);
    EXPECT_EQ(line["timings_ms"], (nlohmann::json{{"decode", 1.25}, {"nms_map", 0.125}}));
    EXPECT_FALSE(line.contains("raw_boxes"));
}

TEST(JsonLine, RawAddsTheRawBoxes) {
    const nlohmann::json line = nlohmann::json::parse(json_line(example(), {.raw = true}));
    ASSERT_EQ(line["raw_boxes"].size(), 2U);
    EXPECT_EQ(line["raw_boxes"][0]["score"].get<float>(), -1e-8F);
    EXPECT_TRUE(line["raw_boxes"][1]["h"].is_null());
}

TEST(JsonLine, TracksAreThoseThatAreConfirmed) {
    FrameResult result = example();
    Track track;
    track.id = 12;
    track.box = {-3, 2, 30, 40.5F};
    track.score = 0.5F;
    track.age = 4;
    track.state = TrackState::recovered;
    result.tracks = {track, track, track};
    result.tracks[1].confirmed = true;
    result.tracks[2].confirmed = result.tracks[2].covered = true;
    const nlohmann::json line = nlohmann::json::parse(json_line(result, {.tracks = true}));
    EXPECT_EQ(line["tracks"], nlohmann::json::parse(R"([{"id": 12, "x": -3.0, "y": 2.0, "w": 30.0, "h": 40.5,
        "score": 0.5, "age": 4, "state": "recovered"}])"));
    EXPECT_FALSE(nlohmann::json::parse(json_line(result, {})).contains("tracks"));
}

TEST(JsonSink, OverwritesAndWritesOneLinePerFrame) {
    const test::ScratchDir dir;
    const auto path = dir.path() / "out.jsonl";
    std::ofstream(path) << std::string(10000, 'x');
    JsonSink sink(path.string());
    for (int i = 0; i < 3; ++i) sink.write(example(i));
    sink.close();
    std::istringstream lines(contents(path));
    std::string line;
    int n = 0;
    while (std::getline(lines, line)) EXPECT_EQ(nlohmann::json::parse(line)["frame"], n++);
    EXPECT_EQ(n, 3);
}

TEST(JsonSink, ReportsWriteErrors) {
    const test::ScratchDir dir;
    EXPECT_THROW(JsonSink((dir.path() / "missing" / "out.jsonl").string()), Error);
    EXPECT_THROW(JsonSink(dir.path().string()), Error);
    JsonSink full("/dev/full");
    try {
        full.write(example());
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(error.where(), "/dev/full");
    }
}

TEST(JsonSink, AFullDiskLeavesCompleteLines) {
    const test::ScratchDir dir;
    const auto path = dir.path() / "out.jsonl";
    JsonSink sink(path.string());
    const std::size_t line = json_line(example(), {}).size() + 1;
    // A file size limit simulates a full disk: only half of the third line fits.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit previous{};
    getrlimit(RLIMIT_FSIZE, &previous);
    rlimit small = previous;
    small.rlim_cur = 2 * line + line / 2;
    setrlimit(RLIMIT_FSIZE, &small);
    sink.write(example());
    sink.write(example());
    EXPECT_THROW(sink.write(example()), Error);
    setrlimit(RLIMIT_FSIZE, &previous);
    sink.close();
    EXPECT_EQ(contents(path).size(), 2 * line);
}

TEST(AsyncSink, WritesEverythingInOrderBeforeItCloses) {
    const auto inner = std::make_shared<test::RecordingSink>();
    AsyncSink sink(inner);
    for (int i = 0; i < 100; ++i) sink.write(example(i));
    sink.close();
    const std::vector<std::int64_t> frames = inner->frames();
    ASSERT_EQ(frames.size(), 100U);
    EXPECT_TRUE(std::is_sorted(frames.begin(), frames.end()));
    EXPECT_EQ(inner->closed(), 1);
}

// Waits in its first write until it is released.
class HeldSink final : public ResultSink {
public:
    void write(const FrameResult& result) override {
        entered = true;
        while (held) std::this_thread::yield();
        frames.push_back(result.frame.info().index);
    }
    void close() override {}
    std::atomic<bool> entered = false, held = true;
    std::vector<std::int64_t> frames;
};

TEST(AsyncSink, DropsTheOldestForASlowSinkIfItMay) {
    const auto inner = std::make_shared<HeldSink>();
    AsyncSink sink(inner, true);
    sink.write(example(0));
    ASSERT_TRUE(test::eventually([&] { return inner->entered.load(); }));
    for (int i = 1; i < 100; ++i) sink.write(example(i));
    inner->held = false;
    sink.close();
    EXPECT_EQ(inner->frames, (std::vector<std::int64_t>{0, 97, 98, 99}));
}

TEST(AsyncSink, RethrowsTheErrorOfTheInnerSink) {
    const auto inner = std::make_shared<test::RecordingSink>(3);
    AsyncSink sink(inner);
    EXPECT_THROW(
        {
            for (int i = 0; i < 100; ++i) sink.write(example(i));
        },
        Error);
    EXPECT_THROW(sink.close(), Error);
    EXPECT_EQ(inner->closed(), 1);
}

class Recorder final : public ResultSink {
public:
    explicit Recorder(bool fails = false) : fails_(fails) {}
    void write(const FrameResult& result) override {
        if (fails_) throw Error(ErrorKind::input, "full", "disk");
        results.push_back(result);
    }
    void close() override { ++closed; }

    std::vector<FrameResult> results;
    int closed = 0;

private:
    bool fails_;
};

FrameResult tracked(std::int64_t index, const std::string& stage) {
    FrameResult result = example(index);
    FrameInfo info = result.frame.info();
    info.pts = 0.1 * static_cast<double>(index);
    const PlaneView planes[Frame::kMaxPlanes] = {};
    result.frame = Frame(info, planes, nullptr);
    result.timings = {{stage, 1.5}};
    Track track;
    track.id = index < 10 ? 5 : 7;  // no detection between
    track.box = {10 + static_cast<float>(index), 10, 20, 20};
    track.confirmed = true;
    if (index < 8 || index > 10) result.tracks = {track};
    return result;
}

TEST(RelinkSink, PassesEveryResultOnInOrderWithLinkedTracks) {
    const auto inner = std::make_shared<Recorder>();
    RelinkSink sink({inner});
    {
        const std::string stage = "a stage whose name does not live as long";
        for (int i = 0; i < 20; ++i) sink.write(tracked(i, stage));
    }
    EXPECT_TRUE(inner->results.empty());
    sink.close();
    EXPECT_EQ(inner->closed, 1);
    ASSERT_EQ(inner->results.size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
        const FrameResult& result = inner->results[i];
        EXPECT_EQ(result.frame.info().index, static_cast<std::int64_t>(i));
        EXPECT_EQ(result.kept.detections.size(), 1U);
        ASSERT_EQ(result.timings.size(), 1U);
        EXPECT_EQ(result.timings[0].name, "a stage whose name does not live as long");
        ASSERT_EQ(result.tracks.size(), 1U);
        EXPECT_EQ(result.tracks[0].id, 1);
        EXPECT_EQ(result.tracks[0].state == TrackState::predicted, i >= 8 && i <= 10);
    }
}

// Raw boxes of a minute would take gigabytes.
TEST(RelinkSink, KeepsFewFramesOfManyRawBoxes) {
    constexpr std::size_t kFrames = 400;
    constexpr std::size_t kBoxes = 1000;
    constexpr std::size_t kMaxKept = 50;  // frames
    const std::string stage = "detect";   // whose characters a result refers to
    const auto inner = std::make_shared<Recorder>();
    RelinkSink sink({inner}, {}, kMaxKept * kBoxes * sizeof(Detection));
    for (std::size_t i = 0; i < kFrames; ++i) {
        FrameResult result = tracked(static_cast<std::int64_t>(i), stage);
        result.raw.detections.assign(kBoxes, {{1, 2, 3, 4}, 1, 1, -1});
        sink.write(result);
        EXPECT_LE(i + 1 - inner->results.size(), kMaxKept + 1);
    }
    sink.close();
    ASSERT_EQ(inner->results.size(), kFrames);
    for (std::size_t i = 0; i < kFrames; ++i) {
        EXPECT_EQ(inner->results[i].frame.info().index, static_cast<std::int64_t>(i));
        EXPECT_EQ(inner->results[i].raw.detections.size(), kBoxes);
        ASSERT_EQ(inner->results[i].tracks.size(), 1U) << i;
        EXPECT_EQ(inner->results[i].tracks[0].id, 1) << "a track goes on in the next section";
    }
}

TEST(RelinkSink, ClosesAllSinksWhenOneFails) {
    const auto good = std::make_shared<Recorder>();
    const auto bad = std::make_shared<Recorder>(true);
    RelinkSink sink({bad, good});
    sink.write(tracked(0, "detect"));
    EXPECT_THROW(sink.close(), Error);
    EXPECT_EQ(bad->closed, 1);
    EXPECT_EQ(good->closed, 1);
}

// A seek in the window leaves out frames, and goes back to them later.
TEST(ImageSink, ReplacesOnlyWhatItWrote) {
    const test::ScratchDir folder;
    const auto image = [&](int number) { return folder.path() / ("clip-00000" + std::to_string(number) + ".jpg"); };
    std::ofstream(image(3)) << "a photograph";
    const std::shared_ptr<ResultSink> sink = make_image_sink(folder.path().string());
    const auto write = [&](std::int64_t index) {
        FrameResult result = example(index);
        result.source = "clip.mp4";
        sink->write(result);
    };
    for (const std::int64_t index : {7, 2, 7}) EXPECT_NO_THROW(write(index)) << index;
    EXPECT_TRUE(std::filesystem::exists(image(2)) && std::filesystem::exists(image(7)));
    EXPECT_THROW(write(3), Error);
    EXPECT_EQ(contents(image(3)), "a photograph");
}

}  // namespace
}  // namespace throng
