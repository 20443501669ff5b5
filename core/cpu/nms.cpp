#include "core/cpu/nms.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/cpu/nms_decision.h"
#include "core/cpu/nms_order.h"
#include "core/cpu/nms_soft.h"
#include "core/cpu/thread_pool.h"
#include "core/detect/nms_profiling.h"

namespace throng {
namespace {

class CpuNms final : public Nms, public NmsProfiling {
public:
    CpuNms(int threads, const StopFlag* stop)
        : stop_(stop != nullptr ? *stop : never_), pool_(threads), decision_(pool_, stop_), soft_(stop_) {}

    void enqueue(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params,
                 StageRecorder& recorder) override;
    [[nodiscard]] std::optional<std::uint64_t> pair_tests() const override { return pair_tests_; }

private:
    void merge(const std::vector<std::uint32_t>& owner, Merge kind);
    void write(const std::vector<NmsDecision::Kept>& decided, const DetectionSpan& raw, const DetectionSpan& kept,
               const NmsParams& params);
    void write_picks(const std::vector<SoftSuppression::Pick>& picks, const DetectionSpan& raw,
                     const DetectionSpan& kept);
    void write_one(const DetectionSpan& raw, const DetectionSpan& kept, std::uint32_t rank, const Box& box, float score,
                   std::int32_t hits);

    const StopFlag never_;  // without a request
    const StopFlag& stop_;
    ThreadPool pool_;
    OrderedDetections detections_;
    NmsDecision decision_;
    SoftSuppression soft_;
    std::uint64_t pair_tests_ = 0;
    // Merge only, indexed by the rank of the kept detection:
    std::vector<std::uint32_t> last_;  // its last member
    std::vector<BoxSum> sums_;
};

void require(const DetectionSpan& raw, const NmsParams& params) {
    if (raw.capacity == 0 || raw.count->total == 0) return;
    const auto lacks = [](const char* what, const char* pair) {
        throw Error(ErrorKind::input, {"the detections have no %1", what}, Setting{"pair", pair},
                    {"use detections that have it, or %1", Setting{"pair", "overlap"}});
    };
    if (params.pair == PairRule::adaptive && raw.density == nullptr) lacks("density", "adaptive");
    if (params.pair == PairRule::feature && raw.features == nullptr) lacks("features", "feature");
}

void CpuNms::enqueue(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params,
                     StageRecorder& recorder) {
    check_params(params);
    if (raw.memory() == MemoryKind::device || kept.memory() == MemoryKind::device) {
        throw Error(ErrorKind::internal, "the CPU NMS requires host memory");
    }
    require(raw.span(), params);
    {
        const ScopedStage order(recorder, stage::kNmsOrder);
        detections_.arrange(raw.span(), params.ties);
    }
    stop_.check();
    if (is_soft(params.rule)) {
        const std::vector<SoftSuppression::Pick>* picks = nullptr;
        {
            const ScopedStage map(recorder, stage::kNmsMap);
            picks = &soft_.run(detections_, params);
            pair_tests_ = soft_.pair_tests();
        }
        const ScopedStage reduce(recorder, stage::kNmsReduce);
        write_picks(*picks, raw.span(), kept.span());
        return;
    }
    const std::vector<NmsDecision::Kept>& decided = decision_.run(detections_, raw.span(), params, recorder);
    pair_tests_ = decision_.pair_tests();
    const ScopedStage reduce(recorder, stage::kNmsReduce);
    if (params.merge != Merge::none) merge(decision_.owners(), params.merge);
    write(decided, raw.span(), kept.span(), params);
}

void CpuNms::merge(const std::vector<std::uint32_t>& owner, Merge kind) {
    const std::vector<float>& scores = detections_.scores();
    last_.resize(owner.size());
    for (std::uint32_t rank = 0; rank < owner.size(); ++rank) {
        if (owner[rank] != NmsDecision::kNone) last_[owner[rank]] = rank;
    }
    sums_.assign(owner.size(), {});
    for (std::uint32_t rank = 0; rank < owner.size(); ++rank) {
        const std::uint32_t kept = owner[rank];
        if (kept == NmsDecision::kNone) continue;
        const bool weighs = kind == Merge::weighted && scores_can_weigh(scores[kept], scores[last_[kept]]);
        add_member(sums_[kept], detections_.boxes()[rank], weighs ? static_cast<double>(scores[rank]) : 1.0);
    }
}

void CpuNms::write(const std::vector<NmsDecision::Kept>& decided, const DetectionSpan& raw, const DetectionSpan& kept,
                   const NmsParams& params) {
    *kept.count = {0, detections_.invalid()};
    for (const auto& [rank, hits] : decided) {
        if (hits < params.min_hits) continue;
        // A detection without other members keeps its box bit for bit.
        const bool merged = params.merge != Merge::none && hits > 1;
        write_one(raw, kept, rank, merged ? mean_box(sums_[rank]) : detections_.boxes()[rank],
                  detections_.scores()[rank], hits);
    }
}

void CpuNms::write_picks(const std::vector<SoftSuppression::Pick>& picks, const DetectionSpan& raw,
                         const DetectionSpan& kept) {
    *kept.count = {0, detections_.invalid()};
    for (const auto& [rank, score] : picks) write_one(raw, kept, rank, detections_.boxes()[rank], score, 1);
}

void CpuNms::write_one(const DetectionSpan& raw, const DetectionSpan& kept, std::uint32_t rank, const Box& box,
                       float score, std::int32_t hits) {
    const std::size_t to = kept.count->total++;
    if (to >= static_cast<std::size_t>(kept.capacity)) return;
    const std::size_t from = detections_.source()[rank];
    kept.boxes[to] = box;
    kept.scores[to] = score;
    if (kept.hits != nullptr) kept.hits[to] = hits;
    if (kept.source != nullptr) kept.source[to] = static_cast<std::int32_t>(from);
    if (kept.density != nullptr && raw.density != nullptr) kept.density[to] = raw.density[from];
    const auto copy = [from, to](const float* source, float* target, std::size_t size) {
        if (source != nullptr && target != nullptr) std::copy_n(source + from * size, size, target + to * size);
    };
    copy(raw.landmarks, kept.landmarks, 10);
    if (raw.feature_size == kept.feature_size) {
        copy(raw.features, kept.features, static_cast<std::size_t>(raw.feature_size));
    }
}

}  // namespace

std::unique_ptr<Nms> make_cpu_nms(int threads, const StopFlag* stop) {
    return std::make_unique<CpuNms>(threads, stop);
}

}  // namespace throng
