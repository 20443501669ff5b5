// Memory for whole frames: page-locked, or on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/frame/frame.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Page-locking or allocating takes milliseconds, so memory is reused once nothing but this object owns it. Not
// thread-safe, but the images may be released on any thread, and after this object.
class ImageMemory {
public:
    // The planes of a frame, one after the other, with aligned rows.
    struct Image {
        PlaneView planes[Frame::kMaxPlanes];
        std::uint8_t* data = nullptr;  // of plane 0
        std::shared_ptr<const void> owner;
        Frame::HostCopy host_copy = nullptr;  // of a frame that has this owner, in device memory

        [[nodiscard]] std::uint8_t* writable(int plane) const { return data + (planes[plane].data - planes[0].data); }
    };

    // kept: the largest number of images that are reused.
    ImageMemory(int device, std::size_t kept) : device_(device), kept_(kept) {}

    // Returns memory for a frame of this size and format. info.memory: pinned or device. Throws Error(unavailable) if
    // there is not enough.
    [[nodiscard]] Image take(const FrameInfo& info);

private:
    struct Block;
    [[nodiscard]] std::shared_ptr<Block> acquire(std::size_t bytes, bool on_host);

    int device_;
    std::size_t kept_;
    std::vector<std::shared_ptr<Block>> blocks_;  // reused once only this vector holds a reference
};

// Enqueues the copy of a plane from device memory, to the host (which is counted, core/frame/host_copies.h) or within the
// device.
void enqueue_plane_copy(const PlaneView& from, std::uint8_t* to, std::ptrdiff_t pitch, bool to_host, StreamView stream);

// Returns a frame in device memory, given by its planes, in host memory. Waits until it is copied, and written by the work
// of the default stream before.
[[nodiscard]] Frame copy_to_host(int device, const FrameInfo& info, const PlaneView (&planes)[Frame::kMaxPlanes]);

}  // namespace throng::gpu
