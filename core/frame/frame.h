// A decoded frame: an immutable, reference-counted handle on planes in host or device memory.
// Copying a Frame copies a pointer. The frame's owner (a pool block, a decoder's frame) lives as long as any handle.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/frame/frame_rows.h"

namespace throng {

enum class MemoryKind : std::uint8_t { host, pinned, device };
enum class PixelFormat : std::uint8_t { nv12, yuv420p, gray8, bgr24 };
enum class ColorRange : std::uint8_t { limited, full };
enum class ColorMatrix : std::uint8_t { bt601, bt709, bt2020 };

// One plane of 8-bit samples. pitch and width are in bytes (width = samples * channels); data may be a device address.
struct PlaneView {
    const std::uint8_t* data = nullptr;
    std::ptrdiff_t pitch = 0;
    int width = 0;   // bytes used per row
    int height = 0;  // rows
};

struct FrameInfo {
    int width = 0;   // pixels
    int height = 0;  // pixels
    PixelFormat format = PixelFormat::gray8;
    ColorRange range = ColorRange::limited;
    ColorMatrix matrix = ColorMatrix::bt709;
    MemoryKind memory = MemoryKind::host;
    std::int64_t index = 0;  // number of the frame in its source, from 0, in the order of display
    double pts = 0;          // seconds from the source's start
    std::chrono::steady_clock::time_point captured{};  // time of decoding, or of arrival from the camera
    bool damaged = false;  // the frame is incomplete, or it or one that it depends on may be decoded incorrectly
};

class Frame {
public:
    static constexpr int kMaxPlanes = 3;

    Frame() = default;  // no frame

    // Copies a device frame, given by its owner, to host memory. May block until the frame is written.
    using HostCopy = Frame (*)(const FrameInfo& info, const void* owner);

    // planes: nv12 {Y, interleaved UV}, yuv420p {Y, U, V}, gray8 {Y}, bgr24 {BGR}; chroma planes have
    // (width + 1) / 2 by (height + 1) / 2 samples. owner keeps the memory alive. host_copy is for on_host() of a device
    // frame and not needed for others.
    Frame(const FrameInfo& info, const PlaneView (&planes)[kMaxPlanes], std::shared_ptr<const void> owner,
          HostCopy host_copy = nullptr);

    // A gray8 or bgr24 frame without planes in memory, whose pixels `rows` returns.
    Frame(const FrameInfo& info, std::shared_ptr<const FrameRows> rows);

    [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }
    [[nodiscard]] const FrameInfo& info() const noexcept { return data_->info; }
    [[nodiscard]] int width() const noexcept { return data_->info.width; }
    [[nodiscard]] int height() const noexcept { return data_->info.height; }

    // Returns how to read the pixels of a frame that has no planes in memory; null for all others.
    [[nodiscard]] const FrameRows* rows() const noexcept { return data_->rows.get(); }

    // Plane p, 0 <= p < plane_count(format). Without data if rows() is not null.
    [[nodiscard]] const PlaneView& plane(int p) const noexcept { return data_->planes[p]; }

    // Returns true if plane 0 is a gray image (every format but bgr24).
    [[nodiscard]] bool has_luma() const noexcept { return data_->info.format != PixelFormat::bgr24; }

    // Returns the frame in host memory: itself, or a copy of a device frame.
    // Throws Error(internal) for a device frame without host_copy, and for a frame with rows().
    [[nodiscard]] Frame on_host() const;

    // Returns the same frame with another index, pts and capture time. Shares the memory.
    [[nodiscard]] Frame with_timing(std::int64_t index, double pts,
                                    std::chrono::steady_clock::time_point captured) const;

    // Returns the same frame with FrameInfo::damaged set. Shares the memory.
    [[nodiscard]] Frame as_damaged() const;

private:
    struct Data {
        FrameInfo info;
        PlaneView planes[kMaxPlanes];
        std::shared_ptr<const void> owner;
        HostCopy host_copy = nullptr;
        std::shared_ptr<const FrameRows> rows{};
    };
    std::shared_ptr<const Data> data_;
};

[[nodiscard]] int plane_count(PixelFormat format) noexcept;

// Returns the width in bytes and the rows of plane p for a frame of width x height pixels; data and pitch are not set.
[[nodiscard]] PlaneView plane_shape(PixelFormat format, int width, int height, int p) noexcept;

}  // namespace throng
