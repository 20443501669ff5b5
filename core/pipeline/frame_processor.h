// Runs frames through the detector and the NMS of one backend. Owns the detector, the NMS and the buffers. With a
// detector of people and their faces, it has two detectors, which read the same frame.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/detect/backend.h"
#include "core/detect/detection_params.h"
#include "core/detect/detector_kinds.h"
#include "core/detect/null_recorder.h"
#include "core/pipeline/frame_queue.h"
#include "core/pipeline/frame_result.h"
#include "core/pipeline/pipeline_settings.h"

namespace throng {

// Not thread-safe. Up to Backend::frames_in_flight frames are in flight: submit enqueues the work of a frame, collect
// waits for the detections of the oldest frame.
class FrameProcessor {
public:
    // Throws the errors of Backend::make_detector, and Error(usage) for a switch that the detector does not have.
    FrameProcessor(std::shared_ptr<Backend> backend, const PipelineSettings& settings);

    // Applies new settings; no frame may be in flight. Throws like the constructor and then keeps the previous
    // settings.
    void apply(const PipelineSettings& settings);
    [[nodiscard]] const PipelineSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] const std::shared_ptr<Backend>& backend() const noexcept { return backend_; }
    // Returns those of the detector of PipelineSettings::detector.
    [[nodiscard]] std::vector<DetectorSwitch> switches() const { return finders_.front().detector->switches(); }

    [[nodiscard]] std::size_t in_flight() const noexcept { return running_.size(); }
    [[nodiscard]] bool has_free_slot() const noexcept { return running_.size() < slots_.size(); }

    // Requires has_free_slot(). After an error the frame is in flight: take_unfinished returns it.
    void submit(DecodedFrame decoded);

    struct Outcome {
        std::shared_ptr<FrameResult> result;
        bool overflowed = false;  // more detections than the capacity; the buffers have grown for the next frame
    };
    // Waits for the oldest frame in flight and returns its outcome. If lossless, a frame with more detections than the
    // capacity runs again in larger buffers, so that no detection is dropped (up to capacity_limit). A frame with more
    // candidates than the detector had memory for always runs again.
    // tracks: finds the tracks of the frame; null: none.
    [[nodiscard]] Outcome collect(bool lossless, Lookahead* tracks);

    // Returns the frames in flight, oldest first, and forgets them. For use after a failure.
    [[nodiscard]] std::vector<DecodedFrame> take_unfinished();

private:
    using Clock = std::chrono::steady_clock;

    // Finds the objects of one class.
    struct Finder {
        const DetectorKind* kind = nullptr;
        DetectionParams params;
        std::unique_ptr<Detector> detector;
        std::unique_ptr<Nms> nms;        // its own: what it prepares for the sizes of one class suits no other
        std::optional<float> threshold;  // minimum score of kept detections, if the detector reports lower ones
    };

    struct Buffers {
        DetectionBuffer raw;
        DetectionBuffer kept;
        std::unique_ptr<FrameReadback> readback;
    };

    // Buffers and state of one frame in flight.
    struct Slot {
        std::vector<Buffers> buffers;  // of each finder
        DecodedFrame decoded;
        StageTimes times;
        FrameTrace trace;
    };

    [[nodiscard]] StageRecorder& recorder_for(const Slot& slot);
    void run(Slot& slot);
    // Reads the detections of one finder back. Returns true if the detector had memory for its candidates.
    bool read_back(Slot& slot, std::size_t finder, FrameResult& result);
    void report(const Finder& finder, FrameResult& result) const;
    void fit(Slot& slot);
    void fit(Buffers& buffers, const Detector& detector);
    void grow(std::uint32_t requested);
    // Gives the detectors that remain new parameters: all of them, or none if one rejects its own.
    void configure(const std::vector<DetectionParams>& wanted, const std::vector<Finder>& made);
    void set_up_candidates(Finder& finder) const;
    [[nodiscard]] bool uses_candidates(const Finder& finder) const {
        return (settings_.tracking || settings_.hiding) && !is_soft(finder.params.nms.rule);
    }
    static void check_switches(const Detector& detector, const DetectorParams& params, const Backend& backend);

    std::shared_ptr<Backend> backend_;
    PipelineSettings settings_;
    std::int32_t capacity_;        // of the buffers, from the next frame on
    std::vector<Finder> finders_;  // those of PipelineSettings::detector, and of the faces of its people
    std::unique_ptr<StageRecorder> recorder_;
    NullRecorder unmeasured_;
    std::size_t to_measure_ = 0;    // the next frames, whatever the interval
    Clock::time_point measured_{};  // start of the last frame whose stages were measured
    int since_measured_ = 0;        // frames
    std::vector<Slot> slots_;
    std::deque<std::size_t> running_;  // slots in flight, oldest first
    std::size_t next_ = 0;             // slot for the next frame (ring order)
};

}  // namespace throng
