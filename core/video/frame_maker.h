// Turns decoders' frames into ours: without a copy where the format is one of ours, else through swscale.
#pragma once

#include <cstdint>
#include <string>

#include "core/frame/frame_pool.h"
#include "core/video/av.h"
#include "core/video/orientation.h"

namespace throng {

// One per source; not thread-safe.
class FrameMaker {
public:
    explicit FrameMaker(bool keep_on_device) : keep_on_device_(keep_on_device) {}

    // From now on frames are handed out in host memory.
    void leave_device() noexcept { keep_on_device_ = false; }

    // The frame of this decoded frame, upright. yuv420p, nv12 and gray are handed on where they lie, yuv422p and
    // yuv444p keep their luma where it lies; other formats are converted to yuv420p, gray8 or bgr24. Device frames
    // (NV12) stay on the device when that is wished for and they stand upright. index, pts and captured are left for
    // the caller. Throws Error(input) for a format that cannot be converted.
    [[nodiscard]] Frame make(av::FramePtr av_frame, Orientation orientation);

private:
    [[nodiscard]] Frame make_on_host(av::FramePtr av_frame);
    [[nodiscard]] Frame with_shared_luma(av::FramePtr av_frame, FrameInfo info);
    [[nodiscard]] Frame converted(const AVFrame& av_frame, FrameInfo info);

    FramePool pool_;
    av::ScalerPtr scaler_;
    bool keep_on_device_;
};

// Range and matrix of a decoded frame; where it does not say: full range for the JPEG formats and gray, else limited,
// and BT.601 for JPEG and standard definition, BT.709 above.
[[nodiscard]] FrameInfo describe(const AVFrame& av_frame);

[[nodiscard]] AVPixelFormat ffmpeg_format(PixelFormat format) noexcept;

// FFmpeg's number for a matrix, as sws_getCoefficients takes it.
[[nodiscard]] int sws_matrix(ColorMatrix matrix) noexcept;

}  // namespace throng
