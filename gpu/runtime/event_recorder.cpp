#include "gpu/runtime/event_recorder.h"

#include <algorithm>

#include "core/detect/stage_times.h"

namespace throng::gpu {

EventRecorder::EventRecorder(StreamView stream, std::size_t frames)
    : stream_(stream), ring_(std::max<std::size_t>(frames, 2)) {}

void EventRecorder::begin(std::string_view name) {
    Slot& slot = ring_[current_];
    if (slot.used == slot.intervals.size()) slot.intervals.emplace_back();
    Interval& interval = slot.intervals[slot.used++];
    interval.name = name;
    interval.closed = false;
    interval.begin.record(stream_);
}

void EventRecorder::end(std::string_view name) {
    Slot& slot = ring_[current_];
    for (std::size_t i = slot.used; i-- > 0;) {  // none: the stage did not begin in this frame
        Interval& interval = slot.intervals[i];
        if (interval.name != name || interval.closed) continue;
        interval.end.record(stream_);
        interval.closed = true;
        return;
    }
}

void EventRecorder::add(std::string_view name, double ms) {
    add_time(ring_[current_].added, name, ms);
}

void EventRecorder::collect(const Slot& slot) {
    newest_ = slot.added;
    for (std::size_t i = 0; i < slot.used; ++i) {
        const Interval& interval = slot.intervals[i];
        if (interval.closed) add_time(newest_, interval.name, Event::elapsed_ms(interval.begin, interval.end));
    }
}

const StageTimes& EventRecorder::end_frame() {
    const bool measured = ring_[current_].used > 0 || !ring_[current_].added.empty();
    if (measured) {
        ring_[current_].last.record(stream_);
        ring_[current_].pending = true;
    }
    // Frames finish in order, so this reads every finished frame.
    while (ring_[oldest_].pending && ring_[oldest_].last.done()) {
        collect(ring_[oldest_]);
        ring_[oldest_].pending = false;
        oldest_ = (oldest_ + 1) % ring_.size();
    }
    if (!measured) return newest_;
    current_ = (current_ + 1) % ring_.size();
    Slot& next = ring_[current_];
    if (next.pending) oldest_ = (current_ + 1) % ring_.size();  // all slots of the ring hold running frames
    next.pending = false;
    next.used = 0;
    next.added.clear();
    return newest_;
}

}  // namespace throng::gpu
