// Decodes JPEG images with libjpeg, which reports damage that OpenCV does not return, and encodes them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <opencv2/core.hpp>
#include <span>
#include <vector>

#include "core/video/image_pixels.h"

namespace throng {

// Writes nothing to standard error. Rows that a damaged image does not have are gray (128).
class JpegRows final : public PixelRows {
public:
    // bytes: must outlive it.
    explicit JpegRows(std::span<const std::uint8_t> bytes);
    explicit JpegRows(OpenFile file);
    ~JpegRows() override;

    [[nodiscard]] cv::Size size() const override;
    [[nodiscard]] int channels() const override;
    [[nodiscard]] ImagePixels next(int num_rows) override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Writes nothing to standard error. Decodes a damaged image as far as possible.
[[nodiscard]] ImagePixels decode_jpeg(std::span<const std::uint8_t> bytes);

// image: gray or BGR, 8 bits. quality: 0 to 100. Colors have half the resolution in both directions (4:2:0). Returns
// nothing if the format cannot hold the image: more than 65,500 pixels in one direction.
[[nodiscard]] std::vector<std::uint8_t> encode_jpeg(const cv::Mat& image, int quality);

// Writes the image that encode_jpeg encodes, row by row.
class JpegWriter {
public:
    // file: must outlive it.
    JpegWriter(std::FILE* file, cv::Size size, int channels, int quality);
    ~JpegWriter();
    JpegWriter(const JpegWriter&) = delete;
    JpegWriter& operator=(const JpegWriter&) = delete;

    // Writes the next rows. The last one completes the file. Returns false if the format cannot hold the image, or the
    // file cannot be written.
    [[nodiscard]] bool write(const cv::Mat& rows);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace throng
