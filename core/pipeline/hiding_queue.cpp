#include "core/pipeline/hiding_queue.h"

#include <optional>
#include <utility>

#include "core/base/stopwatch.h"

namespace throng {

HidingInput HidingQueue::input_of(const FrameResult& result, const FrameResult* search) const {
    HidingInput input;
    const FrameResult& tracked = search != nullptr ? *search : result;
    static_cast<TrackerInput&>(input) = tracker_input(tracked);
    const bool missing = params_.search && search == nullptr;
    input.damaged = missing || lacks_detections(result) || lacks_detections(tracked);
    if (search != nullptr && search != &result) {
        input.shown = result.kept.detections;
        input.shown.insert(input.shown.end(), result.candidates.begin(), result.candidates.end());
    }
    return input;
}

std::vector<std::shared_ptr<const FrameResult>> HidingQueue::push(std::shared_ptr<FrameResult> result,
                                                                  const FrameResult* search) {
    hider_.push(input_of(*result, search));
    waiting_.push_back(std::move(result));
    return take();
}

std::vector<std::shared_ptr<const FrameResult>> HidingQueue::flush() {
    hider_.flush();
    return take();
}

void HidingQueue::plan_alone(FrameResult& result, const FrameResult* search) const {
    result.plan = hider_.plan_alone(input_of(result, search));
    result.redact = params_.redact;
}

std::vector<std::shared_ptr<const FrameResult>> HidingQueue::take() {
    std::vector<std::shared_ptr<const FrameResult>> decided;
    while (std::optional<FramePlan> plan = hider_.pop()) {
        std::shared_ptr<FrameResult> result = std::move(waiting_.front());
        waiting_.pop_front();
        result->plan = std::move(plan);
        result->redact = params_.redact;
        result->latency_ms = milliseconds_since(result->frame.info().captured);  // the delay included
        decided.push_back(std::move(result));
    }
    return decided;
}

}  // namespace throng
