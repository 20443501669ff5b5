// The encoded parts of a video: joined, they have every frame once and at its time, or they are not joined.
#include "core/video/encoded_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/archive/segments.h"
#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/video/exact_writer.h"
#include "core/video/formats.h"
#include "tests/support/random.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"
#include "tests/unit/anonymize/inspect.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 64, kHeight = 48;
constexpr int kTicks = 90000;  // per second
const ExactEncoderOptions kLossless{"libx264", 0, 1};

// An image of `number` with motion, so that the encoder chooses frames of all types.
ExactFrame frame_of(FramePool& pool, int number, std::int64_t ticks, std::int64_t duration) {
    WritableFrame image = pool.take(PixelFormat::yuv420p, kWidth, kHeight);
    for (int p = 0; p < 3; ++p) {
        const PlaneView& plane = image.plane(p);
        for (int y = 0; y < plane.height; ++y) {
            for (int x = 0; x < plane.width; ++x) {
                image.data(p)[y * plane.pitch + x] = static_cast<std::uint8_t>((x + number) * 5 + y * 3 * (p + 1));
            }
        }
    }
    image.info().pts = static_cast<double>(ticks) / kTicks;
    image.info().width = kWidth;
    image.info().height = kHeight;
    image.info().format = PixelFormat::yuv420p;
    image.info().range = ColorRange::full;  // inspect returns the pixels unchanged
    return {std::move(image).finish(), ticks, duration, false};
}

class EncodedPart : public ::testing::Test {
protected:
    EncodedPart() {
        format_.first = frame_of(pool_, 0, 0, 1).frame.info();
        format_.width = kWidth;
        format_.height = kHeight;
        format_.time_base = {1, kTicks};
        format_.fps = 25;
        // A variable rate: from one tick to a quarter of a second.
        std::mt19937_64 random(test::seed(2742));
        std::int64_t ticks = 0;
        for (int i = 0; i < 30; ++i) {
            const std::int64_t duration =
                random() % 4 == 0 ? 1 : static_cast<std::int64_t>(random() % (kTicks / 4)) + 1;
            frames_.push_back(frame_of(pool_, i, ticks, duration));
            ticks += duration;
        }
    }
    [[nodiscard]] fs::path path(const std::string& name) const { return dir_.path() / name; }
    // Writes the frames from `begin` on and before `end` as a part. before: the frame that the part follows.
    fs::path write(const std::string& name, int begin, int end, std::optional<int> before = {},
                   const ExactEncoderOptions& options = kLossless) {
        const auto frame = [&](int i) { return frames_.at(static_cast<std::size_t>(i)); };
        if (!before && begin > 0) before = begin - 1;
        const std::optional<Frame> previous = before ? std::optional(frame(*before).frame) : std::nullopt;
        EncodedPartWriter writer(path(name).string(), format_, options, previous, {});
        for (int i = begin; i < end; ++i) writer.write(frame(i));
        writer.finish(begin < end ? frame(end - 1).frame : previous, begin);
        return path(name);
    }
    // Joins the parts into a file.
    JoinedParts join(const std::vector<fs::path>& parts, const std::string& name = "joined.mp4") {
        const ExactEncoder encoder(format_, kLossless, path(name).string());
        Muxer muxer(path(name).string(), format_of_name(name).muxer, result_file(path(name).string()), "");
        begin_result(muxer, encoder, format_);
        std::int64_t last = std::numeric_limits<std::int64_t>::min();
        JoinedParts joined = join_encoded_parts(parts, encoder,
                                                [&](AVPacket& packet) {
                                                    EXPECT_GT(packet.dts, last);
                                                    EXPECT_LE(packet.dts, packet.pts);
                                                    last = packet.dts;
                                                    muxer.write(packet);
                                                },
                                                {});
        muxer.finish();
        return joined;
    }
    [[nodiscard]] std::string why_not(const std::vector<fs::path>& parts) {
        try {
            static_cast<void>(join(parts));
        } catch (const PartsDoNotJoin& error) {
            return error.what();
        }
        return {};
    }

    test::ScratchDir dir_;
    FramePool pool_;
    VideoFormat format_;
    std::vector<ExactFrame> frames_;
};

TEST_F(EncodedPart, JoinedPartsHaveEveryFrameAtItsTime) {
    // The third part is shorter than the delay of the encoder, the fourth one is empty.
    const JoinedParts joined =
        join({write("1", 0, 11), write("2", 11, 18), write("3", 18, 19), write("4", 19, 19), write("5", 19, 30)});
    ASSERT_EQ(joined.reports.size(), 5U);
    for (const auto& [part, begin] : {std::pair{0, 0}, {1, 11}, {2, 18}, {3, 19}, {4, 19}}) {
        EXPECT_EQ(joined.reports[static_cast<std::size_t>(part)], begin);
    }
    EXPECT_EQ(joined.scaled_frames, 0);
    for (const char* name : {"joined.mp4", "joined.mkv"}) {
        static_cast<void>(join({path("1"), path("2"), path("3"), path("4"), path("5")}, name));
        const test::MediaFacts facts = test::inspect(path(name), frames_.size());
        ASSERT_EQ(facts.times.size(), frames_.size()) << name;
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            const Frame& frame = frames_[i].frame;
            // Matroska has milliseconds.
            const double tolerance = fs::path(name).extension() == ".mkv" ? 0.00051 : 1e-9;
            EXPECT_NEAR(facts.times[i], frame.info().pts, tolerance) << name << " " << i;
            const PlaneView& plane = frame.plane(0);
            std::vector<std::uint8_t> gray;
            for (int y = 0; y < kHeight; ++y) {
                gray.insert(gray.end(), plane.data + y * plane.pitch, plane.data + y * plane.pitch + kWidth);
            }
            EXPECT_EQ(facts.gray[i], gray) << name << " " << i;  // quality 0 is lossless
        }
    }
}

TEST_F(EncodedPart, AnyDivisionKeepsTheTimes) {
    std::mt19937_64 random(test::seed(2743));
    for (int round = 0; round < 5; ++round) {
        std::vector<fs::path> parts;
        for (int begin = 0; begin < 30;) {
            const int end = std::min(30, begin + static_cast<int>(random() % 13));
            parts.push_back(write(std::to_string(parts.size()), begin, end, {}, {"libx264", 30, 1}));
            begin = end;
        }
        const ExactEncoder encoder(format_, {"libx264", 30, 1}, "x");
        std::vector<std::int64_t> times;
        std::int64_t last = std::numeric_limits<std::int64_t>::min();
        const auto check = [&](AVPacket& packet) {
            EXPECT_GT(packet.dts, last);
            EXPECT_LE(packet.dts, packet.pts);
            last = packet.dts;
            times.push_back(packet.pts);
            EXPECT_EQ(packet.duration, std::find_if(frames_.begin(), frames_.end(), [&](const ExactFrame& frame) {
                                           return frame.ticks == packet.pts;
                                       })->duration);
        };
        join_encoded_parts(parts, encoder, check, {});
        EXPECT_FALSE(std::is_sorted(times.begin(), times.end())) << "without B-frames, the test shows little";
        std::sort(times.begin(), times.end());
        ASSERT_EQ(times.size(), frames_.size());
        for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], frames_[i].ticks);
    }
}

TEST_F(EncodedPart, JoinsNoOtherFrames) {
    const std::vector<fs::path> parts = {write("1", 0, 10), write("2", 10, 20), write("3", 20, 30)};
    EXPECT_EQ(why_not(parts), "");
    EXPECT_EQ(why_not({parts[0], parts[2]}), "encoded segment 2 does not begin where segment 1 ends");
    EXPECT_EQ(why_not({parts[1], parts[2]}), "encoded segment 1 does not begin where segment 0 ends");
    EXPECT_EQ(why_not({parts[0], write("other", 10, 20, {}, {"libx264", 21, 1})}),
              "segment 2 was encoded by another encoder");
    // Claims to follow the first part, but begins with a frame of it.
    EXPECT_EQ(why_not({parts[0], write("early", 5, 20, 9)}),
              "the time stamps of segment 2 do not continue those before");
    EXPECT_EQ(why_not({write("empty", 0, 0)}), "the segments have no frames");
}

TEST_F(EncodedPart, RejectsAFileThatIsCut) {
    const std::string bytes = [&] {
        const std::vector<char> read = test::read_file(write("1", 0, 5));
        return std::string(read.begin(), read.end());
    }();
    const ExactEncoder encoder(format_, kLossless, "x");
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 8) {
        test::write_file(path("cut"), {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
        try {
            join_encoded_parts({path("cut")}, encoder, [](AVPacket&) {}, {});
            ADD_FAILURE() << size;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input) << size;
            EXPECT_EQ(error.where(), path("cut").string());
        }
    }
    std::stop_source stop;
    stop.request_stop();
    try {
        join_encoded_parts(
            {path("1")}, encoder, [](AVPacket&) {}, stop.get_token());
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::interrupted);
    }
}

}  // namespace
}  // namespace throng
