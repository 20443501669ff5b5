// The orientation of still images, wherever their format has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/video/image_file.h"
#include "core/video/media_source.h"
#include "tests/unit/video/image_files.h"

namespace throng {
namespace {

using namespace test;

TEST(Image, ExifOrientationIsHonored) {
    const ScratchDir scratch;
    cv::Mat image(32, 64, CV_8UC1, cv::Scalar(0));
    image(cv::Rect(0, 0, 16, 16)).setTo(255);  // a white corner, top left as stored
    const Bytes jpeg = encode_bytes(".jpg", image);
    struct Case {
        std::uint8_t orientation;
        bool right, bottom, transposed;  // expected position of the white corner, and swapped width and height
    };
    for (const Case& expected : {Case{1, false, false, false}, Case{2, true, false, false}, Case{3, true, true, false},
                                 Case{4, false, true, false}, Case{5, false, false, true}, Case{6, true, false, true},
                                 Case{7, true, true, true}, Case{8, false, true, true}}) {
        const Frame frame =
            load_image(write_bytes(scratch, "a.jpg", jpeg_with_orientation(jpeg, expected.orientation))).frame;
        ASSERT_EQ(frame.width(), expected.transposed ? 32 : 64);
        const int x = expected.right ? frame.width() - 5 : 5;
        const int y = expected.bottom ? frame.height() - 5 : 5;
        EXPECT_GT(frame.plane(0).data[y * frame.plane(0).pitch + x], 200) << int{expected.orientation};
    }
}

// In the extended form, the chunk after the pixels (WebP container specification).
Bytes webp_with_exif(const Bytes& webp, const Bytes& exif, bool alpha, int width, int height) {
    const auto chunk = [](const std::string& name, const Bytes& content) {
        Bytes bytes = text_bytes(name);
        Bytes size = big32(content.size());
        std::reverse(size.begin(), size.end());
        append(bytes, size);
        append(bytes, content);
        if (content.size() % 2 != 0) bytes.push_back(0);
        return bytes;
    };
    Bytes extended(10, 0);
    extended[0] = static_cast<std::uint8_t>(0x08 | (alpha ? 0x10 : 0));
    extended[4] = static_cast<std::uint8_t>(width - 1);
    extended[7] = static_cast<std::uint8_t>(height - 1);
    Bytes content = text_bytes("WEBP");
    append(content, chunk("VP8X", extended));
    content.insert(content.end(), webp.begin() + 12, webp.end());
    append(content, chunk("EXIF", exif));
    return chunk("RIFF", content);
}

TEST(Image, TheOrientationOfEveryFormatIsHonoredOnce) {
    const ScratchDir scratch;
    for (const DisplayedCorner& expected : kDisplayed) {
        std::vector<std::pair<std::string, Bytes>> files;
        for (const bool little : {false, true}) {
            const Bytes exif = exif_data(little, expected.orientation);
            Bytes with_prefix = text_bytes(std::string("Exif") + '\0' + '\0');
            append(with_prefix, exif);
            Bytes segment = {0xFF, 0xE1, 0, static_cast<std::uint8_t>(with_prefix.size() + 2)};
            append(segment, with_prefix);
            Bytes jpeg = encode_bytes(".jpg", with_white_corner(CV_8UC3));
            // After the first segment, with a fill byte before it.
            segment.insert(segment.begin(), 0xFF);
            jpeg.insert(jpeg.begin() + 4 + jpeg[4] * 256 + jpeg[5], segment.begin(), segment.end());
            files.emplace_back("a.jpg", jpeg);
            for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC4}) {
                const Bytes png = encode_bytes(".png", with_white_corner(type));
                files.emplace_back("before.png", png_with_exif(png, exif, false));
                files.emplace_back("after.png", png_with_exif(png, exif, true));
            }
            if (!cv::haveImageWriter("a.webp")) continue;
            const auto webp = [](int type) {
                return encode_bytes(".webp", with_white_corner(type), {cv::IMWRITE_WEBP_QUALITY, 101});
            };
            files.emplace_back("a.webp", webp_with_exif(webp(CV_8UC3), with_prefix, false, 64, 32));
            files.emplace_back("alpha.webp", webp_with_exif(webp(CV_8UC4), exif, true, 64, 32));
        }
        for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4, CV_16UC1, CV_16UC3, CV_16UC4}) {
            files.emplace_back("type" + std::to_string(type) + ".tif",
                               tiff_with_orientation(with_white_corner(type), expected.orientation));
        }
        for (std::size_t i = 0; i < files.size(); ++i) {
            SCOPED_TRACE(files[i].first + ", file " + std::to_string(i) + ", orientation " +
                         std::to_string(expected.orientation));
            const std::string path = write_bytes(scratch, files[i].first, files[i].second);
            expect_corner(load_image(path).frame, expected);
            if (files[i].first != "alpha.webp") continue;
            Frame by_ffmpeg;  // as an image from a server is read
            EXPECT_EQ(open_media(file_request(path, {}), {})->read(by_ffmpeg, {}), ReadStatus::frame);
            expect_corner(by_ffmpeg, expected);
        }
    }
}

}  // namespace
}  // namespace throng
