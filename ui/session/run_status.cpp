#include "ui/session/run_status.h"

#include "ui/language/language.h"

namespace throng::ui {

bool is_silent(const Pipeline& pipeline, const PipelineCounters& counters) {
    const PipelineState state = pipeline.state();
    const bool over = state == PipelineState::ended || state == PipelineState::failed;
    return pipeline.source_info().live && (over || (state == PipelineState::running && counters.silent));
}

void RunStatus::update(const Pipeline& pipeline, const FrameFeed& feed) {
    const FrameResult* result = feed.shown().result.get();
    counters_ = pipeline.counters();
    silent_ = is_silent(pipeline, counters_);
    latency_ = silent_ ? 0 : feed.latency();
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
    frame_ms_ = 0;
    for (const StageTime& time : result != nullptr ? result->timings : StageTimes{}) {
        if (time.name == stage::kTotal) frame_ms_ = time.ms;
    }
    emit changed();
}

void RunStatus::clear() {
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
