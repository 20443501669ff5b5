// What the decoders of still images return.
#pragma once

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

// Returns the error of an image without pixels. why: the decoder's text, if it has one.
[[nodiscard]] inline Error undecodable_image(const std::string& why = "", const std::string& path = "") {
    return {ErrorKind::input, "the image cannot be decoded" + (why.empty() ? "" : ": " + why), path,
            "the file is damaged or cut short"};
}

}  // namespace throng
