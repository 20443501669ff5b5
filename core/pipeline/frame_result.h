// The result of detection on one frame: the frame, its boxes, and its timings.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/detect/detection.h"
#include "core/detect/stage.h"
#include "core/frame/frame.h"
#include "core/redact/lookahead.h"
#include "core/track/tracker.h"

namespace throng {

struct DetectorKind;

// When a frame passed the threads of its pipeline, for traces. Not set by programs without a pipeline.
struct FrameTrace {
    using Time = std::chrono::steady_clock::time_point;
    Time decoded{};       // decode thread: the source has returned the frame
    Time submit_begin{};  // detect thread: detection starts
    Time submit_end{};
    Time collect_begin{};  // detect thread: waits for the boxes
    Time collect_end{};
    double decode_ms = 0;
    std::uint32_t queued = 0;      // frames that were still in the queue when this one was taken
    std::uint32_t in_flight = 0;   // frames in the detector, this one included
    bool on_device = false;        // the stages ran on a device: timings are those of the newest frame measured
    std::uint64_t dropped = 0;     // frames of the source so far that were not detected
    std::uint64_t reconnects = 0;  // of the source so far
};

struct FrameResult {
    Frame frame;
    const DetectorKind* detector = nullptr;  // that found the detections; null in results that were made by hand
    std::string source;                      // name of the file or stream
    int source_number = 1;  // position on the command line, from 1: distinguishes sources of the same name
    DetectionSet kept;      // after NMS, in the order that the NMS rule defines
    DetectionSet raw;       // before NMS; the count is always set, the detections only with PipelineSettings::keep_raw
    std::vector<Track> tracks;  // with PipelineSettings::tracking, by id; also those not yet confirmed
    // Of a detector of people and their faces (DetectorKind::faces): what is found of faces in the same frame. All else
    // here is about the people; source, plan and times are those of both. Otherwise null.
    std::shared_ptr<FrameResult> faces;
    // With PipelineSettings::tracking or hiding: detections that are not reported. First those that are only below the
    // minimum confidence, then those below the score threshold or with too few hits; each in the order of `kept`.
    std::vector<Detection> candidates;
    std::size_t num_unconfident = 0;  // of the first kind: whoever hides faces hides them as those of `kept`
    // With PipelineSettings::hiding: what must be hidden in the frame, and how. No plan: nothing is known, so whoever
    // hides faces hides the whole frame (regions_to_hide).
    std::optional<FramePlan> plan;
    RedactOptions redact;
    std::uint32_t raw_count = 0;  // raw detections found, including the overflow
    std::uint32_t overflow = 0;   // raw detections dropped because the buffers were full
    // The frame itself was not detected: the boxes are those of an earlier one, moved (core/pipeline/carry.h). Only
    // Pipeline::latest() returns such results; sinks never receive them.
    bool carried = false;
    StageTimes timings;     // CPU: of this frame; GPU: of the newest frame measured
    double latency_ms = 0;  // from capture to boxes on the host, and to the plan if there is one
    FrameTrace trace;
};

// Returns the result's detections for a tracker. They must outlive it.
[[nodiscard]] inline TrackerInput tracker_input(const FrameResult& result) {
    const FrameInfo& info = result.frame.info();
    TrackerInput input;
    input.kept = result.kept.detections;
    input.candidates = result.candidates;
    input.source = result.source;
    input.width = info.width;
    input.height = info.height;
    input.seconds = info.pts;
    return input;
}

// Returns true if faces of the frame may be unknown: it is damaged, or detections were dropped because a buffer was full.
[[nodiscard]] inline bool lacks_detections(const FrameResult& result) {
    return result.frame.info().damaged || result.overflow > 0 || result.kept.overflow() > 0 ||
           (result.faces && lacks_detections(*result.faces));
}

// Returns the result's detections for a lookahead that tracks them. They must outlive it.
[[nodiscard]] inline LookaheadInput lookahead_input(const FrameResult& result) {
    LookaheadInput input{tracker_input(result), {}, {}, lacks_detections(result), result.num_unconfident, {}};
    if (result.faces) input.faces.push_back(lookahead_input(*result.faces));
    return input;
}

// Calls `use` with the results of both detectors, or with the only one.
template <class Result, class Use>
void for_each_class(Result& result, const Use& use) {
    use(result);
    if (result.faces) use(static_cast<Result&>(*result.faces));
}

// How many raw detections were found in a frame, and how many of them were dropped because the buffers were full.
struct RawCounts {
    std::uint32_t found = 0, dropped = 0;
};

// Returns those of all detectors of the frame: a user does not see which of them dropped some.
[[nodiscard]] inline RawCounts raw_counts(const FrameResult& result) {
    RawCounts counts;
    for_each_class(result, [&](const FrameResult& of_class) {
        counts.found += of_class.raw_count;
        counts.dropped += of_class.overflow;
    });
    return counts;
}

// Adds the tracks of faces to the parameters of a lookahead without a plan, for results that may have faces.
[[nodiscard]] LookaheadParams tracks_with_faces(LookaheadParams params);

// Returns a result without the pixels of its frame: a decoder may have few surfaces.
[[nodiscard]] FrameResult without_pixels(FrameResult result);

// Returns the milliseconds from capture to the boxes, without what HidingQueue adds to FrameResult::latency_ms.
[[nodiscard]] double detection_latency_ms(const FrameResult& result);

// Returns the index of the person of each kept face of FrameResult::faces, or -1 (people_of_faces in core/track/faces.h);
// empty without such faces.
[[nodiscard]] std::vector<std::int32_t> people_of_faces(const FrameResult& result);

// Returns what must be hidden in the frame of a result.
[[nodiscard]] inline RedactRegions regions_to_hide(const FrameResult& result) {
    return result.plan ? result.plan->to_hide() : RedactRegions{{}, true};
}

// Receives every result in order, on the detect thread. A thrown error ends the pipeline and appears in failure().
class ResultSink {
public:
    ResultSink() = default;
    ResultSink(const ResultSink&) = delete;
    ResultSink& operator=(const ResultSink&) = delete;
    virtual ~ResultSink() = default;

    virtual void write(const FrameResult& result) = 0;
    // Flushes and closes the output so that it is valid. Called exactly once, also after a stop or an error.
    virtual void close() = 0;
};

}  // namespace throng
