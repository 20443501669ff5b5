// Shows every frame of a source at its own rate while detection is slower: boxes of the last detected frame follow the
// motion of their tracks.
#pragma once

#include <memory>

#include "core/frame/frame.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Returns the result with another frame: tracks, their kept detections, and raw detections whose center is inside a
// track move on by the velocity of the track. FrameResult::carried is set.
[[nodiscard]] std::shared_ptr<FrameResult> carry(const FrameResult& detected, const Frame& frame);

// Decides what is shown. Not thread-safe: what it returns must be shown before the next call. Frames in device memory
// are never carried: their decoder has few of them.
class FrameCarrier {
public:
    // To be called for every frame before it is detected. Returns what to show at once; null if detection keeps up,
    // so that the frame is shown with its own boxes, or if there are no boxes of the last second.
    [[nodiscard]] std::shared_ptr<const FrameResult> arrived(const Frame& frame);

    // To be called for every result, in order. Returns what to show: the result, or its boxes carried to the newest
    // frame that is already shown. The image goes back only to a result that is more than a second older.
    [[nodiscard]] std::shared_ptr<const FrameResult> detected(std::shared_ptr<const FrameResult> result);

private:
    std::shared_ptr<const FrameResult> last_;  // newest detected
    Frame shown_;                              // newest frame shown by carrying it; empty if a result is newer
    double arrived_ = 0;                       // time stamp of the newest frame that arrived
};

}  // namespace throng
