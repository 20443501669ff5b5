// The table of core/video/README.md: what a file is, and under which name it is written.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/anonymize_files.h"
#include "core/video/file_kind.h"
#include "tests/support/program/program.h"
#include "tests/support/test_data.h"
#include "tests/support/video_files.h"

namespace throng {
namespace {

// The files of the first column, by what they contain.
class TableFiles {
public:
    // Returns the path of a file of this content, or an empty one if the ffmpeg program cannot make it.
    std::string path_of(const std::string& content) {
        static const std::map<std::string, std::string> kByOpencv = {
            {"JPEG", ".jpg"}, {"PNG", ".png"}, {"WebP", ".webp"}, {"TIFF", ".tif"}, {"BMP", ".bmp"}, {"PNM", ".ppm"}};
        static const std::map<std::string, std::string> kByFfmpeg = {
            {"PAM", "pam"},   {"TGA", "tga"}, {"ICO", "ico"}, {"several JPEG", "mjpeg"},
            {"APNG", "apng"}, {"GIF", "gif"}, {"MP4", "mp4"}, {"Matroska", "mkv"}};
        const cv::Mat image(24, 32, CV_8UC3, cv::Scalar(20, 90, 160));
        const std::string path = (dir_.path() / "made").string();
        if (const auto found = kByOpencv.find(content); found != kByOpencv.end()) {
            if (!cv::imwrite(path + found->second, image)) return {};
            return path + found->second;
        }
        if (const auto found = kByFfmpeg.find(content); found != kByFfmpeg.end()) {
            const bool still = content == "PAM" || content == "TGA" || content == "ICO";
            try {
                test::ffmpeg(
                    std::string("-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.5") + (still ? " -frames:v 1" : ""),
                    path + "." + found->second);
            } catch (const std::runtime_error&) {
                return {};
            }
            return path + "." + found->second;
        }
        static const std::map<std::string, std::string> kBytes = {
            {"PFM", "Pf\n2 1\n-1.0\n01234567"},
            {"Radiance HDR", "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\x80\x80\x80\x80"},
            {"M3U8 playlist", "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n"},
            {"text", "no picture\n"}};
        std::ofstream(path, std::ios::binary) << kBytes.at(content);
        return path;
    }

private:
    test::ScratchDir dir_;
};

std::string without_ticks(std::string text) {
    std::erase(text, '`');
    return text;
}

TEST(FileTable, OfTheReadmeIsTrue) {
    TH_NEED_FFMPEG();
    const std::map<std::string, FileKind> kinds = {{"unknown", FileKind::unknown},
                                                   {"still", FileKind::still},
                                                   {"animation", FileKind::animation},
                                                   {"video", FileKind::video}};
    const test::ScratchDir scratch;
    TableFiles files;
    int rows = 0;
    std::istringstream readme(test::contents(test::source_dir() / "core/video/README.md"));
    bool is_table = false;
    for (std::string line; std::getline(readme, line);) {
        is_table = line.starts_with("| content |") || (is_table && line.starts_with('|'));
        if (!is_table || line.starts_with("| content |") || line.starts_with("|---")) continue;
        std::vector<std::string> cells;
        std::istringstream row(line.substr(1));
        for (std::string cell; std::getline(row, cell, '|');) {
            const std::size_t begin = cell.find_first_not_of(' ');
            cells.push_back(begin == std::string::npos ? ""
                                                       : cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
        }
        ASSERT_EQ(cells.size(), 6U) << line;
        SCOPED_TRACE(line);
        ++rows;
        const std::string made = files.path_of(cells[0]);
        if (made.empty()) continue;
        const std::string name = without_ticks(cells[3]);
        const std::string path = (scratch.path() / name).string();
        std::filesystem::copy_file(made, path, std::filesystem::copy_options::overwrite_existing);
        const FileType type = find_file_type(path);
        EXPECT_EQ(type.kind, kinds.at(cells[2]));
        EXPECT_EQ(type.demuxer, cells[1]);
        EXPECT_EQ(hidden_name(name, path), without_ticks(cells[4]));
    }
    EXPECT_GE(rows, 20);
}

}  // namespace
}  // namespace throng
