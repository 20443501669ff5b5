// Recycles host memory for frames, so that a running source does not allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/frame/frame.h"

namespace throng {

// Maximum size of a frame that is read, decoded or generated, in pixels. Limits the memory that a malicious file can
// request, and lets detectors use 32-bit pixel indices.
inline constexpr std::int64_t kMaxPixels = std::int64_t{1} << 28;

// A frame that is still being written. finish() converts it to an immutable Frame.
class WritableFrame {
public:
    [[nodiscard]] std::uint8_t* data(int plane) noexcept { return data_[plane]; }
    [[nodiscard]] const PlaneView& plane(int plane) const noexcept { return planes_[plane]; }
    [[nodiscard]] FrameInfo& info() noexcept { return info_; }

    [[nodiscard]] Frame finish() && { return Frame(info_, planes_, std::move(owner_)); }

private:
    friend class FramePool;
    FrameInfo info_;
    PlaneView planes_[Frame::kMaxPlanes];
    std::uint8_t* data_[Frame::kMaxPlanes] = {};
    std::shared_ptr<void> owner_;
};

// Thread-safe; frames may outlive the pool. Rows are 64-byte aligned with at least 64 readable bytes after the last.
class FramePool {
public:
    // Keeps at most `idle_limit` unused blocks for later frames.
    explicit FramePool(std::size_t idle_limit = 8);

    // Reuses a block of the right size or allocates one. Throws Error(input) for sizes below 1, above kMaxPixels or
    // above 1 gigabyte.
    [[nodiscard]] WritableFrame take(PixelFormat format, int width, int height);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace throng
