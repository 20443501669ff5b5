// Converts frames to the input of an encoder: yuv420p, one range, one even size.
#pragma once

#include "core/frame/frame.h"
#include "core/video/av.h"

namespace throng {

class EncoderFrame {
public:
    // Sets the size of all frames: this size, rounded up to even.
    void set_size(int width, int height);
    // Sets the range of all frames; limited by default.
    void set_range(ColorRange range) { range_ = range; }
    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }

    // Returns the frame as an AVFrame, valid until the next call. A frame of another size is scaled to fit and centered
    // on black.
    [[nodiscard]] AVFrame& fill(const Frame& frame);

private:
    void scale(const Frame& frame, int x, int y, int width, int height);

    int width_ = 0;
    int height_ = 0;
    ColorRange range_ = ColorRange::limited;
    av::FramePtr av_frame_;
    av::ScalerPtr scaler_;
};

}  // namespace throng
