// Soft-NMS (N. Bodla et al., ICCV 2017): scores of neighbors decay, nothing is suppressed at once.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cpu/nms_grid.h"
#include "core/cpu/nms_order.h"
#include "core/cpu/stop_flag.h"
#include "core/detect/nms.h"

namespace throng {

class SoftSuppression {
public:
    // One detection in the order of picking, with its decayed score.
    struct Pick {
        std::uint32_t rank;
        float score;
    };

    explicit SoftSuppression(const StopFlag& stop) : stop_(stop) {}

    // params.rule must be one of the soft rules. The picks stay valid until the next call. Throws Error(interrupted) for
    // a stop.
    const std::vector<Pick>& run(const OrderedDetections& detections, const NmsParams& params);

    [[nodiscard]] std::uint64_t pair_tests() const noexcept { return pair_tests_; }

private:
    struct HeapEntry {
        float score;  // at insertion; the current one may be lower
        std::uint32_t rank;
    };

    template <class Factor>
    void pick_all(const OrderedDetections& detections, const NmsParams& params, Factor factor);

    const StopFlag& stop_;
    BoxGrid grid_;
    std::vector<float> scores_;       // current, by rank
    std::vector<std::uint8_t> done_;  // picked or dropped, by rank
    std::vector<HeapEntry> heap_;
    std::vector<Pick> picks_;
    std::uint64_t pair_tests_ = 0;
};

}  // namespace throng
