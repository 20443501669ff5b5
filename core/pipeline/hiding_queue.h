// Holds the results of a pipeline until it is decided what must be hidden in their frames.
#pragma once

#include <memory>
#include <vector>

#include "core/pipeline/frame_result.h"
#include "core/redact/hiding.h"

namespace throng {

// Not thread-safe. Fails safe: a result leaves the queue with its plan only, and a frame whose detections were dropped by
// an overflow is hidden entirely.
class HidingQueue {
public:
    explicit HidingQueue(const HidingParams& params) : params_(params), frames_(lookahead_params(params)) {}

    [[nodiscard]] const HidingParams& params() const noexcept { return params_; }

    // Adds the next result and returns those that are decided, in order, with FrameResult::plan. Another source (an
    // image of a folder) decides all results before. search: with HidingParams::search, its result of the same frame;
    // null: it failed, and the frame is hidden entirely.
    [[nodiscard]] std::vector<std::shared_ptr<const FrameResult>> push(std::shared_ptr<FrameResult> result,
                                                                       const FrameResult* search = nullptr);

    // Decides all results so far with what is known and returns them.
    [[nodiscard]] std::vector<std::shared_ptr<const FrameResult>> flush();

    // Sets the plan of a result that does not enter the queue: a frame that was detected again. search: as for push.
    void plan_alone(FrameResult& result, const FrameResult* search = nullptr) const;

private:
    [[nodiscard]] LookaheadInput input_of(const FrameResult& result, const FrameResult* search) const;
    [[nodiscard]] std::vector<std::shared_ptr<const FrameResult>> take();

    HidingParams params_;
    FrameLookahead<std::shared_ptr<FrameResult>> frames_;
};

}  // namespace throng
