// Image files that tests make, and checks of their pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "core/frame/frame.h"
#include "tests/support/test_data.h"

namespace throng::test {

using Bytes = std::vector<std::uint8_t>;

// Where a white corner that is stored top left is displayed, by the orientation.
struct DisplayedCorner {
    std::uint8_t orientation;
    bool right, bottom, transposed;
};
inline constexpr DisplayedCorner kDisplayed[] = {
    {1, false, false, false}, {2, true, false, false}, {3, true, true, false}, {4, false, true, false},
    {5, false, false, true},  {6, true, false, true},  {7, true, true, true},  {8, false, true, true}};

[[nodiscard]] cv::Mat gradient_image(int width, int height, int type);
[[nodiscard]] Bytes encode_bytes(const std::string& extension, const cv::Mat& image,
                                 const std::vector<int>& settings = {});
std::string write_bytes(const ScratchDir& scratch, const std::string& name, const Bytes& bytes);
void expect_same_pixels(const Frame& frame, const cv::Mat& image);
void expect_rejected_image(const std::string& path, const std::string& words);
[[nodiscard]] Bytes big32(std::size_t value);
void append(Bytes& to, const Bytes& bytes);
[[nodiscard]] Bytes text_bytes(const std::string& text);
// Little-endian, uncompressed, with the orientation. channels: 1, 3, or 4 with alpha.
[[nodiscard]] Bytes tiff_with_orientation(const cv::Mat& image, std::uint8_t orientation);
// In an APP1 segment with one entry (EXIF 2.3, section 4.6.4).
[[nodiscard]] Bytes jpeg_with_orientation(Bytes jpeg, std::uint8_t orientation);
// EXIF data of one entry in either byte order: orientation.
[[nodiscard]] Bytes exif_data(bool little, std::uint8_t orientation);
// With the chunk before or after the pixels (PNG 3, section 11.3.4.4).
[[nodiscard]] Bytes png_with_exif(Bytes png, const Bytes& exif, bool at_end);
void expect_corner(const Frame& frame, const DisplayedCorner& expected);
[[nodiscard]] cv::Mat with_white_corner(int type);

}  // namespace throng::test
