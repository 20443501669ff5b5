// Runs detection and NMS on a backend, and on another one once that fails. Nothing else changes the backend of a run.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/pipeline/frame_processor.h"

namespace throng {

// Not thread-safe. When the backend fails, each frame in host memory is detected again. Frames in device memory may be
// unreadable then: take_unreadable counts them, and whoever owns their source reads them again
// (VideoSource::resume_on_host). A frame with rows() is detected by the fallback, if the backend cannot read it, without
// moving to it.
class Engine {
public:
    using MakeBackend = std::function<std::shared_ptr<Backend>()>;
    using Outcome = FrameProcessor::Outcome;

    // fallback: makes the backend that takes over for good when the first one fails with Error(internal) or
    // Error(unavailable). It must compute in host memory. Empty: the failure is thrown.
    Engine(std::shared_ptr<Backend> backend, PipelineSettings settings, MakeBackend fallback = {});

    // Makes detector, NMS and buffers, unless they exist; submit does it, too. Throws as FrameProcessor does.
    void prepare();
    // Frees them until the next frame, and forgets all frames in flight.
    void release();

    // As FrameProcessor. While frames of a failed backend wait for the other one, there is no free slot.
    [[nodiscard]] std::size_t in_flight() const noexcept;
    [[nodiscard]] bool has_free_slot() const noexcept;
    // Requires has_free_slot(). After an error no frame is in flight.
    void submit(DecodedFrame decoded);
    // Requires a frame in flight. Returns the outcome of the oldest one; no result: the backend has failed, and the
    // frames that can still be read remain in flight. After an error no frame is in flight.
    [[nodiscard]] Outcome collect(bool lossless);
    // Runs one frame, while no other one is in flight. No result: its device has failed, and it cannot be read.
    [[nodiscard]] Outcome detect(DecodedFrame decoded, bool lossless = true);
    // Forgets the frames in flight.
    void discard();

    // Applies new settings as FrameProcessor::apply does; no frame may be in flight. After a failure the switches are
    // left out: they belong to the detector of the failed backend.
    void apply(PipelineSettings settings);
    [[nodiscard]] const PipelineSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] const std::shared_ptr<Backend>& backend() const noexcept { return backend_; }
    [[nodiscard]] std::vector<DetectorSwitch> switches() const;

    // Moves to the fallback if the device has failed: its decoder may then report the end of a source, or damaged data.
    void check();
    // Moves to the fallback. Throws `failure` if there is none, and for errors of another kind.
    void fall_back(const Error& failure);
    [[nodiscard]] bool fell_back() const noexcept { return !notice_.empty(); }
    // One line about the failure of the first backend; empty without one.
    [[nodiscard]] const Message& notice() const noexcept { return notice_; }
    // Returns the number of frames that cannot be read since their device failed, and forgets it.
    [[nodiscard]] std::size_t take_unreadable() { return std::exchange(unreadable_, 0); }

    // Forgets all tracks; ids start from 1 again. For use between two sources.
    void restart_tracks();

private:
    void set_up_tracks();
    [[nodiscard]] Outcome collect_in_strips(bool lossless);
    template <class Work>
    void guarded(const Work& work);

    std::shared_ptr<Backend> backend_;
    PipelineSettings settings_;
    MakeBackend fallback_;
    std::unique_ptr<FrameProcessor> processor_;
    std::optional<Lookahead> tracks_;        // with PipelineSettings::tracking; goes on when the backend changes
    std::deque<DecodedFrame> again_;         // of the failed backend, oldest first
    std::optional<DecodedFrame> in_strips_;  // for the fallback, after all others in flight
    std::size_t unreadable_ = 0;
    Message notice_;
};

}  // namespace throng
