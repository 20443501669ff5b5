#include "core/cpu/nms_decision.h"

#include <algorithm>

#include "core/cpu/nms_pair.h"

namespace throng {
namespace {

// Waking the pool's threads takes some 10 us. One thread is faster for fewer detections than this.
constexpr std::uint32_t kMinParallel = 2048;
constexpr std::uint32_t kChunk = 1024;
// Up to this count, scanning a list is faster than building a grid and visiting its cells.
constexpr std::uint32_t kMaxList = 256;

}  // namespace

const std::vector<std::uint32_t>& NmsDecision::run(const OrderedDetections& detections, const DetectionSpan& raw,
                                                   const NmsParams& params, StageRecorder& recorder) {
    const auto run_pair = [&](const auto& pair) { run_with(pair, detections, params, recorder); };
    switch (params.pair) {
        case PairRule::overlap:
            switch (params.overlap) {
                case Overlap::iou: run_pair(OverlapPair<Overlap::iou>{params.theta}); break;
                case Overlap::suppressor: run_pair(OverlapPair<Overlap::suppressor>{params.theta}); break;
                case Overlap::min: run_pair(OverlapPair<Overlap::min>{params.theta}); break;
            }
            break;
        case PairRule::adaptive: run_pair(AdaptivePair{params.theta, detections.source(), raw.density}); break;
        case PairRule::feature:
            run_pair(FeaturePair{params.feature_low, params.feature_high, params.feature_distance, detections.source(),
                                 raw.features, raw.feature_size});
            break;
    }
    return owner_;
}

template <class Pair>
void NmsDecision::run_with(const Pair& pair, const OrderedDetections& detections, const NmsParams& params,
                           StageRecorder& recorder) {
    pair_tests_ = 0;
    {
        const ScopedStage map(recorder, stage::kNmsMap);
        boxes_ = &detections.boxes();
        extent_ = pixel_extent(params.pixels);
        find_limits(detections.scores(), params.ties);
        list_only_ = detections.size() <= kMaxList;
        if (!list_only_) grid_.build(*boxes_, extent_, pair.smallest_iou());
        list_.clear();
        owner_.assign(detections.size(), kNone);
        if (params.rule == NmsRule::greedy) {
            decide_greedy(pair);
        } else {
            decide_one_pass(pair);
        }
    }
    if (params.rule == NmsRule::one_pass) {
        const ScopedStage reduce(recorder, stage::kNmsReduce);
        find_owners(pair);
    }
}

void NmsDecision::find_limits(const std::vector<float>& scores, Ties ties) {
    limits_.clear();
    if (ties == Ties::total) return;
    limits_.resize(scores.size());
    for (std::uint32_t i = 0; i < scores.size(); ++i) {
        limits_[i] = i > 0 && scores[i] == scores[i - 1] ? limits_[i - 1] : i;
    }
}

// Decides in rank order: a detection is kept unless a kept one suppresses it. Only kept ones are added as suppressors,
// so a search visits few.
template <class Pair>
void NmsDecision::decide_greedy(const Pair& pair) {
    std::uint64_t tests = 0;
    for (std::uint32_t i = 0; i < owner_.size(); ++i) {
        owner_[i] = first_suppressor(pair, i, tests);
        if (owner_[i] != kNone) continue;
        owner_[i] = i;
        add_suppressor(pair, i);
    }
    pair_tests_ += tests;
}

// Adds all detections as suppressors, even suppressed ones. The first suppressor found decides. Afterwards kept
// detections own themselves and the others have no owner.
template <class Pair>
void NmsDecision::decide_one_pass(const Pair& pair) {
    const auto n = static_cast<std::uint32_t>(owner_.size());
    for (std::uint32_t i = 0; i < n; ++i) add_suppressor(pair, i);
    const std::vector<std::uint32_t>& order = sequence();
    for_chunks(n, [&](std::uint32_t first, std::uint32_t last, std::uint64_t& tests) {
        for (std::uint32_t k = first; k < last; ++k) {
            const std::uint32_t i = order.empty() ? k : order[k];
            owner_[i] = any_suppressor(pair, i, tests) ? kNone : i;
        }
    });
}

template <class Pair>
void NmsDecision::find_owners(const Pair& pair) {
    const auto n = static_cast<std::uint32_t>(owner_.size());
    const std::vector<std::uint32_t>& order = sequence();
    if (!list_only_) grid_.clear();
    list_.clear();
    for (std::uint32_t i = 0; i < n; ++i) {
        if (owner_[i] == i) add_suppressor(pair, i);
    }
    for_chunks(n, [&](std::uint32_t first, std::uint32_t last, std::uint64_t& tests) {
        for (std::uint32_t k = first; k < last; ++k) {
            const std::uint32_t i = order.empty() ? k : order[k];
            if (owner_[i] != i) owner_[i] = first_suppressor(pair, i, tests);
        }
    });
}

// In this order neighbors follow each other, so their cells are still in the cache.
const std::vector<std::uint32_t>& NmsDecision::sequence() {
    return list_only_ ? rank_order_ : grid_.by_location();
}

// Adds a detection as a suppressor. Ranks must be added in ascending order.
template <class Pair>
void NmsDecision::add_suppressor(const Pair& pair, std::uint32_t rank) {
    if (list_only_ || pair.suppresses_everywhere(rank)) {
        list_.push_back(rank);
    } else {
        grid_.insert(rank);
    }
}

template <class Pair>
bool NmsDecision::any_suppressor(const Pair& pair, std::uint32_t i, std::uint64_t& tests) const {
    const Box box = (*boxes_)[i];
    const float area = box_area(box, extent_);
    const std::uint32_t end = limit(i);
    for (const std::uint32_t j : list_) {
        if (j >= end) break;
        ++tests;
        const Box other = (*boxes_)[j];
        const float intersection = intersection_area(box, other, extent_);
        if (pair.reaches(i, area, j, box_area(other, extent_), intersection)) return true;
    }
    if (list_only_) return false;
    return grid_.search(i, [&](const GridEntry& entry) {
        if (entry.rank >= end) return false;
        ++tests;
        const float intersection = intersection_area(box, entry.box, extent_);
        return intersection > 0.0F && pair.reaches(i, area, entry.rank, entry.area, intersection);
    });
}

template <class Pair>
std::uint32_t NmsDecision::first_suppressor(const Pair& pair, std::uint32_t i, std::uint64_t& tests) const {
    const Box box = (*boxes_)[i];
    const float area = box_area(box, extent_);
    std::uint32_t first = limit(i);
    const std::uint32_t end = first;
    for (const std::uint32_t j : list_) {
        if (j >= first) break;
        ++tests;
        const Box other = (*boxes_)[j];
        const float intersection = intersection_area(box, other, extent_);
        if (pair.reaches(i, area, j, box_area(other, extent_), intersection)) first = j;
    }
    if (list_only_) return first < end ? first : kNone;
    grid_.search(i, [&](const GridEntry& entry) {
        if (entry.rank >= first) return false;
        ++tests;
        const float intersection = intersection_area(box, entry.box, extent_);
        if (intersection > 0.0F && pair.reaches(i, area, entry.rank, entry.area, intersection)) first = entry.rank;
        return false;
    });
    return first < end ? first : kNone;
}

// Calls work(first, last, tests) for parts of [0, n), on several threads if that is faster.
template <class Work>
void NmsDecision::for_chunks(std::uint32_t n, Work&& work) {
    if (n < kMinParallel) {
        std::uint64_t tests = 0;
        work(0U, n, tests);
        pair_tests_ += tests;
        return;
    }
    const auto chunks = static_cast<int>((n + kChunk - 1) / kChunk);
    pool_.run(chunks, [&](int chunk, int) {
        const std::uint32_t first = static_cast<std::uint32_t>(chunk) * kChunk;
        std::uint64_t tests = 0;
        work(first, std::min(first + kChunk, n), tests);
        pair_tests_ += tests;
    });
}

}  // namespace throng
