// Converts between cv::cuda::GpuMat and frames or detection buffers without a copy. Header-only: callers include OpenCV
// themselves; the library does not. Works with any type that has GpuMat's interface: data, step, rows, cols, and the
// constructor (rows, cols, type, data, step) over user-owned memory.
//
// The matrices must be in device memory. Work that writes a matrix on another stream must be complete or ordered before
// the detector's stream; the caller records and waits for the events.
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

// Returns a frame over the matrix's memory: CV_8UC1 (gray, full range) or CV_8UC3 (BGR). The frame holds a reference to
// the matrix, so the memory lives as long as the frame. Throws Error(input) for another type or an empty matrix.
template <typename GpuMat>
[[nodiscard]] Frame frame_from_mat(const GpuMat& mat, FrameInfo info = {}) {
    const int type = mat.type();
    const bool gray = type == detail::mat_type(detail::kMat8U, 1);
    if (mat.rows < 1 || mat.cols < 1 || (!gray && type != detail::mat_type(detail::kMat8U, 3))) {
        throw Error(ErrorKind::input, "the matrix must have type CV_8UC1 or CV_8UC3 and must not be empty", "GpuMat");
    }
    info.width = mat.cols;
    info.height = mat.rows;
    info.format = gray ? PixelFormat::gray8 : PixelFormat::bgr24;
    info.range = ColorRange::full;
    info.memory = MemoryKind::device;
    auto owner = std::make_shared<const GpuMat>(mat);  // shares the data, or borrows it where the user owns the memory
    PlaneView planes[Frame::kMaxPlanes];
    planes[0] = plane_shape(info.format, info.width, info.height, 0);
    planes[0].data = owner->data;
    planes[0].pitch = static_cast<std::ptrdiff_t>(owner->step);
    return Frame(info, planes, std::move(owner));
}

// Returns a matrix over plane 0 of a device frame: gray or luma as CV_8UC1, bgr24 as CV_8UC3. Valid as long as the
// frame. Throws Error(internal) for a frame in host memory.
template <typename GpuMat>
[[nodiscard]] GpuMat mat_from_frame(const Frame& frame) {
    if (frame.info().memory != MemoryKind::device) {
        throw Error(ErrorKind::internal, "the frame must be in device memory", "mat_from_frame");
    }
    const int channels = frame.info().format == PixelFormat::bgr24 ? 3 : 1;
    const PlaneView& plane = frame.plane(0);
    return GpuMat(frame.height(), frame.width(), detail::mat_type(detail::kMat8U, channels),
                  const_cast<std::uint8_t*>(plane.data), static_cast<std::size_t>(plane.pitch));
}

// Return the boxes of a buffer in device memory as 1 x capacity of CV_32FC4 (x, y, w, h), and the scores as 1 x
// capacity of CV_32FC1. The number of valid entries is known after the buffer's count is downloaded. Valid as long as
// the buffer.
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
