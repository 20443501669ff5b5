// What is counted in the frames of a stream, as the structs of throng.h.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/api/throng.h"
#include "core/count/counter.h"
#include "core/pipeline/frame_result.h"

namespace throng::api {

// Not thread-safe.
class StreamCounts {
public:
    // file: of lines and zones (core/count/count_plan.h); empty: people in the whole image. Throws as load_count_plan
    // does, until a stop request.
    StreamCounts(const std::string& file, const std::stop_token& stop);

    // Counts the next frame. It must have tracks.
    void add(const FrameResult& result);
    // Ends all visits, after the last frame. Later calls keep the events of that.
    void finish();

    // Valid until the next of the calls above.
    [[nodiscard]] const throng_counts& counts() const noexcept { return counts_; }

private:
    void publish(const std::vector<CountEvent>& events);
    [[nodiscard]] const char* name_of(const CountEvent& event) const;

    CountPlan plan_;
    Counter counter_;
    std::vector<throng_shape> shapes_;  // lines, then zones
    std::vector<throng_event> events_;
    throng_counts counts_{};
    bool finished_ = false;
};

}  // namespace throng::api
