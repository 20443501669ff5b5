// Counts the faces that appeared since the program's start, by their tracks.
#pragma once

#include <cstdint>
#include <memory>
#include <set>

#include "core/pipeline/frame_result.h"

namespace throng::ui {

// A face counts once from its appearance until its track ends, however many frames it is in. Tracks recognize nobody:
// people who return are counted again.
class FaceCounter {
public:
    // The next result of the source; null: the source was closed, its tracks have ended.
    void add(const std::shared_ptr<const FrameResult>& result);

    [[nodiscard]] std::int64_t faces() const { return faces_; }

private:
    std::set<std::int64_t> counted_;  // ids of the tracks in the last result that have been counted
    std::int64_t faces_ = 0;
};

}  // namespace throng::ui
