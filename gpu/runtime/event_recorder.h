// Measures the stages of a frame on a stream with a ring of events, which are read some frames later and never waited
// for.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/detect/stage.h"
#include "gpu/runtime/stream.h"

namespace throng::gpu {

class EventRecorder final : public StageRecorder {
public:
    // frames: the number of frames in flight. The times of a frame that is still running when its slot is needed are
    // dropped.
    explicit EventRecorder(StreamView stream, std::size_t frames = 8);

    void begin(std::string_view name) override;
    void end(std::string_view name) override;
    void add(std::string_view name, double ms) override;
    const StageTimes& end_frame() override;

private:
    struct Interval {
        std::string_view name;
        Event begin;
        Event end;
        bool closed = false;
    };
    struct Slot {
        std::vector<Interval> intervals;  // events are reused
        std::size_t used = 0;
        StageTimes added;
        bool pending = false;
        Event last;
    };

    void collect(const Slot& slot);

    StreamView stream_;
    std::vector<Slot> ring_;
    std::size_t current_ = 0;
    std::size_t oldest_ = 0;
    StageTimes newest_;
};

}  // namespace throng::gpu
