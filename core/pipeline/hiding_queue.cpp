#include "core/pipeline/hiding_queue.h"

#include <optional>
#include <utility>

#include "core/base/stopwatch.h"

namespace throng {

LookaheadInput HidingQueue::input_of(const FrameResult& result, const FrameResult* search) const {
    LookaheadInput input = lookahead_input(search != nullptr ? *search : result);
    const bool missing = params_.search && search == nullptr;
    input.damaged = input.damaged || missing || lacks_detections(result);
    if (search == nullptr || search == &result) return input;
    for (const Detection& shown : result.kept.detections) input.others.push_back(shown_box(shown, params_));
    for (const Detection& shown : result.candidates) input.others.push_back(shown_box(shown, params_));
    return input;
}

std::vector<std::shared_ptr<const FrameResult>> HidingQueue::push(std::shared_ptr<FrameResult> result,
                                                                  const FrameResult* search) {
    LookaheadInput input = input_of(*result, search);
    frames_.push(std::move(input), std::move(result));
    return take();
}

std::vector<std::shared_ptr<const FrameResult>> HidingQueue::flush() {
    frames_.finish();
    return take();
}

void HidingQueue::plan_alone(FrameResult& result, const FrameResult* search) const {
    Lookahead alone({params_.tracker, false, params_.plan});
    alone.push(input_of(result, search));
    alone.finish();
    result.plan = alone.pop()->plan;
    result.redact = params_.redact;
}

std::vector<std::shared_ptr<const FrameResult>> HidingQueue::take() {
    std::vector<std::shared_ptr<const FrameResult>> decided;
    while (auto next = frames_.pop()) {
        auto& [result, decision] = *next;
        result->plan = std::move(decision.plan);
        result->redact = params_.redact;
        result->latency_ms = milliseconds_since(result->frame.info().captured);  // the delay included
        decided.push_back(std::move(result));
    }
    return decided;
}

}  // namespace throng
