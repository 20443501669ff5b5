// Brings frames to where kernels can read them. Frames of the device are used where they lie; host frames are uploaded
// once, on a stream of their own, while the kernels of the frame before still run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/detect/stage.h"
#include "core/frame/frame.h"
#include "gpu/frame/device_image.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// One per detector; not thread-safe. Allocates when a frame is larger than those before it, then no more.
class FrameIntake {
public:
    // stream: where the kernels run. integrated: the device reads page-locked host memory in place (Jetson), so that
    // nothing is uploaded. Both as in DeviceInfo.
    FrameIntake(StreamView stream, bool integrated);

    // The frame's luma, and its chroma where asked for and there, for kernels that are enqueued on the stream after
    // this. bgr24 frames become gray. Keeps the frame alive until release. Waits only when kFrames frames are still
    // being worked on. Throws Error(unavailable) where memory does not suffice.
    [[nodiscard]] DeviceImage take(const Frame& frame, bool chroma, StageRecorder& recorder);

    // As take with chroma, but a bgr24 frame stays as it is: frame.bgr is set then and luma is null.
    [[nodiscard]] DeviceImage take_colors(const Frame& frame, StageRecorder& recorder);

    // The frame last taken is not read by anything that is enqueued from now on.
    void release();

private:
    static constexpr std::size_t kFrames = 3;

    struct Slot {
        Frame frame;                         // kept for the kernels, or for a copy that is under way
        PinnedBuffer<std::uint8_t> staging;  // frames of pageable memory
        DeviceBuffer<std::uint8_t> uploaded;
        DeviceBuffer<std::uint8_t> gray;
        Event upload{Event::Timing::off};
        Event read{Event::Timing::off};
    };
    // The planes in device memory, laid out like the frame's.
    struct Plane {
        const std::uint8_t* data = nullptr;
        int pitch = 0;
    };

    // The first `planes` planes of the frame, which becomes the current one.
    void bring(const Frame& frame, int planes, Plane (&out)[Frame::kMaxPlanes], StageRecorder& recorder);
    void bring_plane(Slot& slot, const Frame& frame, int plane, std::size_t offset, Plane& out);

    StreamView stream_;
    bool integrated_;
    Stream copies_;
    std::array<Slot, kFrames> slots_;
    std::size_t current_ = 0;
};

}  // namespace throng::gpu
