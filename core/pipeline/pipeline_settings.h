// The parameters of a pipeline: settings that may change while it runs, and options fixed at the start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/base/in_flight_limiter.h"
#include "core/detect/backend.h"
#include "core/detect/detection_params.h"
#include "core/redact/hiding.h"
#include "core/track/tracker.h"

namespace throng {

// May change while the pipeline runs. Applied between two frames.
struct PipelineSettings {
    DetectorParams detector;
    NmsParams nms;
    float min_confidence = 0;  // detections below are not in FrameResult::kept
    // Of a detector of people and their faces: how the faces are found, with the threads, the arithmetic and the
    // switches of `detector`, as far as it has them. None: with the defaults of that kind.
    std::optional<DetectionParams> faces;
    // If set, FrameResult has tracks. The detector also reports detections below its score threshold, and NMS those
    // with fewer hits than nms.min_hits, for the tracker alone: FrameResult::kept has the same boxes as without
    // tracking. Their hits, raw and raw_count include the raw detections of low score. Soft rules give no candidates.
    std::optional<TrackerParams> tracking;
    // With tracking, for a live source or a file in real time: frames that arrive while the one before is still being
    // detected are shown at once, with boxes carried on. Has no effect with hiding.
    bool carry = false;
    // Detections per second to keep up, by a larger minimum size and scale factor if needed (core/pipeline/
    // auto_quality.h). 0: the detector's parameters never change by themselves. Not for files without real_time, and not
    // with hiding.
    double keep_rate = 0;
    // If set, results are held back until it is decided what must be hidden in their frames: FrameResult::plan. The
    // candidates are those of tracking, down to HidingParams::threshold_fraction. Detections below min_confidence are
    // hidden like the others. Frames are copied to the host.
    std::optional<HidingParams> hiding;
    bool keep_raw = false;                  // copy raw detections to the host, too
    bool host_pixels = false;               // copy frames in device memory to the host, for display or output
    std::int32_t capacity = 16384;          // initial D_max: detections per frame that the buffers hold
    std::int32_t capacity_limit = 1 << 20;  // maximum to which the buffers grow on overflow
};

// Returns settings with these parameters; their capacity also raises the limit.
[[nodiscard]] PipelineSettings pipeline_settings(const DetectionParams& params);

// Returns how the faces of a detector of people and their faces are found; nothing for other detectors.
[[nodiscard]] std::optional<DetectionParams> face_params(const PipelineSettings& settings);

// Clears the switches of all detectors: those of a backend mean nothing to the one that takes over.
void clear_switches(PipelineSettings& settings);

// Throws Error(usage) for invalid values.
void check_settings(const PipelineSettings& settings);

struct PipelineOptions {
    bool real_time = false;  // pace a file by its time stamps (window); false: as fast as possible (headless)
    bool loop = false;
    double speed = 1.0;           // factor, for real_time
    std::int64_t max_frames = 0;  // 0: all
    // Creates the backend that takes over when the first one fails during the run. It must compute in host memory; the
    // source then decodes to host memory. Empty: the failure ends the run.
    std::function<std::shared_ptr<Backend>()> fallback;
    // For files without real_time: the frames beyond one per source that may be between decoder and boxes. Pipelines
    // that run at the same time share one object. Null: the pipeline creates its own with as many permits as its
    // backend has frames in flight.
    std::shared_ptr<SharedPermits> shared_permits;
    std::size_t timing_window = 256;  // number of frames that the stage statistics cover
    int source_number = 1;            // for FrameResult
};

}  // namespace throng
