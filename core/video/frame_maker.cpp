#include "core/video/frame_maker.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/video/transparency.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

namespace throng {
namespace {

constexpr int kLimitedWhite = 235;
constexpr int kNoChroma = 128;

// Replaces the deprecated JPEG formats, for which swscale would log a warning: swscale gets the range separately.
AVPixelFormat plain_format(int format) {
    switch (format) {
        case AV_PIX_FMT_YUVJ420P: return AV_PIX_FMT_YUV420P;
        case AV_PIX_FMT_YUVJ422P: return AV_PIX_FMT_YUV422P;
        case AV_PIX_FMT_YUVJ444P: return AV_PIX_FMT_YUV444P;
        case AV_PIX_FMT_YUVJ440P: return AV_PIX_FMT_YUV440P;
        case AV_PIX_FMT_YUVJ411P: return AV_PIX_FMT_YUV411P;
        default: return static_cast<AVPixelFormat>(format);
    }
}

bool is_jpeg_format(int format) {
    return plain_format(format) != format;
}

// Returns the PixelFormat with the same memory layout, if any. The alpha plane of yuva420p comes last.
std::optional<PixelFormat> same_layout(AVPixelFormat format) {
    switch (format) {
        case AV_PIX_FMT_YUV420P:
        case AV_PIX_FMT_YUVA420P: return PixelFormat::yuv420p;
        case AV_PIX_FMT_NV12: return PixelFormat::nv12;
        case AV_PIX_FMT_GRAY8: return PixelFormat::gray8;
        case AV_PIX_FMT_BGR24: return PixelFormat::bgr24;
        default: return std::nullopt;
    }
}

PixelFormat nearest_layout(const AVPixFmtDescriptor& format) {
    if ((format.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER)) != 0) {
        return PixelFormat::bgr24;
    }
    return format.nb_components <= 2 ? PixelFormat::gray8 : PixelFormat::yuv420p;
}

ColorMatrix matrix_of(const AVFrame& av_frame) {
    switch (av_frame.colorspace) {
        case AVCOL_SPC_BT709:
        case AVCOL_SPC_SMPTE240M: return ColorMatrix::bt709;
        case AVCOL_SPC_FCC:
        case AVCOL_SPC_BT470BG:
        case AVCOL_SPC_SMPTE170M: return ColorMatrix::bt601;
        case AVCOL_SPC_BT2020_NCL:
        case AVCOL_SPC_BT2020_CL: return ColorMatrix::bt2020;
        default: break;
    }
    if (is_jpeg_format(av_frame.format)) return ColorMatrix::bt601;
    return av_frame.width >= 1280 || av_frame.height > 576 ? ColorMatrix::bt709 : ColorMatrix::bt601;
}

bool has_alpha(const AVPixFmtDescriptor& format) {
    return (format.flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
}

bool is_gray(AVPixelFormat format) {
    const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
    return format == AV_PIX_FMT_GRAY8 ||
           (descriptor != nullptr && has_alpha(*descriptor) && descriptor->nb_components == 2);
}

bool is_opaque(const AVFrame& av_frame, int plane) {
    for (int y = 0; y < av_frame.height; ++y) {
        const std::uint8_t* row = av_frame.data[plane] + std::ptrdiff_t{av_frame.linesize[plane]} * y;
        if (std::any_of(row, row + av_frame.width, [](std::uint8_t alpha) { return alpha != 255; })) return false;
    }
    return true;
}

bool has_usable_rows(const AVFrame& av_frame, int planes) {
    return std::all_of(av_frame.linesize, av_frame.linesize + planes, [](int pitch) { return pitch > 0; });
}

std::shared_ptr<const void> keep(av::FramePtr av_frame) {
    return std::shared_ptr<AVFrame>(std::move(av_frame));
}

PlaneView view(const AVFrame& av_frame, const FrameInfo& info, int plane) {
    PlaneView result = plane_shape(info.format, info.width, info.height, plane);
    result.data = av_frame.data[plane];
    result.pitch = av_frame.linesize[plane];
    return result;
}

Frame wrapped(av::FramePtr av_frame, const FrameInfo& info, Frame::HostCopy host_copy = nullptr) {
    PlaneView planes[Frame::kMaxPlanes];
    for (int p = 0; p < plane_count(info.format); ++p) planes[p] = view(*av_frame, info, p);
    return {info, planes, keep(std::move(av_frame)), host_copy};
}

av::FramePtr downloaded(const AVFrame& av_frame) {
    av::FramePtr host = av::make_frame();
    int status = av_hwframe_transfer_data(host.get(), &av_frame, 0);
    if (status >= 0) status = av_frame_copy_props(host.get(), &av_frame);
    if (status < 0) {
        throw Error(ErrorKind::internal, "a decoded frame could not be copied from the device: " + av::message(status));
    }
    return host;
}

Frame host_copy_of_device_frame(const FrameInfo& info, const void* owner) {
    FrameInfo host_info = info;
    host_info.memory = MemoryKind::host;
    return wrapped(downloaded(*static_cast<const AVFrame*>(owner)), host_info);
}

AVPixelFormat format_on_device(const AVFrame& av_frame) {
    if (av_frame.format != AV_PIX_FMT_CUDA || av_frame.hw_frames_ctx == nullptr) return AV_PIX_FMT_NONE;
    return reinterpret_cast<const AVHWFramesContext*>(av_frame.hw_frames_ctx->data)->sw_format;
}

// Averages a chroma plane to half height, and to half width if halve_width.
void halve_chroma(const std::uint8_t* from, std::ptrdiff_t from_pitch, int from_width, int from_height,
                  bool halve_width, std::uint8_t* to, const PlaneView& shape) {
    for (int y = 0; y < shape.height; ++y) {
        const std::uint8_t* top = from + 2 * from_pitch * y;
        const std::uint8_t* bottom = from + from_pitch * std::min(2 * y + 1, from_height - 1);
        std::uint8_t* out = to + shape.pitch * y;
        if (!halve_width) {
            for (int x = 0; x < shape.width; ++x) out[x] = static_cast<std::uint8_t>((top[x] + bottom[x] + 1) / 2);
            continue;
        }
        for (int x = 0; x < shape.width; ++x) {
            const int left = 2 * x;
            const int right = std::min(left + 1, from_width - 1);
            out[x] = static_cast<std::uint8_t>((top[left] + top[right] + bottom[left] + bottom[right] + 2) / 4);
        }
    }
}

}  // namespace

AVPixelFormat ffmpeg_format(PixelFormat format) noexcept {
    switch (format) {
        case PixelFormat::nv12: return AV_PIX_FMT_NV12;
        case PixelFormat::yuv420p: return AV_PIX_FMT_YUV420P;
        case PixelFormat::gray8: return AV_PIX_FMT_GRAY8;
        case PixelFormat::bgr24: return AV_PIX_FMT_BGR24;
    }
    return AV_PIX_FMT_NONE;
}

int sws_matrix(ColorMatrix matrix) noexcept {
    switch (matrix) {
        case ColorMatrix::bt601: return SWS_CS_ITU601;
        case ColorMatrix::bt709: return SWS_CS_ITU709;
        case ColorMatrix::bt2020: return SWS_CS_BT2020;
    }
    return SWS_CS_ITU709;
}

FrameInfo describe(const AVFrame& av_frame) {
    FrameInfo info;
    info.width = av_frame.width;
    info.height = av_frame.height;
    info.matrix = matrix_of(av_frame);
    const bool full_by_default =
        is_jpeg_format(av_frame.format) || is_gray(static_cast<AVPixelFormat>(av_frame.format));
    const bool full = av_frame.color_range == AVCOL_RANGE_JPEG ||
                      (av_frame.color_range == AVCOL_RANGE_UNSPECIFIED && full_by_default);
    info.range = full ? ColorRange::full : ColorRange::limited;
    return info;
}

Frame FrameMaker::make(av::FramePtr av_frame, Orientation orientation) {
    if (av_frame->hw_frames_ctx != nullptr) {
        if (keep_on_device_ && orientation.is_identity()) {
            if (Frame frame = make_on_device(av_frame)) return frame;
        }
        av_frame = downloaded(*av_frame);
    }
    Frame frame = make_on_host(std::move(av_frame));
    return orientation.is_identity() ? frame : rotated(frame, orientation, pool_);
}

Frame FrameMaker::wrap(av::FramePtr av_frame, DeviceConverter& device) {
    FrameInfo info = describe(*av_frame);
    info.format = PixelFormat::nv12;
    const PlaneView planes[] = {view(*av_frame, info, 0), view(*av_frame, info, 1)};
    return device.wrap(info, planes, keep(std::move(av_frame)));
}

// Takes the frame, unless its format cannot remain on the device: then returns no frame.
Frame FrameMaker::make_on_device(av::FramePtr& av_frame) {
    const AVPixelFormat format = format_on_device(*av_frame);
    FrameInfo info = describe(*av_frame);
    info.format = PixelFormat::nv12;
    info.memory = MemoryKind::device;
    if (format == AV_PIX_FMT_NV12) return wrapped(std::move(av_frame), info, host_copy_of_device_frame);
    if (format != AV_PIX_FMT_P010LE || make_converter_ == nullptr) return {};
    try {
        if (!converter_) converter_ = make_converter_(device_);
        const PlaneView from[] = {view(*av_frame, info, 0), view(*av_frame, info, 1)};
        return converter_->to_nv12(info, from, keep(av::checked(av::FramePtr(av_frame_clone(av_frame.get())))));
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) throw;
        logger().warn("frames are converted on the host: {}", error.what());
        make_converter_ = nullptr;
        return {};
    }
}

Frame FrameMaker::make_on_host(av::FramePtr av_frame) {
    FrameInfo info = describe(*av_frame);
    const AVPixelFormat format = plain_format(av_frame->format);
    const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
    if (descriptor == nullptr || sws_isSupportedInput(format) == 0) {
        throw Error(ErrorKind::input, {"frames in the format %1 are not supported",
                                       std::string(descriptor != nullptr ? descriptor->name : "unknown")});
    }
    composed_ = false;
    if (has_alpha(*descriptor) && !ignore_alpha_) {
        if (format != AV_PIX_FMT_YUVA420P) return composed_colors(*av_frame, info);
        if (!is_opaque(*av_frame, 3)) return composed_planes(*av_frame, info);
    }
    const std::optional<PixelFormat> same = same_layout(format);
    info.format = same.value_or(nearest_layout(*descriptor));
    if (info.format == PixelFormat::bgr24) info.range = ColorRange::full;
    if (same && has_usable_rows(*av_frame, plane_count(*same))) return wrapped(std::move(av_frame), info);
    const bool planar = format == AV_PIX_FMT_YUV422P || format == AV_PIX_FMT_YUV444P;
    if (planar && has_usable_rows(*av_frame, 3)) return with_shared_luma(std::move(av_frame), info);
    return converted(*av_frame, info);
}

// Averages the chroma planes into new buffers. The luma plane remains in the decoder's buffer.
Frame FrameMaker::with_shared_luma(av::FramePtr av_frame, FrameInfo info) {
    const bool halve_width = plain_format(av_frame->format) == AV_PIX_FMT_YUV444P;
    const int from_width = halve_width ? info.width : (info.width + 1) / 2;
    PlaneView planes[Frame::kMaxPlanes];
    planes[0] = view(*av_frame, info, 0);
    struct Owners {
        Frame u, v;
        av::FramePtr luma;
    };
    auto owners = std::make_shared<Owners>();
    for (int p = 1; p <= 2; ++p) {
        const PlaneView shape = plane_shape(info.format, info.width, info.height, p);
        WritableFrame chroma = pool_.take(PixelFormat::gray8, shape.width, shape.height);
        planes[p] = chroma.plane(0);
        halve_chroma(av_frame->data[p], av_frame->linesize[p], from_width, info.height, halve_width, chroma.data(0),
                     planes[p]);
        (p == 1 ? owners->u : owners->v) = std::move(chroma).finish();
    }
    owners->luma = std::move(av_frame);
    return {info, planes, std::move(owners)};
}

Frame FrameMaker::converted(const AVFrame& av_frame, FrameInfo info) {
    WritableFrame result = pool_.take(info.format, info.width, info.height);
    result.info() = info;
    std::array<std::uint8_t*, AV_NUM_DATA_POINTERS> data{};
    std::array<int, AV_NUM_DATA_POINTERS> pitch{};
    for (int p = 0; p < plane_count(info.format); ++p) {
        data[static_cast<std::size_t>(p)] = result.data(p);
        pitch[static_cast<std::size_t>(p)] = static_cast<int>(result.plane(p).pitch);
    }
    scale(av_frame, info, ffmpeg_format(info.format), info.range == ColorRange::full, data.data(), pitch.data());
    return std::move(result).finish();
}

// Conversions between YUV formats keep range and matrix. They matter only for RGB. full_range: of the result.
void FrameMaker::scale(const AVFrame& av_frame, const FrameInfo& info, AVPixelFormat to, bool full_range,
                       std::uint8_t* const* data, const int* pitch) {
    scaler_.reset(sws_getCachedContext(scaler_.release(), info.width, info.height, plain_format(av_frame.format),
                                       info.width, info.height, to, SWS_POINT | SWS_ACCURATE_RND, nullptr, nullptr,
                                       nullptr));
    if (!scaler_) throw Error(ErrorKind::input, "this frame's format and size cannot be converted");
    const int* coefficients = sws_getCoefficients(sws_matrix(info.matrix));
    sws_setColorspaceDetails(scaler_.get(), coefficients, info.range == ColorRange::full ? 1 : 0, coefficients,
                             full_range ? 1 : 0, 0, 1 << 16, 1 << 16);
    sws_scale(scaler_.get(), av_frame.data, av_frame.linesize, 0, info.height, data, pitch);
}

// Composes yuva420p over white.
Frame FrameMaker::composed_planes(const AVFrame& av_frame, const FrameInfo& info) {
    composed_ = true;
    WritableFrame result = pool_.take(PixelFormat::yuv420p, info.width, info.height);
    result.info() = info;
    result.info().format = PixelFormat::yuv420p;
    const int white = info.range == ColorRange::full ? 255 : kLimitedWhite;
    const auto row = [&](int plane, int y) {
        return av_frame.data[plane] + std::ptrdiff_t{av_frame.linesize[plane]} * y;
    };
    for (int y = 0; y < info.height; ++y) {
        std::uint8_t* to = result.data(0) + result.plane(0).pitch * y;
        for (int x = 0; x < info.width; ++x) to[x] = over_white(row(0, y)[x], row(3, y)[x], white);
    }
    for (int y = 0; y < (info.height + 1) / 2; ++y) {
        const std::uint8_t* top = row(3, 2 * y);
        const std::uint8_t* bottom = row(3, std::min(2 * y + 1, info.height - 1));
        for (int x = 0; x < (info.width + 1) / 2; ++x) {
            const int right = std::min(2 * x + 1, info.width - 1);
            const int alpha = (top[2 * x] + top[right] + bottom[2 * x] + bottom[right] + 2) / 4;
            for (int p = 1; p <= 2; ++p) {
                result.data(p)[result.plane(p).pitch * y + x] = over_white(row(p, y)[x], alpha, kNoChroma);
            }
        }
    }
    return std::move(result).finish();
}

// Converts any other format with alpha to bgr24, composed over white.
Frame FrameMaker::composed_colors(const AVFrame& av_frame, FrameInfo info) {
    constexpr int kAlign = 64;
    const int pitch = (4 * info.width + 2 * kAlign - 1) / kAlign * kAlign;
    colors_.resize(static_cast<std::size_t>(pitch) * (static_cast<std::size_t>(info.height) + 1));
    const AVPixFmtDescriptor& format = *av_pix_fmt_desc_get(plain_format(av_frame.format));
    if ((format.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0) info.range = ColorRange::full;
    std::array<std::uint8_t*, AV_NUM_DATA_POINTERS> data{colors_.data()};
    const std::array<int, AV_NUM_DATA_POINTERS> pitches{pitch};
    scale(av_frame, info, AV_PIX_FMT_BGRA, true, data.data(), pitches.data());

    info.format = PixelFormat::bgr24;
    info.range = ColorRange::full;
    if (info.matrix == ColorMatrix::bt2020) info.matrix = ColorMatrix::bt709;  // of an encoder of these colors
    WritableFrame result = pool_.take(info.format, info.width, info.height);
    result.info() = info;
    for (int y = 0; y < info.height; ++y) {
        const std::uint8_t* from = colors_.data() + std::ptrdiff_t{pitch} * y;
        std::uint8_t* to = result.data(0) + result.plane(0).pitch * y;
        for (int x = 0; x < info.width; ++x, from += 4, to += 3) {
            if (from[3] != 255) composed_ = true;
            for (int c = 0; c < 3; ++c) to[c] = over_white(from[c], from[3]);
        }
    }
    return std::move(result).finish();
}

}  // namespace throng
