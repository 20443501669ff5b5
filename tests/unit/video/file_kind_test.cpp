// Which files are stills, animations and videos.
#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/video/file_kind.h"
#include "core/video/image_file.h"
#include "core/video/source.h"
#include "tests/support/video_files.h"
#include "tests/unit/video/image_files.h"

namespace throng {
namespace {

using namespace test;

TEST(Image, AJpegFollowedByOthersOfItsSizeIsASequence) {
    const ScratchDir scratch;
    const Bytes first = encode_bytes(".jpg", gradient_image(64, 48, CV_8UC3));
    const Bytes second = encode_bytes(".jpg", gradient_image(64, 48, CV_8UC3), {cv::IMWRITE_JPEG_PROGRESSIVE, 1});
    const auto joined = [](const std::vector<Bytes>& parts) {
        Bytes all;
        for (const Bytes& part : parts) append(all, part);
        return all;
    };
    for (const auto& [bytes, is_sequence] :
         {std::pair{first, false}, std::pair{joined({first, second}), true}, std::pair{joined({second, first}), true},
          std::pair{joined({first, Bytes(7, 0), second, second}), true},
          // A preview of another size, a Motion Photo, something else.
          std::pair{joined({first, encode_bytes(".jpg", gradient_image(32, 24, CV_8UC3))}), false},
          std::pair{joined({first, {0, 0, 0, 24}, text_bytes("ftypmp42")}), false},
          std::pair{joined({first, text_bytes("appended")}), false},
          // The Multi-Picture Format, or XMP, describes what follows.
          std::pair{joined({Bytes(first.begin(), first.begin() + 2),
                            {0xFF, 0xE1, 0, 24},
                            text_bytes("<<Container:Directory>"),
                            Bytes(first.begin() + 2, first.end()),
                            second}),
                    false},
          std::pair{joined({Bytes(first.begin(), first.begin() + 2),
                            {0xFF, 0xE2, 0, 8, 'M', 'P', 'F', 0, 'x', 'x'},
                            Bytes(first.begin() + 2, first.end()),
                            second}),
                    false}}) {
        const std::string path = write_bytes(scratch, "burst.JPG", bytes);
        EXPECT_EQ(is_still_image(path), !is_sequence) << bytes.size();
        EXPECT_EQ(find_file_type(path).demuxer, is_sequence ? "mjpeg" : "");
        auto source = open_source(path);
        Frame frame;
        int frames = 0;
        while (source->read(frame, {}) != ReadStatus::end) ++frames;
        EXPECT_EQ(frames > 1, is_sequence) << frames;
    }
    // A thumbnail within the first image is none of them.
    const Bytes thumbnail = encode_bytes(".jpg", gradient_image(64, 48, CV_8UC3));
    Bytes segment = {0xFF, 0xE3, static_cast<std::uint8_t>((thumbnail.size() + 2) >> 8),
                     static_cast<std::uint8_t>(thumbnail.size() + 2)};
    append(segment, thumbnail);
    Bytes with_thumbnail = first;
    with_thumbnail.insert(with_thumbnail.begin() + 2, segment.begin(), segment.end());
    EXPECT_TRUE(is_still_image(write_bytes(scratch, "thumbnail.jpg", with_thumbnail)));
}

TEST(Image, ANameIsNoPattern) {
    TH_NEED_FFMPEG();
    const ScratchDir scratch;
    const auto in_folder = [&](const std::string& name) { return (scratch.path() / name).string(); };
    test::ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.5 -f apng", in_folder("plain.png"));
    test::ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.5 -f mjpeg", in_folder("plain.jpg"));
    test::ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.1 -frames:v 1", in_folder("plain.tga"));
    test::ffmpeg("-f lavfi -i color=red:size=32x32:duration=0.1 -frames:v 1", in_folder("1000.tga"));
    test::ffmpeg("-f lavfi -i color=red:size=32x32:duration=0.1 -frames:v 1", in_folder("1001.tga"));
    std::filesystem::copy_file(in_folder("1000.tga"), in_folder("whox.tga"));
    for (const std::string stem : {"{3F2504E0-4F89}", "who?", "100%d", "a*", "[ab]"}) {
        for (const auto& [extension, expected] : {std::pair<std::string, int>{".png", 5}, {".jpg", 5}, {".tga", 1}}) {
            SCOPED_TRACE(stem + extension);
            std::filesystem::copy_file(in_folder("plain" + extension), in_folder(stem + extension));
            auto source = open_source(in_folder(stem + extension));
            EXPECT_EQ(source->info().width, 64);
            Frame frame;
            int frames = 0;
            while (source->read(frame, {}) != ReadStatus::end) ++frames;
            EXPECT_EQ(frames, expected);
        }
    }
}

TEST(Image, ASourceOfOneFrame) {
    const ScratchDir scratch;
    const std::string path = write_bytes(scratch, "a.png", encode_bytes(".png", gradient_image(30, 20, CV_8UC3)));
    for (const std::string& spec : {path, "file://" + path}) {
        auto source = open_source(spec);
        EXPECT_EQ(source->info().frame_count, 1);
        EXPECT_EQ(source->info().width, 30);
        EXPECT_FALSE(source->info().live);
        Frame frame;
        EXPECT_EQ(source->read(frame, {}), ReadStatus::frame);
        EXPECT_EQ(source->current_name(), path);
        EXPECT_EQ(source->read(frame, {}), ReadStatus::end);
        EXPECT_TRUE(source->seek(0));
        EXPECT_EQ(source->read(frame, {}), ReadStatus::frame);
    }
}

}  // namespace
}  // namespace throng
