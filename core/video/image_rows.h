// Still images that are too large for memory, read in strips: JPEG, PNG and TIFF.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "core/frame/frame.h"
#include "core/video/image_header.h"
#include "core/video/image_pixels.h"

namespace throng {

// Opens a file to be read from its start. Only regular files: opening or reading another kind may block for ever. Throws
// Error(input).
[[nodiscard]] OpenFile open_image_bytes(const std::filesystem::path& path);

// Describes an image all of whose strips were decoded once.
struct ImageStrips {
    std::shared_ptr<const FrameRows> rows;
    PixelFormat format{};  // gray8 or bgr24
    std::string damage;    // as in ImagePixels
    bool cut = false;
    bool composed = false;
    bool is_dark = false;  // the file has more than 8 bits per sample, whose high bits are 0
};

// header: of the file. Decodes the image once. Its rows are those of the image as it is displayed. Throws Error(input) for
// an image that cannot be decoded, and for one that cannot be read in strips: one whose orientation exchanges rows and
// columns or, in a JPEG or PNG file, top and bottom; an interlaced PNG file; a TIFF file with strips or tiles that are too
// large, or samples that libtiff does not convert. Its readers throw Error(input) for damage that was not there before.
// stop, reader_stop: end this function and the readers with Error(interrupted).
[[nodiscard]] ImageStrips open_strips(const std::filesystem::path& path, const ImageHeader& header,
                                      const std::stop_token& stop, const std::stop_token& reader_stop);

// Composes transparent pixels over white, in place, and sets `composed` if there are any. Gray images with alpha become
// BGR.
void compose_over_white(ImagePixels& pixels);

// Returns the largest sample.
[[nodiscard]] double max_sample(const cv::Mat& image);
// Returns true for an image whose samples of 8 bits use a small part of their range, as those of 12 bits in 16.
[[nodiscard]] bool is_dark(double largest);

}  // namespace throng
