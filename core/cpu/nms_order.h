// The first step of every rule: drops invalid detections and sorts the rest by `precedes`, or by score and index.
#pragma once

#include <cstdint>
#include <vector>

#include "core/algo/nms_rules.h"
#include "core/detect/detection_buffer.h"

namespace throng {

// The valid detections of a frame in order. An index into these arrays is a detection's rank. Keeps its memory from
// frame to frame.
class OrderedDetections {
public:
    // Reads min(requested, capacity) detections of `raw`, which is in host memory.
    void arrange(const DetectionSpan& raw, Ties ties);

    [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(boxes_.size()); }
    [[nodiscard]] std::uint32_t invalid() const noexcept { return invalid_; }
    [[nodiscard]] const std::vector<Box>& boxes() const noexcept { return boxes_; }
    [[nodiscard]] const std::vector<float>& scores() const noexcept { return scores_; }
    [[nodiscard]] const std::vector<std::uint32_t>& source() const noexcept { return source_; }  // index in raw

private:
    void sort(const DetectionSpan& raw, Ties ties);

    std::vector<Box> boxes_;
    std::vector<float> scores_;
    std::vector<std::uint32_t> source_;
    std::uint32_t invalid_ = 0;
    // Upper half: ascends as scores descend; lower half: index in raw.
    std::vector<std::uint64_t> keys_;
    std::vector<std::int32_t> bucket_;  // of each detection
    std::vector<std::uint32_t> ends_;   // of each bucket
};

}  // namespace throng
