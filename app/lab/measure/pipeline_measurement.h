// Measures the throughput of a source: decoding only, detection only, and both in the pipeline.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/lab/measure/result_list.h"
#include "core/base/choice_names.h"
#include "core/detect/backend.h"
#include "core/pipeline/pipeline_settings.h"
#include "core/pipeline/stage_statistics.h"
#include "core/video/source.h"

namespace throng {

enum class PipelinePart : std::uint8_t { decode, detect, both };
inline constexpr std::pair<std::string_view, PipelinePart> kPipelineParts[] = {
    {"decode", PipelinePart::decode}, {"detect", PipelinePart::detect}, {"both", PipelinePart::both}};

struct PipelineRow {
    PipelinePart part = PipelinePart::both;
    int streams = 1;
    std::uint64_t frames = 0;  // of all streams, within `seconds`
    double seconds = 0;
    double fps = 0;          // of all streams together
    double of_decoding = 0;  // fps divided by that of decoding only with the same number of streams; 0: not measured
    double slowest_fps = 0;  // of the slowest stream
    double device_ms = 0;    // sum of the stages per frame, without decoding; 0: not measured
    double latency_p50 = 0;  // milliseconds from the decoded frame to its boxes on the host
    double latency_p99 = 0;
    double faces = 0;              // kept per frame
    std::uint64_t host_bytes = 0;  // of images copied from the device
    double cores = 0;              // busy CPU cores per stream
    // Memory in use after a tenth of the frames and at the end: of this process on the host, and of all programs on the
    // device (0: none or unknown).
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
    int shared_permits = kSharedPermits;  // frames in flight beyond one per stream, shared by all streams
    std::function<std::shared_ptr<Backend>()> make_backend;  // called once per stream
    std::function<bool()> interrupted;
    std::function<void(std::uint64_t frames)> progress;
};

// Runs `streams` streams that read the same source and loop to its start at its end. The first frames do not count,
// because the buffers allocated for them are reused by all later frames. stages: those of the first stream; empty for
// decode. Throws what open_source and the pipeline throw, and Error(input) where a source that cannot loop ends during
// the warm-up.
[[nodiscard]] PipelineRow measure_pipeline(const PipelineBench& bench, PipelinePart part, int streams,
                                           std::vector<StageSummary>& stages);

// Adds the row to the results of the bench command.
void add_pipeline_row(ResultList& results, const PipelineRow& row);

}  // namespace throng
