// How fast a source goes through: decoding alone, detection alone, and both as the pipeline does them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/options/table.h"
#include "core/detect/backend.h"
#include "core/pipeline/pipeline_settings.h"
#include "core/pipeline/stage_statistics.h"
#include "core/video/source.h"

namespace throng {

enum class PipelinePart : std::uint8_t { decode, detect, both };
[[nodiscard]] const char* part_name(PipelinePart part);

struct PipelineRow {
    PipelinePart part = PipelinePart::both;
    int streams = 1;
    std::uint64_t frames = 0;  // of all streams, in the time below
    double seconds = 0;
    double fps = 0;          // of all streams together
    double of_decoding = 0;  // fps over that of decoding alone with as many streams; 0: not measured
    double slowest_fps = 0;  // of the stream that got least
    double device_ms = 0;    // a frame's stages added up, without decoding; 0: not measured
    double latency_p50 = 0;  // milliseconds from the decoded frame to its boxes on the host
    double latency_p99 = 0;
    double faces = 0;              // kept a frame
    std::uint64_t host_bytes = 0;  // of images that were copied from the device
    double cores = 0;              // of the host that were busy, per stream
    // Memory in use when a tenth of the frames has passed, and at the end: of this process on the host, and of all
    // programs on the device (0: none, or not known).
    double resident_tenth_mb = 0;
    double resident_end_mb = 0;
    double device_tenth_mb = 0;
    double device_end_mb = 0;
};

struct PipelineBench {
    std::string source;
    SourceOptions source_options;
    PipelineSettings settings;
    std::int64_t frames = 600;            // of the fastest stream, after the warm-up
    int shared_permits = kSharedPermits;  // frames beyond one a stream between decoder and boxes, of all streams
    std::function<std::shared_ptr<Backend>()> make_backend;  // one a stream
    std::function<bool()> interrupted;
    std::function<void(std::uint64_t frames)> progress;
};

// Streams read the same source, from its start again where it ends. Nothing of the first frames counts: what is made
// for them is used by all that follow. stages: of the first stream, empty for decode. Throws what open_source and the
// pipeline throw, and input where a source that cannot go round ends before it is warm.
[[nodiscard]] PipelineRow measure_pipeline(const PipelineBench& bench, PipelinePart part, int streams,
                                           std::vector<StageSummary>& stages);

[[nodiscard]] TextTable pipeline_table(const std::vector<PipelineRow>& rows);
[[nodiscard]] nlohmann::ordered_json pipeline_json(const std::vector<PipelineRow>& rows);

}  // namespace throng
