// throng anonymize on images, as a user calls it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"
#include "tests/unit/anonymize/inspect.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using test::run_program;

class AnonymizeImage : public testing::Test {
protected:
    std::string path(const std::string& name) { return (dir_.path() / name).string(); }

    test::ProgramResult anonymize(const std::string& in, const std::string& out) {
        return run_program({"anonymize", path(in), "--out", path(out), "--detector", "haar"});
    }

    // Draws a crowd.
    cv::Mat crowd() {
        EXPECT_EQ(run_program({"crowd", path("crowd.png"), "--faces", "8", "--size", "640x480"}).status, 0);
        return cv::imread(path("crowd.png"));
    }

    test::ScratchDir dir_;
};

std::string segment(char marker, const std::string& content) {
    const std::size_t size = content.size() + 2;
    return std::string{'\xFF', marker, static_cast<char>(size >> 8), static_cast<char>(size & 0xFF)} + content;
}

std::string little(std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
    return text;
}

// An EXIF block with the orientation 6 (rotate by 90 degrees), a camera, and a thumbnail in its second directory.
std::string exif(const std::string& thumbnail) {
    const std::string maker = "AliceCamera";
    std::string tiff = "II*" + std::string(1, '\0') + little(8, 4);
    tiff += little(2, 2);
    tiff += little(0x010F, 2) + little(2, 2) + little(static_cast<std::uint32_t>(maker.size()) + 1, 4) + little(38, 4);
    tiff += little(0x0112, 2) + little(3, 2) + little(1, 4) + little(6, 4);
    tiff += little(50, 4);  // the second directory
    tiff += maker + std::string(1, '\0');
    tiff += little(2, 2);
    tiff += little(0x0201, 2) + little(4, 2) + little(1, 4) + little(80, 4);
    tiff += little(0x0202, 2) + little(4, 2) + little(1, 4) + little(static_cast<std::uint32_t>(thumbnail.size()), 4);
    tiff += little(0, 4);
    return "Exif" + std::string(2, '\0') + tiff + thumbnail;
}

TEST_F(AnonymizeImage, RemovesEverythingButThePixels) {
    const cv::Mat image = crowd();
    std::vector<std::uint8_t> bytes;
    cv::imencode(".jpg", image, bytes, {cv::IMWRITE_JPEG_QUALITY, 95});
    cv::Mat small;
    cv::resize(image, small, cv::Size(160, 120));
    std::vector<std::uint8_t> thumbnail;
    cv::imencode(".jpg", small, thumbnail);
    const std::string jpeg(bytes.begin(), bytes.end());
    const std::string inner(thumbnail.begin(), thumbnail.end());
    const std::string second(jpeg);
    const std::string with_all =
        jpeg.substr(0, 2) + segment('\xE1', exif(inner)) +
        segment('\xE1', std::string("http://ns.adobe.com/xap/1.0/") + '\0' + "<x>AliceXmp</x>") +
        segment('\xE2', std::string("MPF") + '\0' + "AliceMpf") + segment('\xED', "Photoshop 3.0 AliceIptc") +
        segment('\xFE', "AliceComment") + jpeg.substr(2) + second + "AliceAppended";
    std::ofstream(path("in.jpg"), std::ios::binary) << with_all;
    // The thumbnail is a picture of the faces.
    ASSERT_TRUE(test::contains(path("in.jpg"), inner));
    ASSERT_EQ(cv::imread(path("in.jpg")).rows, 640) << "the orientation is not found";

    const auto result = anonymize("in.jpg", "out.jpg");
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string out = test::contents(path("out.jpg"));
    for (const std::string secret : {"Alice", "Exif", "adobe", "MPF", "Photoshop"}) {
        EXPECT_EQ(out.find(secret), std::string::npos) << secret;
    }
    EXPECT_EQ(out.find(inner), std::string::npos);
    EXPECT_EQ(out.substr(out.size() - 2), "\xFF\xD9");
    // One image only: a start marker of a second one would follow an end marker.
    EXPECT_EQ(out.find("\xFF\xD9\xFF\xD8"), std::string::npos);
    const cv::Mat hidden = cv::imread(path("out.jpg"));
    EXPECT_EQ(hidden.rows, 640);
    EXPECT_EQ(hidden.cols, 480);
    const nlohmann::json report = nlohmann::json::parse(test::contents(path("out.report.json")));
    EXPECT_GE(report.at("files").at(0).at("faces_detected"), 4);
}

TEST_F(AnonymizeImage, KeepsTheFormat) {
    const cv::Mat image = crowd();
    for (const std::string extension : {"png", "webp", "tif", "bmp", "jpg"}) {
        SCOPED_TRACE(extension);
        cv::imwrite(path("in." + extension), image);
        EXPECT_EQ(anonymize("in." + extension, "out." + extension).status, 0);
        EXPECT_EQ(test::contents(path("in." + extension)).substr(0, 2),
                  test::contents(path("out." + extension)).substr(0, 2));
        const cv::Mat hidden = cv::imread(path("out." + extension));
        ASSERT_EQ(hidden.size(), image.size());
        cv::Mat difference;
        cv::absdiff(hidden, image, difference);
        EXPECT_GT(cv::countNonZero(difference.reshape(1) > 40), 500) << "nothing is hidden";
    }
    // Colors below transparent pixels are gone, too.
    cv::Mat transparent;
    cv::cvtColor(image, transparent, cv::COLOR_BGR2BGRA);
    transparent.forEach<cv::Vec4b>([](cv::Vec4b& pixel, const int*) { pixel[3] = 0; });
    cv::imwrite(path("clear.png"), transparent);
    EXPECT_NE(anonymize("clear.png", "clear_out.png").out.find("over white"), std::string::npos);
    const cv::Mat clear = cv::imread(path("clear_out.png"), cv::IMREAD_UNCHANGED);
    EXPECT_EQ(cv::countNonZero(clear.reshape(1) != 255), 0);
}

// Transparent everywhere but in a square that moves.
cv::Mat cut_out(const cv::Mat& image, int frame) {
    cv::Mat cut;
    cv::cvtColor(image, cut, cv::COLOR_BGR2BGRA);
    const cv::Rect shown(100 + frame, 90, 60, 60);
    for (int y = 0; y < cut.rows; ++y) {
        for (int x = 0; x < cut.cols; ++x) cut.at<cv::Vec4b>(y, x)[3] = shown.contains({x, y}) ? 255 : 0;
    }
    return cut;
}

// What transparency hides is neither searched nor written, in every kind of file that has it.
TEST_F(AnonymizeImage, ComposesAnimationsAndVideosOverWhite) {
    TH_NEED_FFMPEG();
    const std::vector<std::string> small = {"crowd", path("small.png"), "--faces", "6", "--size", "320x240"};
    ASSERT_EQ(run_program(small).status, 0);
    const cv::Mat image = cv::imread(path("small.png"));
    constexpr int kFrames = 2;
    // Returns the number of faces in each frame.
    const auto faces = [&](const std::string& name) {
        const std::vector<std::string> detect = {"detect",     path(name), "--detector", "haar",
                                                 "--min-hits", "1",        "--json",     path("found.jsonl")};
        EXPECT_EQ(run_program(detect).status, 0);
        std::istringstream lines(test::contents(path("found.jsonl")));
        std::vector<std::size_t> counts;
        for (std::string line; std::getline(lines, line);) {
            counts.push_back(nlohmann::json::parse(line).at("kept").size());
        }
        return counts;
    };
    ASSERT_GE(faces("small.png").at(0), 4U);
    for (int i = 0; i < kFrames; ++i) cv::imwrite(path("p" + std::to_string(i) + ".png"), cut_out(image, i));
    const std::string frames = "-framerate 10 -i " + path("p%d.png") + " ";
    int written = 0;
    for (const auto& [name, arguments] : {std::pair<std::string, std::string>{"cut_anim.png", "-f apng -pix_fmt rgba"},
                                          {"prores.mov", "-c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le"},
                                          {"rle.mov", "-c:v qtrle -pix_fmt argb"},
                                          {"png.mov", "-c:v png -pix_fmt rgba"},
                                          {"ffv1.mkv", "-c:v ffv1 -pix_fmt bgra"},
                                          {"vp9.webm", "-c:v libvpx-vp9 -pix_fmt yuva420p -auto-alt-ref 0"},
                                          {"vp8.webm", "-c:v libvpx -pix_fmt yuva420p -auto-alt-ref 0"},
                                          {"ut.avi", "-c:v utvideo -pix_fmt gbrap"}}) {
        SCOPED_TRACE(name);
        try {
            test::ffmpeg(frames + arguments, path(name));
        } catch (const std::runtime_error&) {
            continue;  // this FFmpeg has no such encoder
        }
        ++written;
        const std::string out = name.ends_with(".png") ? "hidden.png" : "hidden.mkv";
        const auto result = anonymize(name, out);
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_NE(result.out.find("over white"), std::string::npos) << result.out;
        const nlohmann::json notes =
            nlohmann::json::parse(test::contents(path("hidden.report.json"))).at("files").at(0).at("notes");
        EXPECT_NE(notes.dump().find("over white"), std::string::npos);
        const test::MediaFacts facts = test::inspect(path(out), kFrames);
        ASSERT_EQ(facts.gray.size(), static_cast<std::size_t>(kFrames));
        for (const std::vector<std::uint8_t>& gray : facts.gray) {
            const cv::Mat hidden(image.rows, image.cols, CV_8UC1, const_cast<std::uint8_t*>(gray.data()));
            double low = 0;
            cv::minMaxLoc(hidden(cv::Rect(0, 0, 320, 80)), &low);
            EXPECT_GE(low, out == "hidden.png" ? 250 : 230) << "shown";
        }
        // Nor is it searched.
        const std::vector<std::size_t> found = faces(name);
        ASSERT_EQ(found.size(), static_cast<std::size_t>(kFrames));
        EXPECT_LE(*std::max_element(found.begin(), found.end()), 2U);
    }
    EXPECT_GE(written, 4);
}

// The fourth byte of these files is padding.
TEST_F(AnonymizeImage, PaddingIsNoTransparency) {
    TH_NEED_FFMPEG();
    cv::Mat image;
    cv::cvtColor(crowd(), image, cv::COLOR_BGR2BGRA);
    image.forEach<cv::Vec4b>([](cv::Vec4b& pixel, const int*) { pixel[3] = 0; });
    std::ofstream(path("raw"), std::ios::binary)
        .write(reinterpret_cast<const char*>(image.data), static_cast<std::streamsize>(image.total() * 4));
    test::ffmpeg("-f rawvideo -pix_fmt bgra -video_size 640x480 -i " + path("raw") + " -c:v rawvideo -pix_fmt bgra",
                 path("screen.avi"));
    std::string targa(18, '\0');  // truecolor, from the top, no attribute bits
    targa[2] = 2;
    targa[12] = static_cast<char>(640 & 0xFF);
    targa[13] = 640 >> 8;
    targa[14] = static_cast<char>(480 & 0xFF);
    targa[15] = 480 >> 8;
    targa[16] = 32;
    targa[17] = 0x20;
    std::ofstream(path("screen.tga"), std::ios::binary) << targa << test::contents(path("raw"));
    for (const auto& [name, out] : {std::pair{"screen.avi", "hidden.mkv"}, std::pair{"screen.tga", "hidden.png"}}) {
        SCOPED_TRACE(name);
        const auto result = anonymize(name, out);
        ASSERT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.out.find("over white"), std::string::npos) << result.out;
        const nlohmann::json report = nlohmann::json::parse(test::contents(path("hidden.report.json")));
        EXPECT_GE(report.at("files").at(0).at("faces_detected"), 4);
    }
}

// The delays of a GIF in hundredths of a second, and its repetitions: -1 without a count.
struct AnimationTiming {
    std::vector<int> delays;
    int count = -1;
    friend bool operator==(const AnimationTiming&, const AnimationTiming&) = default;
};

AnimationTiming gif_timing(const std::string& bytes) {
    AnimationTiming timing;
    const auto number = [&](std::size_t at) {
        return static_cast<std::uint8_t>(bytes.at(at)) + 256 * static_cast<std::uint8_t>(bytes.at(at + 1));
    };
    for (std::size_t at = bytes.find("\x21\xF9\x04"); at != std::string::npos;
         at = bytes.find("\x21\xF9\x04", at + 8)) {
        if (bytes.at(at + 7) == 0) timing.delays.push_back(number(at + 4));
    }
    if (const std::size_t loop = bytes.find("NETSCAPE2.0"); loop != std::string::npos) timing.count = number(loop + 13);
    return timing;
}

// The same of a PNG; its count is the number of times it is played, 0 for no end.
AnimationTiming png_timing(const std::string& bytes) {
    AnimationTiming timing;
    const auto number = [&](std::size_t at, std::size_t size) {
        int value = 0;
        for (std::size_t i = 0; i < size; ++i) value = 256 * value + static_cast<std::uint8_t>(bytes.at(at + i));
        return value;
    };
    for (std::size_t at = 8; at + 12 <= bytes.size(); at += 12 + static_cast<std::size_t>(number(at, 4))) {
        const std::string type = bytes.substr(at + 4, 4);
        if (type == "acTL") timing.count = number(at + 12, 4);
        if (type == "fcTL") timing.delays.push_back(100 * number(at + 28, 2) / number(at + 30, 2));
    }
    return timing;
}

TEST_F(AnonymizeImage, KeepsTheLastDelayAndTheLoopsOfAnimations) {
    TH_NEED_FFMPEG();
    const std::string input = "-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.6 ";
    const std::vector<int> delays = {10, 10, 10, 10, 10, 300};
    for (const int repetitions : {-1, 0, 2}) {
        SCOPED_TRACE(repetitions);
        const std::string loop = std::to_string(repetitions);
        test::ffmpeg(input + "-final_delay 300 -loop " + loop + " -f gif", path("in.gif"));
        const AnimationTiming before = gif_timing(test::contents(path("in.gif")));
        ASSERT_EQ(before, (AnimationTiming{delays, repetitions}));
        ASSERT_EQ(anonymize("in.gif", "out.gif").status, 0);
        EXPECT_EQ(gif_timing(test::contents(path("out.gif"))), before);
        ASSERT_EQ(anonymize("in.gif", "from_gif.png").status, 0);
        const int plays = repetitions == -1 ? 1 : repetitions == 0 ? 0 : repetitions + 1;
        EXPECT_EQ(png_timing(test::contents(path("from_gif.png"))), (AnimationTiming{delays, plays}));
    }
    for (const int plays : {0, 1, 3}) {
        SCOPED_TRACE(plays);
        test::ffmpeg(input + "-final_delay 3 -plays " + std::to_string(plays) + " -f apng", path("in.png"));
        ASSERT_EQ(png_timing(test::contents(path("in.png"))), (AnimationTiming{delays, plays}));
        ASSERT_EQ(anonymize("in.png", "out.png").status, 0);
        EXPECT_EQ(png_timing(test::contents(path("out.png"))), (AnimationTiming{delays, plays}));
        ASSERT_EQ(anonymize("in.png", "from_png.gif").status, 0);
        const int repetitions = plays == 1 ? -1 : plays == 0 ? 0 : plays - 1;
        EXPECT_EQ(gif_timing(test::contents(path("from_png.gif"))), (AnimationTiming{delays, repetitions}));
    }
}

TEST_F(AnonymizeImage, FoldersLoseNoFileWithoutNamingIt) {
    TH_NEED_FFMPEG();
    ASSERT_EQ(run_program({"crowd", path("clip.mp4"), "--faces", "3", "--size", "160x120", "--frames", "3"}).status, 0);
    fs::create_directory(path("in"));
    std::vector<std::uint8_t> jpeg;
    cv::imencode(".jpg", crowd(), jpeg);
    const std::string photo(jpeg.begin(), jpeg.end());
    std::set<std::string> expected;
    const auto put = [&](const std::string& name, const std::string& content) {
        std::ofstream(path("in/" + name), std::ios::binary) << content;
        expected.insert(name);
    };
    put("IMG_1.HEIC", photo);
    put("IMG_2.jpg", photo);
    put("no extension", photo);
    put("strange.xyz", photo);
    for (const auto& [name, arguments] : {std::pair<std::string, std::string>{"VTS_01_1.VOB", "-f vob"},
                                          {"tape.dv", "-s 720x576 -r 25 -pix_fmt yuv420p -f dv"},
                                          {"cam.mod", "-f vob"},
                                          {"cam.TRP", "-c:v mpeg2video -f mpegts"},
                                          {"raw.y4m", "-f yuv4mpegpipe -pix_fmt yuv420p"},
                                          {"a.ivf", "-c:v libvpx -f ivf"},
                                          {"a.qt", "-f mov"},
                                          {"a.f4v", "-f mp4"},
                                          {"a.insv", "-f mp4"},
                                          {"a.lrv", "-f mp4"},
                                          {"a.h264", "-c:v libx264 -f h264"},
                                          {"a.tga", "-frames:v 1 -c:v targa -f image2"},
                                          {"00042", "-f mp4"},
                                          {"a.jp2", "-frames:v 1 -c:v jpeg2000 -f image2"}}) {
        test::ffmpeg("-i " + path("clip.mp4") + " " + arguments, path("in/" + name));
        expected.insert(name);
    }
    for (const std::string name : {"notes.txt", "IMG_2.xmp", "IMG_2.jpg.report.json", "old.jsonl", "README"}) {
        std::ofstream(path("in/" + name)) << "words\n";
    }
    const auto run = [&] {
        fs::remove_all(path("out"));
        return run_program({"detect", path("in"), "--out", path("out"), "--detector", "haar", "--min-size=100"});
    };
    auto result = run();
    EXPECT_EQ(result.status, 0) << result.err;
    std::set<std::string> written;
    for (const auto& entry : fs::recursive_directory_iterator(path("out"))) {
        if (entry.path().extension() == ".jsonl") written.insert(entry.path().stem().string());
    }
    for (const std::string& name : expected) EXPECT_TRUE(written.contains(name)) << name;
    EXPECT_NE(result.err.find("5 other files in the folders are not inputs: "), std::string::npos) << result.err;
    for (const std::string name : {"notes.txt", "IMG_2.xmp", "IMG_2.jpg.report.json", "old.jsonl", "README"}) {
        EXPECT_NE(result.err.find(path("in/" + name)), std::string::npos) << name;
    }
    // What looks like an image, but cannot be read, is named.
    put("IMG_3.HEIC", std::string(3, '\0') + '\x18' + "ftypheic" + std::string(4, '\0') + "mif1heic");
    result = run();
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("IMG_3.HEIC"), std::string::npos) << result.err;
}

TEST_F(AnonymizeImage, HidesADamagedJpegEntirely) {
    std::vector<std::uint8_t> bytes;
    cv::imencode(".jpg", crowd(), bytes);
    const auto half = static_cast<std::ptrdiff_t>(bytes.size() / 2);
    bytes.erase(bytes.begin() + half, bytes.begin() + half + 4096);
    std::ofstream(path("lost.jpg"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    const auto result = anonymize("lost.jpg", "out.jpg");
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.err.find("lost.jpg"), std::string::npos) << result.err;
    const nlohmann::json report = nlohmann::json::parse(test::contents(path("out.report.json"))).at("files").at(0);
    EXPECT_EQ(report.at("frames_hidden_whole"), 1);
    EXPECT_NE(report.at("incomplete").get<std::string>().find("damaged"), std::string::npos);
}

// What a file is, its content decides: the same in a folder and alone, whatever the name.
TEST_F(AnonymizeImage, WritesMotionJpegAsAVideo) {
    TH_NEED_FFMPEG();
    ASSERT_EQ(run_program({"crowd", path("crowd.mp4"), "--faces", "4", "--size", "320x240", "--frames", "6"}).status,
              0);
    fs::create_directory(path("in"));
    test::ffmpeg("-i " + path("crowd.mp4") + " -q:v 4 -f mjpeg", path("in/cam.mjpeg"));
    fs::copy_file(path("in/cam.mjpeg"), path("in/CAM2.MJPG"));
    fs::copy_file(path("in/cam.mjpeg"), path("in/burst.jpg"));
    std::vector<std::uint8_t> photo;
    cv::imencode(".jpg", crowd(), photo);
    std::ofstream(path("in/clip.mp4"), std::ios::binary)
        .write(reinterpret_cast<const char*>(photo.data()), static_cast<std::streamsize>(photo.size()));
    const auto result = run_program({"anonymize", path("in"), "--out", path("out"), "--detector", "haar"});
    EXPECT_EQ(result.status, 0) << result.err;
    for (const std::string name : {"cam.mjpeg.mp4", "CAM2.MJPG.mp4", "burst.jpg.mp4"}) {
        EXPECT_EQ(test::inspect(path("out/" + name)).times.size(), 6U) << name;
    }
    EXPECT_EQ(cv::imread(path("out/clip.mp4.png")).cols, 640);
    EXPECT_EQ(anonymize("in/cam.mjpeg", "one.MP4").status, 0);
    EXPECT_EQ(test::inspect(path("one.MP4")).times.size(), 6U);
}

// Videos with the names of images and animations are videos, with every frame and their audio.
TEST_F(AnonymizeImage, WritesVideosWithTheNamesOfImagesAsVideos) {
    TH_NEED_FFMPEG();
    ASSERT_EQ(run_program({"crowd", path("crowd.mp4"), "--faces", "4", "--size", "320x240", "--frames", "6"}).status,
              0);
    fs::create_directory(path("in"));
    test::ffmpeg("-f lavfi -i sine=440 -i " + path("crowd.mp4") + " -shortest -c:v copy", path("in/a.mp4"));
    test::ffmpeg("-i " + path("crowd.mp4"), path("in/b.gif"));
    for (const char* name : {"in/video.jpg", "in/video.png", "in/video.gif"})
        fs::copy_file(path("in/a.mp4"), path(name));
    for (const char* name : {"in/moves.jpg", "in/moves.webp"}) fs::copy_file(path("in/b.gif"), path(name));
    const auto result =
        run_program({"anonymize", path("in"), "--out", path("out"), "--detector", "haar", "--audio", "copy"});
    EXPECT_EQ(result.status, 0) << result.err;
    for (const std::string name : {"video.jpg.mp4", "video.png.mp4", "video.gif.mp4"}) {
        const test::MediaFacts facts = test::inspect(path("out/" + name));
        EXPECT_EQ(facts.times.size(), 6U) << name;
        EXPECT_EQ(facts.streams, (std::vector<std::string>{"video h264", "audio aac"})) << name;
    }
    for (const std::string name : {"moves.jpg.gif", "moves.webp.gif"}) {
        EXPECT_EQ(test::inspect(path("out/" + name)).times.size(), 6U) << name;
    }
}

TEST_F(AnonymizeImage, KeepsEveryFrameOfAnimations) {
    TH_NEED_FFMPEG();
    ASSERT_EQ(
        run_program({"crowd", path("crowd.mp4"), "--faces", "6", "--size", "480x320", "--frames", "8", "--fps", "10"})
            .status,
        0);
    test::ffmpeg("-i " + path("crowd.mp4") + " -vf 'split[a][b];[a]palettegen[p];[b][p]paletteuse'", path("in.gif"));
    test::ffmpeg("-i " + path("crowd.mp4") + " -f apng -plays 0", path("in.png"));
    for (const std::string extension : {"gif", "png"}) {
        SCOPED_TRACE(extension);
        const auto result = anonymize("in." + extension, "out." + extension);
        EXPECT_EQ(result.status, 0) << result.err;
        const test::MediaFacts before = test::inspect(path("in." + extension), 8);
        const test::MediaFacts after = test::inspect(path("out." + extension), 8);
        EXPECT_EQ(before.container, after.container);
        ASSERT_EQ(after.times.size(), 8U);
        for (std::size_t i = 0; i < 8; ++i) {
            EXPECT_NEAR(before.times[i], after.times[i], 1e-3);
            const double similarity = test::psnr(before.gray[i], after.gray[i]);
            EXPECT_LT(similarity, 40) << "nothing is hidden in frame " << i;
            EXPECT_GT(similarity, 18) << "frame " << i;
        }
    }
}

TEST_F(AnonymizeImage, RejectsWhatItCannotWriteCompletely) {
    const cv::Mat image = crowd();
    cv::imwritemulti(path("pages.tif"), std::vector<cv::Mat>{image, image});
    const auto pages = anonymize("pages.tif", "out.tif");
    EXPECT_EQ(pages.status, 3);
    EXPECT_NE(pages.err.find("2 pages"), std::string::npos) << pages.err;
    EXPECT_FALSE(fs::exists(path("out.tif")));

    cv::imwrite(path("whole.jpg"), image);
    const std::string bytes = test::contents(path("whole.jpg"));
    std::ofstream(path("cut.jpg"), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    const auto cut = anonymize("cut.jpg", "out.jpg");
    EXPECT_EQ(cut.status, 3);
    // The whole image is hidden: few colors remain.
    const cv::Mat hidden = cv::imread(path("out.jpg"), cv::IMREAD_GRAYSCALE);
    ASSERT_FALSE(hidden.empty());
    cv::Mat edges;
    cv::Laplacian(hidden, edges, CV_16S);
    EXPECT_LT(cv::norm(edges, cv::NORM_INF), 60);

    EXPECT_EQ(anonymize("whole.jpg", "out.mp4").status, 2);
    EXPECT_EQ(anonymize("whole.jpg", "out.xyz").status, 2);
}

}  // namespace
}  // namespace throng
