// Decodes PNG images with libpng, which reports damage that OpenCV does not return, and encodes them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <opencv2/core.hpp>
#include <span>
#include <vector>

#include "core/video/image_pixels.h"

namespace throng {

// The first image of an animation. Scales 16 bits to 8. Writes nothing to standard error. Rows that a damaged image does
// not have are gray (128).
class PngRows final : public PixelRows {
public:
    // bytes: must outlive it.
    explicit PngRows(std::span<const std::uint8_t> bytes);
    explicit PngRows(OpenFile file);
    ~PngRows() override;

    [[nodiscard]] cv::Size size() const override;
    [[nodiscard]] int channels() const override;
    // Returns true if each row is complete only after the last one. next() decodes all rows then.
    [[nodiscard]] bool is_interlaced() const;
    [[nodiscard]] ImagePixels next(int num_rows) override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Writes nothing to standard error. Decodes a damaged image as far as possible.
[[nodiscard]] ImagePixels decode_png(std::span<const std::uint8_t> bytes);

// image: gray or BGR, 8 bits. Returns nothing if the format cannot hold it.
[[nodiscard]] std::vector<std::uint8_t> encode_png(const cv::Mat& image);

// Writes an image row by row: gray or BGR, 8 bits.
class PngWriter {
public:
    // file: must outlive it.
    PngWriter(std::FILE* file, cv::Size size, int channels);
    ~PngWriter();
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;

    // Writes the next rows. The last one completes the file. Returns false if the format cannot hold the image, or the
    // file cannot be written.
    [[nodiscard]] bool write(const cv::Mat& rows);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace throng
