// Compares an image that is decoded in strips with one that is decoded as a whole.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>

#include "core/base/error.h"
#include "core/video/image_pixels.h"
#include "tests/fuzz/input.h"

namespace throng::fuzz {

constexpr std::int64_t kMaxArea = 1 << 14;  // pixels; larger images take longer and find no more

inline bool same_pixels(const cv::Mat& a, const cv::Mat& b) {
    if (a.size() != b.size() || a.type() != b.type()) return false;
    for (int y = 0; y < a.rows; ++y) {
        if (std::memcmp(a.ptr(y), b.ptr(y), static_cast<std::size_t>(a.cols) * a.elemSize()) != 0) return false;
    }
    return true;
}

// Rows: JpegRows, TiffRows. Of damaged images, only the size of the strips is compared: a decoder may stop elsewhere.
template <class Rows>
void compare_strips(std::span<const std::uint8_t> bytes, ImagePixels (*decode)(std::span<const std::uint8_t>)) {
    try {
        Rows rows(bytes);
        const cv::Size size = rows.size();
        if (std::int64_t{size.width} * size.height > kMaxArea) return;
        const ImagePixels whole = decode(bytes);
        int y = 0;
        for (ImagePixels strip = rows.next(3); !strip.image.empty(); strip = rows.next(3)) {
            require(!whole.image.empty() && strip.image.cols == size.width);
            require(y + strip.image.rows <= size.height);
            const cv::Range range(y, y + strip.image.rows);
            y = range.end;
            if (!whole.damage.empty()) continue;
            require(strip.damage.empty() && same_pixels(strip.image, whole.image.rowRange(range)));
            require(strip.alpha.empty() == whole.alpha.empty());
            require(strip.alpha.empty() || same_pixels(strip.alpha, whole.alpha.rowRange(range)));
        }
        require(whole.image.empty() || y == size.height);
    } catch (const Error& error) {
        require(error.kind() == ErrorKind::input);
    }
}

}  // namespace throng::fuzz
