// Memory for whole frames: page-locked, or on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/frame/frame.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Base of the owners of frames in device memory, with what a copy to the host needs.
struct DeviceOwner {
    int device;  // number
    PlaneView planes[Frame::kMaxPlanes];
};

// Page-locking or allocating takes milliseconds, so memory is reused once nothing but this object owns it. Not
// thread-safe, but the images may be released on any thread, and after this object.
class ImageMemory {
public:
    // The planes of a frame, one after the other, with aligned rows: those of its owner.
    struct Image {
        std::uint8_t* data = nullptr;  // of plane 0
        std::shared_ptr<const DeviceOwner> owner;

        [[nodiscard]] std::uint8_t* writable(int plane) const {
            return data + (owner->planes[plane].data - owner->planes[0].data);
        }
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

// Frame::HostCopy of frames whose owner is a DeviceOwner. Waits until the frame is copied, and written by the work of
// the default stream before.
[[nodiscard]] Frame copy_to_host(const FrameInfo& info, const void* owner);

}  // namespace throng::gpu
