// The one-pass and greedy rules: decide which detections are kept, and assign each other one to a kept detection.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/cpu/nms_grid.h"
#include "core/cpu/nms_order.h"
#include "core/cpu/stop_flag.h"
#include "core/cpu/thread_pool.h"
#include "core/detect/nms.h"

namespace throng {

class NmsDecision {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    NmsDecision(ThreadPool& pool, const StopFlag& stop) : pool_(pool), stop_(stop) {}

    struct Kept {
        std::uint32_t rank;
        std::int32_t hits;
    };

    // raw is the source of the detections and provides density and features. Times the stages map and reduce. Returns
    // the kept detections by rank. The results stay valid until the next call. Throws Error(interrupted) for a stop.
    const std::vector<Kept>& run(const OrderedDetections& detections, const DetectionSpan& raw, const NmsParams& params,
                                 StageRecorder& recorder);

    // Returns for each rank: the rank itself if kept, else the first kept detection that suppresses it. kNone if all
    // its suppressors are suppressed themselves (one-pass only).
    [[nodiscard]] const std::vector<std::uint32_t>& owners() const noexcept { return owner_; }

    [[nodiscard]] std::uint64_t pair_tests() const noexcept { return pair_tests_; }

private:
    template <class Pair>
    void run_with(const Pair& pair, const OrderedDetections& detections, const NmsParams& params,
                  StageRecorder& recorder);
    template <class Pair>
    void decide_greedy(const Pair& pair);
    template <class Pair>
    void decide_one_pass(const Pair& pair);
    template <class Pair>
    void find_owners(const Pair& pair);
    template <class Pair>
    [[nodiscard]] bool reaches(const Pair& pair, std::uint32_t i, std::uint32_t j) const;
    template <class Pair>
    void own(const Pair& pair, std::uint32_t kept, std::uint64_t& tests);

    void find_limits(const std::vector<float>& scores, Ties ties);
    // Only ranks below this one may suppress rank i.
    [[nodiscard]] std::uint32_t limit(std::uint32_t i) const { return limits_.empty() ? i : limits_[i]; }

    ThreadPool& pool_;
    const StopFlag& stop_;
    BoxGrid grid_;
    const std::vector<Box>* boxes_ = nullptr;
    float extent_ = 0;
    std::vector<std::uint32_t> limits_;  // strict ties: the first rank of the same score; empty for total
    std::vector<std::uint32_t> owner_;
    std::vector<Kept> kept_;
    std::atomic<std::uint64_t> pair_tests_{0};
};

}  // namespace throng
