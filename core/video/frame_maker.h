// Converts AVFrames to Frames: without a copy if PixelFormat has the format, otherwise through swscale.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/frame/frame_pool.h"
#include "core/video/av.h"
#include "core/video/orientation.h"
#include "core/video/source.h"

namespace throng {

// Not thread-safe. Use one per source.
class FrameMaker {
public:
    // options: whether frames remain on the device, and what converts them there.
    explicit FrameMaker(const SourceOptions& options = {})
        : keep_on_device_(options.prefer_device_frames),
          device_(options.device),
          make_converter_(options.make_converter) {}

    // From now on, frames are returned in host memory.
    void disable_device_frames() noexcept { keep_on_device_ = false; }

    // Returns the decoded frame with the orientation applied. yuv420p, nv12 and gray are not copied. yuv422p and
    // yuv444p share their luma plane. Other formats are converted to yuv420p, gray8 or bgr24. Transparent pixels are
    // composed over white. Device frames with 8 or 10
    // bits remain on the device, as NV12, if the options prefer that and they need no rotation. The caller sets index, pts
    // and captured. Throws Error(input) for a format that cannot be converted.
    [[nodiscard]] Frame make(av::FramePtr av_frame, Orientation orientation);

    // Returns a frame over the planes of av_frame, which are NV12 in the memory of this device.
    [[nodiscard]] static Frame wrap(av::FramePtr av_frame, DeviceConverter& device);

    // From now on, the fourth channel of a format with alpha is ignored, or used again.
    void ignore_alpha(bool ignore) noexcept { ignore_alpha_ = ignore; }
    // Returns true if the last frame had transparent pixels.
    [[nodiscard]] bool composed() const noexcept { return composed_; }

private:
    [[nodiscard]] Frame make_on_device(av::FramePtr& av_frame);
    [[nodiscard]] Frame make_on_host(av::FramePtr av_frame);
    [[nodiscard]] Frame with_shared_luma(av::FramePtr av_frame, FrameInfo info);
    [[nodiscard]] Frame converted(const AVFrame& av_frame, FrameInfo info);
    [[nodiscard]] Frame composed_planes(const AVFrame& av_frame, const FrameInfo& info);
    [[nodiscard]] Frame composed_colors(const AVFrame& av_frame, FrameInfo info);
    void scale(const AVFrame& av_frame, const FrameInfo& info, AVPixelFormat to, bool full_range,
               std::uint8_t* const* data, const int* pitch);

    FramePool pool_;
    av::ScalerPtr scaler_;
    std::vector<std::uint8_t> colors_;  // with alpha
    bool keep_on_device_;
    int device_;
    MakeDeviceConverter make_converter_;  // null: frames with 10 bits are converted on the host
    std::unique_ptr<DeviceConverter> converter_;
    bool ignore_alpha_ = false;
    bool composed_ = false;
};

// Returns range and matrix of a decoded frame. Defaults for unspecified values: full range for the JPEG formats and
// gray with and without alpha, otherwise limited; BT.601 for JPEG and standard definition, otherwise BT.709.
[[nodiscard]] FrameInfo describe(const AVFrame& av_frame);

[[nodiscard]] AVPixelFormat ffmpeg_format(PixelFormat format) noexcept;

// Returns FFmpeg's constant for a matrix, as sws_getCoefficients takes it.
[[nodiscard]] int sws_matrix(ColorMatrix matrix) noexcept;

}  // namespace throng
