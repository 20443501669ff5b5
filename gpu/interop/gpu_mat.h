// OpenCV's cv::cuda::GpuMat in and out without a copy. Header-only: whoever includes it includes OpenCV; the library
// itself does not. Works with any type of GpuMat's shape: data, step, rows, cols, and the constructor
// (rows, cols, type, data, step) over memory of the user's.
//
// The matrices must be of the device's memory and, where they are on a stream, finished or ordered before the stream
// that the detector works on: events are the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/detect/detection_buffer.h"
#include "core/frame/frame.h"

namespace throng::gpu {

namespace detail {
inline constexpr int kMat8U = 0;   // CV_8U
inline constexpr int kMat32F = 5;  // CV_32F
constexpr int mat_type(int depth, int channels) {
    return depth + ((channels - 1) << 3);
}
}  // namespace detail

// A frame over the matrix's memory: CV_8UC1 (gray, full range) or CV_8UC3 (BGR). The frame shares the matrix, whose
// memory lives as long as it. Throws Error(input) for another type or an empty matrix.
template <typename GpuMat>
[[nodiscard]] Frame frame_from_mat(const GpuMat& mat, FrameInfo info = {}) {
    const int type = mat.type();
    const bool gray = type == detail::mat_type(detail::kMat8U, 1);
    if (mat.rows < 1 || mat.cols < 1 || (!gray && type != detail::mat_type(detail::kMat8U, 3))) {
        throw Error(ErrorKind::input, "a frame is made of a matrix of 8 bits with one or three channels", "GpuMat");
    }
    info.width = mat.cols;
    info.height = mat.rows;
    info.format = gray ? PixelFormat::gray8 : PixelFormat::bgr24;
    info.range = ColorRange::full;
    info.memory = MemoryKind::device;
    auto owner = std::make_shared<const GpuMat>(mat);  // shares, or for user-owned memory borrows, the data
    PlaneView planes[Frame::kMaxPlanes];
    planes[0] = plane_shape(info.format, info.width, info.height, 0);
    planes[0].data = owner->data;
    planes[0].pitch = static_cast<std::ptrdiff_t>(owner->step);
    return Frame(info, planes, std::move(owner));
}

// A matrix over plane 0 of a device frame: gray or luma as CV_8UC1, bgr24 as CV_8UC3. Valid as long as the frame.
// Throws Error(internal) for a frame of the host's memory.
template <typename GpuMat>
[[nodiscard]] GpuMat mat_from_frame(const Frame& frame) {
    if (frame.info().memory != MemoryKind::device) {
        throw Error(ErrorKind::internal, "a GpuMat is made of a frame in device memory", "mat_from_frame");
    }
    const int channels = frame.info().format == PixelFormat::bgr24 ? 3 : 1;
    const PlaneView& plane = frame.plane(0);
    return GpuMat(frame.height(), frame.width(), detail::mat_type(detail::kMat8U, channels),
                  const_cast<std::uint8_t*>(plane.data), static_cast<std::size_t>(plane.pitch));
}

// The boxes of a buffer in device memory as 1 x capacity of CV_32FC4 (x, y, w, h), and its scores as 1 x capacity of
// CV_32FC1. How many of them count is known once the buffer's count is downloaded. Valid as long as the buffer.
template <typename GpuMat>
[[nodiscard]] GpuMat boxes_mat(const DetectionBuffer& buffer) {
    return GpuMat(1, buffer.capacity(), detail::mat_type(detail::kMat32F, 4), buffer.span().boxes,
                  static_cast<std::size_t>(buffer.capacity()) * sizeof(Box));
}
template <typename GpuMat>
[[nodiscard]] GpuMat scores_mat(const DetectionBuffer& buffer) {
    return GpuMat(1, buffer.capacity(), detail::mat_type(detail::kMat32F, 1), buffer.span().scores,
                  static_cast<std::size_t>(buffer.capacity()) * sizeof(float));
}

}  // namespace throng::gpu
