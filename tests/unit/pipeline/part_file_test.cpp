// The results of parts of a video: exact after reading, and joined only where they belong together.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/detect/detector_kinds.h"
#include "core/sinks/json_sink.h"
#include "core/sinks/part_file.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

// A gray frame of 4x2 pixels with rows further apart than their width.
Frame frame_at(double pts, std::uint8_t gray) {
    const auto pixels = std::make_shared<std::vector<std::uint8_t>>(16, gray);
    FrameInfo info;
    info.width = 4;
    info.height = 2;
    info.pts = pts;
    const PlaneView planes[Frame::kMaxPlanes] = {{pixels->data(), 8, 4, 2}};
    return {info, planes, pixels};
}

class PartFile : public ::testing::Test {
protected:
    [[nodiscard]] std::filesystem::path path(int part) const { return dir_.path() / std::to_string(part); }
    void write(int part, const std::optional<Frame>& before, const std::vector<FrameResult>& results,
               const std::optional<Frame>& last) const {
        PartWriter writer(path(part).string());
        writer.begin(before, {});
        for (const FrameResult& result : results) writer.write(result, {});
        writer.finish(last, {});
    }
    [[nodiscard]] std::vector<FrameResult> read(const std::vector<int>& parts) const {
        std::vector<std::filesystem::path> files;
        for (const int part : parts) files.push_back(path(part));
        std::vector<FrameResult> results;
        const auto add = [&](FrameResult& result) {
            result.timings.clear();
            results.push_back(result);
        };
        const std::uint64_t frames = read_parts(files, add, {});
        EXPECT_EQ(frames, results.size());
        return results;
    }
    test::ScratchDir dir_;
};

TEST_F(PartFile, ReturnsWhatWasWritten) {
    std::mt19937_64 random(test::seed(2711));
    // Any finite float, also tiny and huge ones.
    const auto number = [&] {
        for (;;) {
            const auto bits = static_cast<std::uint32_t>(random());
            float value = 0;
            std::memcpy(&value, &bits, sizeof(value));
            if (std::isfinite(value)) return value;
        }
    };
    const auto detections = [&](std::size_t count) {
        std::vector<Detection> list(count);
        for (Detection& d : list) {
            d.box = {number(), number(), number(), number()};
            d.score = number();
            d.hits = static_cast<std::int32_t>(random());
            d.confidence = number();
        }
        return list;
    };
    std::vector<FrameResult> written;
    const auto fill = [&](FrameResult& result, int i) {
        if (i % 3 > 0) result.detector = &detector_kind(i % 3 == 1 ? "haar" : "cnn");
        for (DetectionSet* set : {&result.kept, &result.raw}) {
            set->detections = detections(random() % 5);
            set->total = static_cast<std::uint32_t>(random());
            if (i % 2 == 0) set->landmarks.resize(set->detections.size());
            for (auto& points : set->landmarks) {
                for (float& value : points.xy) value = number();
            }
        }
        result.candidates = detections(random() % 3);
        result.raw_count = static_cast<std::uint32_t>(random());
        result.overflow = static_cast<std::uint32_t>(random() % 3);
    };
    for (int i = 0; i < 40; ++i) {
        FrameResult result;
        result.frame = frame_at(i / 7.0, 0).with_timing(i, i / 7.0, {});
        if (random() % 4 == 0) result.frame = result.frame.as_damaged();
        fill(result, i);
        if (i % 5 == 0) {
            result.detector = &detector_kind("face+person");
            result.faces = std::make_shared<FrameResult>();
            fill(*result.faces, i);
        }
        written.push_back(std::move(result));
    }
    const auto half = written.begin() + 17;
    write(1, {}, {written.begin(), half}, written[16].frame);
    write(2, written[16].frame, {}, written[16].frame);  // an empty part
    write(3, written[16].frame, {half, written.end()}, written.back().frame);
    const std::vector<FrameResult> read_back = read({1, 2, 3});
    ASSERT_EQ(read_back.size(), written.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
        EXPECT_EQ(json_line(read_back[i], {true, true, true}), json_line(written[i], {true, true, true}));
        EXPECT_EQ(read_back[i].frame.info().damaged, written[i].frame.info().damaged);
        EXPECT_EQ(read_back[i].kept.total, written[i].kept.total);
        ASSERT_EQ(read_back[i].candidates.size(), written[i].candidates.size());
        for (std::size_t c = 0; c < written[i].candidates.size(); ++c) {
            EXPECT_EQ(read_back[i].candidates[c].box.x, written[i].candidates[c].box.x);
            EXPECT_EQ(read_back[i].candidates[c].score, written[i].candidates[c].score);
            EXPECT_EQ(read_back[i].candidates[c].hits, written[i].candidates[c].hits);
        }
    }
}

TEST_F(PartFile, JoinsNoOtherFrames) {
    const Frame last = frame_at(1, 7);
    write(1, {}, {}, last);
    write(2, frame_at(1, 7), {}, frame_at(2, 1));
    EXPECT_NO_THROW(static_cast<void>(read({1, 2})));
    write(2, frame_at(1, 8), {}, frame_at(2, 1));  // other pixels
    EXPECT_THROW(static_cast<void>(read({1, 2})), PartsDoNotJoin);
    write(2, frame_at(1.04, 7), {}, frame_at(2, 1));  // another time
    EXPECT_THROW(static_cast<void>(read({1, 2})), PartsDoNotJoin);
    write(2, last.as_damaged(), {}, frame_at(2, 1));
    EXPECT_THROW(static_cast<void>(read({1, 2})), PartsDoNotJoin);
    write(2, {}, {}, frame_at(2, 1));  // from the start again
    EXPECT_THROW(static_cast<void>(read({1, 2})), PartsDoNotJoin);
    EXPECT_THROW(static_cast<void>(read({2, 1})), PartsDoNotJoin);
}

TEST_F(PartFile, RejectsAFileThatIsCutOrChanged) {
    FrameResult result;
    result.frame = frame_at(0, 1);
    result.kept.detections.resize(2);
    write(1, {}, {result, result}, result.frame);
    std::ifstream stream(path(1), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    for (std::size_t size = bytes.size(); size-- > 0;) {
        std::filesystem::resize_file(path(1), size);  // a file that is written again may wait for the disk
        EXPECT_THROW(read_parts({path(1)}, [](FrameResult&) {}, {}), Error) << size;
    }
    std::mt19937_64 random(test::seed(2712));
    std::ofstream(path(2), std::ios::binary) << bytes;
    std::fstream changed(path(2), std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&](std::size_t at, char byte) {
        changed.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
        ASSERT_TRUE(changed);
    };
    for (std::size_t i = 0; i < test::case_count(200); ++i) {
        const std::size_t at = random() % bytes.size();
        put(at, static_cast<char>(random()));
        try {
            read_parts({path(2)}, [](FrameResult&) {}, {});
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
        } catch (const PartsDoNotJoin&) {
        }
        put(at, bytes[at]);
    }
    EXPECT_THROW(read_parts({path(9)}, [](FrameResult&) {}, {}), Error);
}

}  // namespace
}  // namespace throng
