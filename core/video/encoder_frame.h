// Frames as the frames of an encoder: yuv420p, limited range, one even size.
#pragma once

#include "core/frame/frame.h"
#include "core/video/av.h"

namespace throng {

class EncoderFrame {
public:
    // The size of all frames: the frame's, made even.
    void set_size(int width, int height);
    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }

    // The frame as a frame, valid until the next call. A frame of another size is fitted into the middle, on black.
    [[nodiscard]] AVFrame& fill(const Frame& frame);

private:
    void scale(const Frame& frame, int x, int y, int width, int height);

    int width_ = 0;
    int height_ = 0;
    av::FramePtr av_frame_;
    av::ScalerPtr scaler_;
};

}  // namespace throng
