// Passes the results of a file on with tracks that are linked with what comes after them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/pipeline/frame_result.h"

namespace throng {

// Results wait until their tracks are decided, up to a minute of the source, without their pixels and candidates: the
// inner sinks must read none.
class RelinkSink final : public ResultSink {
public:
    // tracker: for results without tracks. max_bytes: of the boxes that wait. If raw detections need more, tracks are
    // decided after less than a minute.
    explicit RelinkSink(std::vector<std::shared_ptr<ResultSink>> inner, std::optional<TrackerParams> tracker = {},
                        std::size_t max_bytes = std::size_t{256} << 20U)
        : inner_(std::move(inner)), frames_(tracks_with_faces({std::move(tracker), true})), max_bytes_(max_bytes) {}

    void write(const FrameResult& result) override;
    // Passes all results on and closes the inner sinks.
    void close() override;

private:
    void pass_on();

    std::vector<std::shared_ptr<ResultSink>> inner_;
    FrameLookahead<FrameResult> frames_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;                     // of the boxes in frames_
    std::set<std::string, std::less<>> names_;  // of the timings, whose owner may not live as long
};

}  // namespace throng
