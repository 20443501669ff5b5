// What FFmpeg's libraries and a scan of the bytes find in a file, to compare an output with its input.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace throng::test {

struct MediaFacts {
    std::string container;
    std::vector<std::string> streams;   // "video h264", "audio aac", "subtitle mov_text", "data none", "attached png"
    std::vector<std::string> metadata;  // "title=…" of the file, the streams, chapters and programs
    // Of the decoded video, in display order.
    std::vector<double> times;  // seconds from the first frame
    int width = 0, height = 0;
    int transfer = 0, primaries = 0, matrix = 0, range = 0;  // FFmpeg's enumerations, of the first frame
    double pixel_aspect = 0;                                 // 0: unknown
    bool interlaced = false;
    bool top_field_first = false;
    bool has_matrix = false;                      // a display matrix
    std::vector<std::vector<std::uint8_t>> gray;  // pixels of each frame, for a few frames only
};

// Opens the file with FFmpeg's libraries, not with the code under test. Throws std::runtime_error.
MediaFacts inspect(const std::filesystem::path& path, std::size_t keep_frames = 0);

// Returns the number of packets of all streams of a type.
int num_packets(const std::filesystem::path& path, int type);

bool contains(const std::filesystem::path& path, const std::string& bytes);

// Returns the peak signal-to-noise ratio of two images in decibels.
double psnr(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b);

}  // namespace throng::test
