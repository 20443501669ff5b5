// TIFF images by libtiff, which reports damage that OpenCV does not return.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/video/image_header.h"
#include "core/video/image_pixels.h"

namespace throng {

// Reads the first directory of a file, and counts the pages. A width of 0: the file is damaged, or its beginning alone
// does not have the directory.
[[nodiscard]] ImageHeader read_tiff_header(std::span<const std::uint8_t> bytes);
[[nodiscard]] ImageHeader read_tiff_header(OpenFile opened);

// The first image. Writes nothing to standard error. Has no size and no rows for samples that libtiff does not convert: 32
// bits, floating point; next() reports their damage, too.
class TiffRows final : public PixelRows {
public:
    // bytes: must outlive it.
    explicit TiffRows(std::span<const std::uint8_t> bytes);
    // from_bottom: returns the last row first.
    explicit TiffRows(OpenFile file, bool from_bottom = false);
    ~TiffRows() override;

    [[nodiscard]] cv::Size size() const override;
    [[nodiscard]] int channels() const override;
    // Returns the rows that the file stores as one strip or tile, which are decoded together; 1 without a size.
    [[nodiscard]] int rows_of_strip() const;
    // Returns whole strips or tiles. Throws Error(input) without a place for transparency that cannot be read.
    [[nodiscard]] ImagePixels next(int num_rows) override;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Decodes the first image as far as possible. Writes nothing to standard error. `image` is empty for samples that
// libtiff does not convert: 32 bits, floating point; their damage is reported, too. Throws Error(input) without a place
// for transparency that cannot be read.
[[nodiscard]] ImagePixels decode_tiff(std::span<const std::uint8_t> bytes);

}  // namespace throng
