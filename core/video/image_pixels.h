// What the decoders of still images return.
#pragma once

#include <cstdio>
#include <memory>
#include <opencv2/core.hpp>
#include <string>

#include "core/base/error.h"

namespace throng {

// The pixels of an image, as they are stored: without its orientation.
struct ImagePixels {
    cv::Mat image;               // gray or BGR, 8 bits; empty if nothing can be decoded
    cv::Mat alpha{};             // one channel of the same size; empty: opaque
    bool premultiplied = false;  // the colors are multiplied by alpha
    bool composed = false;       // over white already
    bool deep = false;           // the file has more than 8 bits per sample
    std::string damage{};        // the first fault of the file; empty if there is none
    bool cut = false;            // its end is missing
};

// An image that is decoded in strips, from its first row to its last. Not thread-safe.
class PixelRows {
public:
    PixelRows() = default;
    PixelRows(const PixelRows&) = delete;
    PixelRows& operator=(const PixelRows&) = delete;
    virtual ~PixelRows() = default;

    [[nodiscard]] virtual cv::Size size() const = 0;  // 0x0: the file is damaged
    [[nodiscard]] virtual int channels() const = 0;   // of the rows over white: 1 or 3
    // Decodes about this many rows, or the rest. No rows: the image has ended, or nothing of it can be decoded. Damage is
    // that of all rows so far.
    [[nodiscard]] virtual ImagePixels next(int num_rows) = 0;
};

struct FileCloser {
    void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
};
using OpenFile = std::unique_ptr<std::FILE, FileCloser>;

// Returns the error of an image without pixels. why: the decoder's text, if it has one.
[[nodiscard]] inline Error undecodable_image(const std::string& why = "", const std::string& path = "") {
    return {ErrorKind::input,
            why.empty() ? Message("the image cannot be decoded") : Message("the image cannot be decoded: %1", why),
            path, "the file is damaged or cut short"};
}

}  // namespace throng
