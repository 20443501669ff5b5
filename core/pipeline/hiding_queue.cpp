#include "core/pipeline/hiding_queue.h"

#include <utility>

#include "core/base/stopwatch.h"

namespace throng {

LookaheadInput HidingQueue::input_of(const FrameResult& result, const FrameResult* search) const {
    LookaheadInput input = lookahead_input(search != nullptr ? *search : result);
    const bool missing = params_.search && search == nullptr;
    input.damaged = input.damaged || missing || lacks_detections(result);
    const auto hide_shown = [&](const FrameResult& shown) {
        for (const Detection& each : shown.kept.detections) input.others.push_back(shown_box(each, params_));
        for (const Detection& each : shown.candidates) input.others.push_back(shown_box(each, params_));
    };
    if (search != nullptr && search != &result) {
        for_each_class(result, hide_shown);
    } else if (result.faces && !params_.faces) {
        hide_shown(*result.faces);  // without a plan of their own
    }
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
    LookaheadParams params = lookahead_params(params_);
    params.linked = false;
    for (LookaheadParams& faces : params.faces) faces.linked = false;
    Lookahead alone(params);
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
