#include "core/video/convert.h"

#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/base/error.h"
#include "core/video/frame_maker.h"

namespace throng {
namespace {

constexpr std::ptrdiff_t kVector = 64;  // bytes that swscale may write past the last pixel of a row

AVPixelFormat packed_format(Packing packing) {
    switch (packing) {
        case Packing::bgr24: return AV_PIX_FMT_BGR24;
        case Packing::bgra32: return AV_PIX_FMT_BGRA;
        case Packing::rgba32: return AV_PIX_FMT_RGBA;
    }
    return AV_PIX_FMT_NONE;
}

cv::Mat plane_mat(const Frame& frame, int channels) {
    const PlaneView& plane = frame.plane(0);
    return {frame.height(), frame.width(), CV_8UC(channels), const_cast<std::uint8_t*>(plane.data),
            static_cast<std::size_t>(plane.pitch)};
}

void convert_gray(const Frame& frame, Packing packing, cv::Mat& to) {
    cv::Mat gray = plane_mat(frame, 1);
    if (frame.info().range == ColorRange::limited) {
        cv::Mat expanded;
        gray.convertTo(expanded, CV_8U, 255.0 / 219.0, -16.0 * 255.0 / 219.0);
        gray = expanded;
    }
    cv::cvtColor(gray, to, packing == Packing::bgr24 ? cv::COLOR_GRAY2BGR : cv::COLOR_GRAY2BGRA);
}

void convert_bgr(const Frame& frame, Packing packing, cv::Mat& to) {
    const cv::Mat bgr = plane_mat(frame, 3);
    switch (packing) {
        case Packing::bgr24: bgr.copyTo(to); break;
        case Packing::bgra32: cv::cvtColor(bgr, to, cv::COLOR_BGR2BGRA); break;
        case Packing::rgba32: cv::cvtColor(bgr, to, cv::COLOR_BGR2RGBA); break;
    }
}

}  // namespace

void PixelConverter::convert(const Frame& any_frame, Packing packing, std::uint8_t* pixels, std::ptrdiff_t pitch) {
    const Frame frame = any_frame.on_host();
    cv::Mat to(frame.height(), frame.width(), CV_8UC(bytes_per_pixel(packing)), pixels,
               static_cast<std::size_t>(pitch));
    switch (frame.info().format) {
        case PixelFormat::gray8: convert_gray(frame, packing, to); return;
        case PixelFormat::bgr24: convert_bgr(frame, packing, to); return;
        case PixelFormat::nv12:
        case PixelFormat::yuv420p: break;
    }
    const std::ptrdiff_t row = std::ptrdiff_t{frame.width()} * bytes_per_pixel(packing);
    if (pitch % kVector == 0 && (row + kVector - 1) / kVector * kVector <= pitch) {
        convert_luma_chroma(frame, packing, pixels, pitch);
        return;
    }
    const std::ptrdiff_t padded_pitch = (row + 2 * kVector - 1) / kVector * kVector;
    rows_.resize(static_cast<std::size_t>(padded_pitch * (frame.height() + 1)));
    convert_luma_chroma(frame, packing, rows_.data(), padded_pitch);
    for (int y = 0; y < frame.height(); ++y) {
        std::memcpy(pixels + pitch * y, rows_.data() + padded_pitch * y, static_cast<std::size_t>(row));
    }
}

void PixelConverter::convert_luma_chroma(const Frame& frame, Packing packing, std::uint8_t* pixels,
                                         std::ptrdiff_t pitch) {
    const FrameInfo& info = frame.info();
    const AVPixelFormat from = info.format == PixelFormat::nv12 ? AV_PIX_FMT_NV12 : AV_PIX_FMT_YUV420P;
    // Without SIMD code (as on ARM), FFmpeg's fast conversion does not write the last column of an odd width.
    const int method = SWS_POINT | (info.width % 2 != 0 ? SWS_ACCURATE_RND : 0);
    scaler_.reset(sws_getCachedContext(scaler_.release(), info.width, info.height, from, info.width, info.height,
                                       packed_format(packing), method, nullptr, nullptr, nullptr));
    if (!scaler_) throw Error(ErrorKind::internal, "this frame cannot be converted for display");
    const int* coefficients = sws_getCoefficients(sws_matrix(info.matrix));
    sws_setColorspaceDetails(scaler_.get(), coefficients, info.range == ColorRange::full ? 1 : 0, coefficients, 1, 0,
                             1 << 16, 1 << 16);
    const std::uint8_t* data[AV_NUM_DATA_POINTERS] = {};
    int pitches[AV_NUM_DATA_POINTERS] = {};
    for (int p = 0; p < plane_count(info.format); ++p) {
        data[p] = frame.plane(p).data;
        pitches[p] = static_cast<int>(frame.plane(p).pitch);
    }
    std::uint8_t* targets[AV_NUM_DATA_POINTERS] = {pixels};
    const int target_pitches[AV_NUM_DATA_POINTERS] = {static_cast<int>(pitch)};
    sws_scale(scaler_.get(), data, pitches, 0, info.height, targets, target_pitches);
}

WritableFrame PixelConverter::bgr_copy(const Frame& frame, FramePool& pool) {
    WritableFrame copy = pool.take(PixelFormat::bgr24, frame.width(), frame.height());
    FrameInfo info = frame.info();
    info.format = PixelFormat::bgr24;
    info.memory = MemoryKind::host;
    info.range = ColorRange::full;
    copy.info() = info;
    convert(frame, Packing::bgr24, copy.data(0), copy.plane(0).pitch);
    return copy;
}

}  // namespace throng
