#include "ui/session/run_status.h"

#include "ui/language/language.h"
#include "ui/models/stage_model.h"

namespace throng::ui {

bool is_silent(const Pipeline& pipeline, const PipelineCounters& counters) {
    const PipelineState state = pipeline.state();
    const bool over = state == PipelineState::ended || state == PipelineState::failed;
    return pipeline.source_info().live && (over || (state == PipelineState::running && counters.silent));
}

void RunStatus::on_refresh(const RunFrame& frame) {
    const FrameResult* result = frame.result.get();
    const Pipeline& pipeline = frame.pipeline;
    counters_ = pipeline.counters();
    silent_ = is_silent(pipeline, counters_);
    latency_ = silent_ ? 0 : feed_.latency();
    if (silent_) {
        result = nullptr;
        counters_.fps = 0;
    }
    notice_ = translated_message(pipeline.notice());
    given_up_ = translated_message(pipeline.given_up());
    faces_ = result != nullptr ? static_cast<int>(result->kept.detections.size()) : 0;
    const RawCounts raw = result != nullptr ? raw_counts(*result) : RawCounts();
    raw_count_ = static_cast<int>(raw.found);
    overflow_ = static_cast<int>(raw.dropped);
    frame_ms_ = result != nullptr ? stage_ms(result->timings, stage::kTotal).value_or(0) : 0;
    emit changed();
}

void RunStatus::attach(std::shared_ptr<Pipeline> pipeline) {
    if (pipeline) return;
    counters_ = {};
    notice_.clear();
    given_up_.clear();
    faces_ = raw_count_ = overflow_ = 0;
    frame_ms_ = 0;
    silent_ = false;
    latency_ = 0;
    emit changed();
}

}  // namespace throng::ui
