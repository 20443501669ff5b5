#include "core/pipeline/carry.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/stopwatch.h"

namespace throng {
namespace {

constexpr double kLongest = 1;  // seconds that boxes are carried on

Box moved(Box box, float x, float y) {
    box.x += x;
    box.y += y;
    return box;
}

bool can_carry(const FrameResult& detected, const FrameInfo& to) {
    const FrameInfo& from = detected.frame.info();
    const double seconds = to.pts - from.pts;
    return to.memory == MemoryKind::host && seconds > 0 && seconds <= kLongest && from.width == to.width &&
           from.height == to.height;
}

}  // namespace

std::shared_ptr<FrameResult> carry(const FrameResult& detected, const Frame& frame) {
    auto result = std::make_shared<FrameResult>(detected);
    if (detected.faces) result->faces = carry(*detected.faces, frame);
    const auto seconds = static_cast<float>(frame.info().pts - detected.frame.info().pts);
    result->frame = frame;
    result->carried = true;
    for (Detection& raw : result->raw.detections) {
        const float x = raw.box.x + raw.box.w / 2;
        const float y = raw.box.y + raw.box.h / 2;
        const auto owns = [&](const Track& track) {
            const Box& box = track.box;
            return x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h;
        };
        const auto track = std::find_if(detected.tracks.begin(), detected.tracks.end(), owns);
        if (track != detected.tracks.end()) raw.box = moved(raw.box, seconds * track->vx, seconds * track->vy);
    }
    for (Track& track : result->tracks) {
        const float x = seconds * track.vx;
        const float y = seconds * track.vy;
        track.box = moved(track.box, x, y);
        track.smoothed = moved(track.smoothed, x, y);
        if (track.detection < 0 || static_cast<std::size_t>(track.detection) >= result->kept.detections.size())
            continue;
        const auto index = static_cast<std::size_t>(track.detection);
        result->kept.detections[index].box = moved(result->kept.detections[index].box, x, y);
        if (result->kept.landmarks.size() != result->kept.detections.size()) continue;
        float* points = result->kept.landmarks[index].xy;
        for (int i = 0; i < 10; i += 2) {
            points[i] += x;
            points[i + 1] += y;
        }
    }
    result->latency_ms = milliseconds_since(frame.info().captured);
    return result;
}

std::shared_ptr<const FrameResult> FrameCarrier::arrived(const Frame& frame) {
    const FrameInfo& info = frame.info();
    // The frame before is still being detected.
    const bool behind = last_ && last_->frame.info().pts < arrived_;
    arrived_ = info.pts;
    if (!behind || !can_carry(*last_, info)) {
        shown_ = {};
        return nullptr;
    }
    shown_ = frame;
    return carry(*last_, frame);
}

std::shared_ptr<const FrameResult> FrameCarrier::detected(std::shared_ptr<const FrameResult> result) {
    last_ = std::move(result);
    if (shown_ && can_carry(*last_, shown_.info())) return carry(*last_, shown_);
    shown_ = {};
    return last_;
}

}  // namespace throng
