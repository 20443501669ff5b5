#include "core/pipeline/hiding_queue.h"

#include <optional>
#include <utility>

#include "core/base/stopwatch.h"

namespace throng {
namespace {

HidingInput input_of(const FrameResult& result) {
    return {tracker_input(result), lacks_detections(result)};
}

}  // namespace

std::vector<std::shared_ptr<const FrameResult>> HidingQueue::push(std::shared_ptr<FrameResult> result) {
    hider_.push(input_of(*result));
    waiting_.push_back(std::move(result));
    return take();
}

std::vector<std::shared_ptr<const FrameResult>> HidingQueue::flush() {
    hider_.flush();
    return take();
}

void HidingQueue::plan_alone(FrameResult& result) const {
    result.plan = hider_.plan_alone(input_of(result));
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
