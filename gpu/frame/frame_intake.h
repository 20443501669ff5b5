// Makes frames accessible to kernels. Frames in device memory are used in place. Host frames are uploaded once, on a
// separate stream, while the kernels of the previous frame still run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/detect/stage.h"
#include "core/frame/frame.h"
#include "gpu/frame/device_image.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

// One per detector; not thread-safe. Allocates when a frame is larger than all previous ones, and never otherwise.
class FrameIntake {
public:
    // The work that is enqueued while this object exists may read the frames that are taken meanwhile: a batch. Ends
    // with the scope, also by an exception. One at a time. Waits only when kBatches batches are in progress.
    class Reading {
    public:
        explicit Reading(FrameIntake& intake) : intake_(intake) { intake_.begin_batch(); }
        ~Reading() { intake_.end_batch(); }
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;

    private:
        FrameIntake& intake_;
    };

    // stream: where the kernels run. in_place: they read page-locked host memory, so that nothing is uploaded. That pays
    // off on an integrated device (DeviceInfo) for what reads a frame once: such a device does not cache this memory.
    FrameIntake(StreamView stream, bool in_place);

    // During a Reading. Returns the frame's luma, and its chroma if requested and present, for kernels that are
    // enqueued on the stream. bgr24 frames are converted to gray. Keeps the frame alive until the work of the batch is
    // done. Throws Error(unavailable) when there is not enough memory.
    [[nodiscard]] DeviceImage take(const Frame& frame, bool chroma, StageRecorder& recorder);

    // Like take with chroma, but does not convert bgr24 frames: then frame.bgr is set and luma is null.
    [[nodiscard]] DeviceImage take_colors(const Frame& frame, StageRecorder& recorder);

    // Returns the frames that have been read to their owners: decoders have few. Not during a Reading, which does so
    // when it begins. Does not wait.
    void release_read();

private:
    static constexpr std::size_t kBatches = 3;

    // Memory for one frame of a batch.
    struct Slot {
        PinnedBuffer<std::uint8_t> staging;  // for frames in pageable memory
        DeviceBuffer<std::uint8_t> uploaded;
        DeviceBuffer<std::uint8_t> gray;
        Event upload{Event::Timing::off};
    };
    struct Batch {
        std::vector<Frame> frames;   // kept for the kernels, or for a copy in progress
        std::vector<Slot> slots;     // one per frame
        std::size_t taken = 0;       // slots in use
        bool after_decoder = false;  // the stream waits for the decoder
        Event decoded{Event::Timing::off};
        Event read{Event::Timing::off};
    };

    void begin_batch();
    void end_batch() noexcept;
    [[nodiscard]] Slot& next_slot();
    // Make the frame, with or without its chroma, and one of its planes accessible to kernels.
    DeviceImage import_frame(Slot& slot, const Frame& frame, bool chroma, StageRecorder& recorder);
    PlaneView import_plane(Slot& slot, const Frame& frame, int plane, std::size_t offset);

    StreamView stream_;
    bool in_place_;
    Stream copies_;
    std::array<Batch, kBatches> batches_;
    std::size_t current_ = 0;
};

}  // namespace throng::gpu
