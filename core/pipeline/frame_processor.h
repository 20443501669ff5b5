// Frames through detector and NMS of one backend: owns what the detect thread works with.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/detect/backend.h"
#include "core/pipeline/frame_queue.h"
#include "core/pipeline/frame_result.h"
#include "core/pipeline/pipeline_settings.h"

namespace throng {

// Used from one thread. As many frames are in flight as the backend likes: submit enqueues a frame's work, collect
// waits for the detections of the oldest one.
class FrameProcessor {
public:
    // Throws what Backend::make_detector throws, Error(usage) for a switch that the detector does not have.
    FrameProcessor(std::shared_ptr<Backend> backend, const PipelineSettings& settings);

    // Takes over new settings; no frame may be in flight. Throws as the constructor and keeps the previous ones then.
    void apply(const PipelineSettings& settings);
    [[nodiscard]] const PipelineSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] std::vector<DetectorSwitch> switches() const { return detector_->switches(); }

    [[nodiscard]] std::size_t in_flight() const noexcept { return running_.size(); }
    [[nodiscard]] bool has_room() const noexcept { return running_.size() < slots_.size(); }

    // Needs room.
    void submit(DecodedFrame decoded);

    struct Outcome {
        std::shared_ptr<const FrameResult> result;
        bool overflowed = false;  // requested more than the capacity; the buffers have grown for the next frame
    };
    // Of the oldest frame in flight; waits for it. lossless: a frame that requested more than the capacity runs again
    // in the larger buffers, so that none of its detections is lost (up to capacity_limit).
    [[nodiscard]] Outcome collect(bool lossless);

    // Gives up the frames in flight, oldest first, after a failure.
    [[nodiscard]] std::vector<DecodedFrame> take_unfinished();

private:
    using Clock = std::chrono::steady_clock;

    // What one frame in flight needs for itself.
    struct Slot {
        DetectionBuffer raw;
        DetectionBuffer kept;
        std::unique_ptr<FrameReadback> fetch;
        DecodedFrame decoded;
        StageTimes times;
        Clock::time_point start;
    };

    void run(Slot& slot);
    void fit(Slot& slot);
    void grow(std::uint32_t requested);
    static void check_switches(const Detector& detector, const DetectorParams& params, const Backend& backend);

    std::shared_ptr<Backend> backend_;
    PipelineSettings settings_;
    std::int32_t capacity_;  // of the buffers from the next frame on
    std::unique_ptr<Detector> detector_;
    std::unique_ptr<Nms> nms_;
    std::unique_ptr<StageRecorder> recorder_;
    std::vector<Slot> slots_;
    std::deque<std::size_t> running_;  // slots in flight, oldest first
    std::size_t next_ = 0;             // the slot that is free for longest
};

}  // namespace throng
