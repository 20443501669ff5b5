#include "core/cpu/level_rows.h"

#include "core/algo/resize_linear.h"
#include "core/cpu/image_kernels.h"

namespace throng {

LevelRows::LevelRows(int frame_width, int frame_height, int width, int height)
    : frame_width_(frame_width), frame_height_(frame_height), width_(width), height_(height) {
    if (width == frame_width && height == frame_height) return;
    for (int x = 0; x < width; ++x) {
        const ResizeTap tap = resize_tap(x, frame_width, width);
        offsets_.push_back(tap.offset);
        weights_.push_back(tap.near | tap.far << 16);
    }
    offsets_.resize(offsets_.size() + kResampleSlack);
    weights_.resize(weights_.size() + kResampleSlack);
}

const std::uint8_t* LevelRows::row(const PlaneView& gray, int y, std::uint16_t* blended, std::uint8_t* resized) const {
    if (offsets_.empty()) return gray.data + y * gray.pitch;
    const ResizeTap tap = resize_tap(y, frame_height_, height_);
    const std::uint8_t* above = gray.data + tap.offset * gray.pitch;
    const std::uint8_t* below = tap.far != 0 ? above + gray.pitch : above;
    blend_rows(above, below, tap.near, tap.far, frame_width_, blended);
    resample_row(blended, offsets_.data(), weights_.data(), width_, resized);
    return resized;
}

}  // namespace throng
