// What a pipeline is told to do: settings that may change while frames flow, and options fixed at the start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/detect/backend.h"
#include "core/pipeline/in_flight_limiter.h"

namespace throng {

// What may change while frames flow; applied between two frames.
struct PipelineSettings {
    DetectorParams detector;
    NmsParams nms;
    bool keep_raw = false;                  // bring raw detections to the host too
    bool host_pixels = false;               // bring frames of device memory to the host, for who looks at them
    std::int32_t capacity = 16384;          // D_max at the start
    std::int32_t capacity_limit = 1 << 20;  // buffers grow up to here when a frame requested more
};

// Throws Error(usage) for values that make no sense.
void check_settings(const PipelineSettings& settings);

struct PipelineOptions {
    bool real_time = false;  // pace a file by its time stamps (window); false: as fast as it goes (headless)
    bool loop = false;
    double speed = 1.0;           // of real_time
    std::int64_t max_frames = 0;  // 0: all
    // Makes the backend that takes over when the first one fails in mid-run; none: the failure ends the run. It
    // computes in host memory, and the source decodes there from then on.
    std::function<std::shared_ptr<Backend>()> fallback;
    // For files as fast as they go: the frames beyond one a source that may be between decoder and boxes. Pipelines
    // that run at the same time share one object; none: the pipeline has as many of its own as its backend has in
    // flight.
    std::shared_ptr<SharedPermits> shared_permits;
    std::size_t timing_window = 256;  // frames that the statistics of the stages cover
    int source_number = 1;            // for FrameResult
};

}  // namespace throng
