#include "core/cpu/nms_decision.h"

#include <algorithm>

#include "core/cpu/nms_pair.h"

namespace throng {
namespace {

// Waking the pool's threads takes some 10 us. One thread is faster for fewer detections than this.
constexpr std::uint32_t kMinParallel = 2048;
constexpr std::uint32_t kChunk = 1024;

}  // namespace

const std::vector<NmsDecision::Kept>& NmsDecision::run(const OrderedDetections& detections, const DetectionSpan& raw,
                                                       const NmsParams& params, StageRecorder& recorder) {
    const float theta = suppression_threshold(params.compare, params.theta);
    const auto run_pair = [&](const auto& pair) { run_with(pair, detections, params, recorder); };
    switch (params.pair) {
        case PairRule::overlap: run_pair(OverlapPair{params.overlap, theta}); break;
        case PairRule::adaptive: run_pair(AdaptivePair{theta, detections.source(), raw.density}); break;
        case PairRule::feature:
            run_pair(FeaturePair{params.feature_low, params.feature_high, params.feature_distance, detections.source(),
                                 raw.features, raw.feature_size});
            break;
    }
    return kept_;
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
        grid_.build(*boxes_, limits_, extent_, pair.smallest_iou());
        stop_.check();
        owner_.assign(detections.size(), kNone);
        kept_.clear();
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
    if (ties != Ties::strict) return;
    limits_.resize(scores.size());
    for (std::uint32_t i = 0; i < scores.size(); ++i) {
        limits_[i] = i > 0 && scores[i] == scores[i - 1] ? limits_[i - 1] : i;
    }
}

// Decides in rank order. A detection without an owner at its turn is kept, and owns those that it suppresses and that
// have no owner yet. So each search is for a kept detection, and each detection is found once.
template <class Pair>
void NmsDecision::decide_greedy(const Pair& pair) {
    std::uint64_t tests = 0;
    for (std::uint32_t i = 0; i < owner_.size(); ++i) {
        if (owner_[i] != kNone) continue;
        owner_[i] = i;
        own(pair, i, tests);
    }
    pair_tests_ += tests;
}

// Makes `kept` the owner of all detections in the grid that it suppresses, and removes it and them from the grid.
template <class Pair>
void NmsDecision::own(const Pair& pair, std::uint32_t kept, std::uint64_t& tests) {
    stop_.check();
    grid_.remove(kept);
    const auto n = static_cast<std::uint32_t>(owner_.size());
    std::int32_t hits = 1;
    const auto suppress = [&](std::uint32_t i, std::uint32_t position) {
        owner_[i] = kept;
        grid_.remove_at(position);
        ++hits;
    };
    if (pair.suppresses_everywhere(kept)) {
        for (std::uint32_t position = 0; position < n; ++position) {
            const std::uint32_t i = grid_.rank_at(position);
            if (owner_[i] == kNone && kept < limit(i)) suppress(i, position);
        }
    } else {
        const GridQuery query = {pair.overlap, pair.least_overlap(), true, kept + 1, n};
        grid_.search(kept, query, tests, [&](std::uint32_t position) {
            const std::uint32_t i = grid_.rank_at(position);
            if (reaches(pair, i, kept)) suppress(i, position);
            return false;
        });
    }
    kept_.push_back({kept, hits});
}

// Returns true if the pair, which a search yielded, fulfills the rule.
template <class Pair>
bool NmsDecision::reaches(const Pair& pair, std::uint32_t i, std::uint32_t j) const {
    if constexpr (Pair::kExact) return true;
    return pair.reaches(i, j, pair_overlap(pair.overlap, (*boxes_)[i], (*boxes_)[j], extent_));
}

// Every detection suppresses, even a suppressed one, and the first suppressor found decides. Afterwards kept detections
// own themselves and the others have no owner.
template <class Pair>
void NmsDecision::decide_one_pass(const Pair& pair) {
    const auto n = static_cast<std::uint32_t>(owner_.size());
    std::uint32_t everywhere = 0;  // the first detection that suppresses at any position
    while (everywhere < n && !pair.suppresses_everywhere(everywhere)) ++everywhere;
    const auto decide = [&](std::uint32_t first, std::uint32_t last) {
        std::uint64_t tests = 0;
        for (std::uint32_t position = first; position < last; ++position) {
            const std::uint32_t i = grid_.rank_at(position);
            if (everywhere < limit(i)) continue;
            stop_.check();
            const GridQuery query = {pair.overlap, pair.least_overlap(), false, 0, limit(i)};
            const bool suppressed = grid_.search(
                i, query, tests, [&](std::uint32_t other) { return reaches(pair, i, grid_.rank_at(other)); });
            if (!suppressed) owner_[i] = i;
        }
        pair_tests_ += tests;
    };
    if (n < kMinParallel) {
        decide(0, n);
        return;
    }
    pool_.run(static_cast<int>((n + kChunk - 1) / kChunk), [&](int chunk, int) {
        const std::uint32_t first = static_cast<std::uint32_t>(chunk) * kChunk;
        decide(first, std::min(first + kChunk, n));
    });
}

template <class Pair>
void NmsDecision::find_owners(const Pair& pair) {
    const auto n = static_cast<std::uint32_t>(owner_.size());
    std::uint64_t tests = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (owner_[i] == i) own(pair, i, tests);
    }
    pair_tests_ += tests;
}

}  // namespace throng
