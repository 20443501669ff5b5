#include "app/lab/measure/nms_measurement.h"

#include <algorithm>
#include <thread>

#include "core/detect/nms_profiling.h"
#include "core/pipeline/pipeline_settings.h"

namespace throng {

NmsMeasurement measure_nms(Backend& backend, Nms& nms, const DetectionBuffer& raw, DetectionBuffer& kept,
                           const NmsParams& params, const NmsRepeats& repeats) {
    NmsMeasurement result;
    DetectionSet downloaded;
    const auto recorder = backend.make_recorder();
    const bool on_host = kept.memory() != MemoryKind::device;
    const auto call = [&] {
        nms.enqueue(raw, kept, params, *recorder);
        if (!on_host) backend.download(kept, downloaded);
    };
    call();
    recorder->end_frame();
    const double once = milliseconds_of(call);
    recorder->end_frame();
    const int runs = repeats.runs > 0 ? repeats.runs : repeats_within(repeats.budget_ms, once);
    for (int k = 0; k < runs; ++k) {
        const double ms = milliseconds_of(call);
        result.calls.add(ms, recorder->end_frame());
    }
    for (int k = 0; k < repeats.cold; ++k) {
        std::this_thread::sleep_for(kNmsRest);
        result.cold.add(milliseconds_of(call));
        recorder->end_frame();
    }
    if (auto* profiling = dynamic_cast<NmsProfiling*>(&nms)) {
        result.replays = Samples(profiling->replay(raw, kept, params, runs));
        result.pair_tests = profiling->pair_tests();
    }
    backend.download(kept, result.kept);
    return result;
}

NmsMeasurement measure_nms(Backend& backend, const DetectionSet& boxes, std::int32_t capacity, const NmsParams& params,
                           const NmsRepeats& repeats) {
    DetectionBuffer raw = backend.make_buffer(capacity, optional_fields_of(boxes));
    DetectionBuffer kept = backend.make_buffer(capacity);
    backend.upload(boxes, raw);
    return measure_nms(backend, *backend.make_nms(), raw, kept, params, repeats);
}

std::int32_t program_capacity(std::size_t boxes) {
    const PipelineSettings settings;
    if (boxes <= static_cast<std::size_t>(settings.capacity)) return settings.capacity;
    // As FrameProcessor grows its buffers.
    const auto limit = static_cast<std::size_t>(settings.capacity_limit);
    return static_cast<std::int32_t>(std::min(limit, boxes + boxes / 4));
}

}  // namespace throng
