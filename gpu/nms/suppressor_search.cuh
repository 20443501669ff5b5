// The search for all that suppress the detections.
#pragma once

#include "gpu/nms/shared_address.cuh"
#include "gpu/nms/suppressors.cuh"

namespace throng::gpu {

// Shared memory by its own addresses.
__device__ __forceinline__ Stretch load_stretch(std::uint32_t address) {
    Stretch s;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(s.first), "=r"(s.last) : "r"(address) : "memory");
    return s;
}
__device__ __forceinline__ std::uint32_t load_word(std::uint32_t address) {
    std::uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}
__device__ __forceinline__ void store_word(std::uint32_t address, std::uint32_t value) {
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(address), "r"(value) : "memory");
}

// The stretches of records that a lane looks up: on one level after the other those of one row after the other.
class StretchSource {
public:
    __device__ StretchSource(const SearchPlan& plan, const Extents& e, bool active, std::uint32_t lane)
        : side_(fmaxf(e.width, e.height)), level_(plan.lowest), highest_(plan.highest) {
        if (plan.ratio > 0.0F) {
            level_ = max(level_, level_of(plan.ratio * side_) - 1);
            highest_ = min(highest_, level_of(plan.inverse * side_) + 1);
        }
        if (!active || plan.all != 0) highest_ = level_ - 1;
        level_ += static_cast<int>(lane);
    }
    // May still yield something.
    [[nodiscard]] __device__ __forceinline__ bool lasts() const { return down_ != 0 || level_ <= highest_; }

    // May be empty.
    __device__ __forceinline__ Stretch next(const BoxGrid& g, const SearchPlan& plan, const Extents& e, int lanes) {
        if (down_ == 0 && level_ <= highest_) {
            const NearCells near = near_cells(g, plan, e, side_, level_);
            level_ += lanes;
            from_ = first_ = near.column;
            behind_ = near.column + near.across;
            row_ = near.row;
            down_ = near.down;
        }
        if (down_ == 0) return {};
        const std::uint32_t to = min(behind_, (from_ / BoxGrid::kSegment + 1) * BoxGrid::kSegment);
        const GridCell* cells = g.cells + (row_ & (g.rows - 1)) * g.columns;
        const std::uint32_t start = cells[from_ & (g.columns - 1)].start;
        const GridCell end = cells[(to - 1) & (g.columns - 1)];
        from_ = to;
        if (to == behind_) {
            from_ = first_;
            ++row_;
            --down_;
        }
        return {start, end.start + end.count};
    }

private:
    float side_;
    int level_, highest_;
    std::uint32_t first_ = 0;
    std::uint32_t from_ = 0;
    std::uint32_t behind_ = 0;
    std::uint32_t row_ = 0;
    std::uint32_t down_ = 0;  // rows left
};

// Finds all that suppress the detections of a warp, kLanes lanes for each. The lanes of a group share out the levels;
// the stretches that they find wait in shared memory. Then each lane goes along the records at its own pace, and
// queues without a branch what passes the quick test; what is in the queues is tested last. Most of the pairs near each
// other do not pass, and a branch for the few would be taken by some lane nearly every time.
template <PairPath path, int kLanes>
class SuppressorSearch {
public:
    static constexpr std::uint32_t kPieces = 16;  // stretches that wait
    static constexpr std::uint32_t kQueue = 8;    // pairs of a lane that wait
    struct Board {                                // of a warp
        std::uint32_t queue[kQueue][32];
        Stretch stretches[32 / kLanes][kPieces];
        std::uint32_t found[32 / kLanes];
    };

    __device__ SuppressorSearch(const BoxGrid& grid, const NmsRuleSet& rules, const DetectionSpan& raw,
                                std::uint32_t* entries, Board& board, TestCounter& counter)
        : g_(grid), rules_(rules), raw_(raw), entries_(entries), board_(board), counter_(counter) {}

    // For whole warps. Lists those of record r, which is `mine`; the result is the same on all lanes of the group.
    __device__ __forceinline__ SuppressorHead run(const SearchPlan& plan, bool active, std::uint32_t r,
                                                  const GridRecord& mine) {
        const Extents e = record_extents(mine, rules_.extent);
        StretchSource source(plan, e, active, group_.lane);
        Stretch* stretches = board_.stretches[group_.number];
        if (group_.lane == 0) {
            board_.found[group_.number] = 0;
            stretches[0] = {0, plan.all};
        }
        std::uint32_t held = active && plan.all != 0 ? 1 : 0;
        best_ = kNone;
        bar_ = mine.score;
        for (bool more = true; more;) {
            do {
                more = __any_sync(kWholeWarp, source.lasts());
                if (!more) break;
                const Stretch s = source.next(g_, plan, e, kLanes);
                const bool some = s.first < s.last;
                const std::uint32_t votes = group_.ballot(some);
                if (some) stretches[held + __popc(votes & ((1U << group_.lane) - 1))] = s;
                held += __popc(votes);
            } while (!__any_sync(kWholeWarp, held > kPieces - kLanes));
            __syncwarp();
            go_along(stretches, held, r, mine);
            __syncwarp();
            held = 0;
        }
        for (int step = kLanes / 2; step > 0; step /= 2) {
            const std::uint32_t other = __shfl_xor_sync(kWholeWarp, best_, step);
            const float score = __shfl_xor_sync(kWholeWarp, bar_, step);
            if (other != kNone) improve(other, score);
        }
        return {best_, board_.found[group_.number]};
    }

private:
    static constexpr std::uint32_t kQueueStep = 32 * sizeof(std::uint32_t);

    __device__ __forceinline__ void go_along(const Stretch* stretches, std::uint32_t held, std::uint32_t r,
                                             const GridRecord& mine) {
        if (held == 0) return;
        const QuickTest quick(g_, rules_, mine.area);
        std::uint32_t next = held_address(stretches);
        const std::uint32_t behind = next + held * static_cast<std::uint32_t>(sizeof(Stretch));
        const std::uint32_t queue = held_address(&board_.queue[0][threadIdx.x & 31]);
        // As if all stretches were one, of which each lane has every kLanes-th record.
        std::uint32_t at = group_.lane;
        std::uint32_t last = 0;
        while (at < last || next < behind) {
            std::uint32_t end = queue;
            do {
                if (at >= last) {
                    const Stretch s = load_stretch(next);
                    next += sizeof(Stretch);
                    at = s.first + (at - last);
                    last = s.last;
                }
                // Both loads before either is looked at.
                const float4* record = reinterpret_cast<const float4*>(g_.records + min(at, last - 1));
                float4 edges;
                float2 more;  // score, area
                asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(edges.x), "=f"(edges.y), "=f"(edges.z), "=f"(edges.w)
                             : "l"(record));
                asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(more.x), "=f"(more.y) : "l"(record + 1));
                bool passes = more.x >= mine.score && at < last && at != r;
                counter_.tests += passes ? 1 : 0;
                if constexpr (path == PairPath::plain) {
                    const float width = (fminf(mine.right, edges.z) - fmaxf(mine.left, edges.x)) + rules_.extent;
                    const float height = (fminf(mine.bottom, edges.w) - fmaxf(mine.top, edges.y)) + rules_.extent;
                    passes = quick.may_suppress(fmaxf(width, 0.0F) * height, more.y) && passes;
                }
                if (passes) store_word(end, at);
                end += passes ? kQueueStep : 0;
                if (at < last) at += kLanes;
            } while ((at < last || next < behind) && end != queue + kQueue * kQueueStep);
            for (std::uint32_t from = queue; from != end; from += kQueueStep) test(load_word(from), quick, r, mine);
        }
    }

    __device__ __forceinline__ void test(std::uint32_t other, const QuickTest& quick, std::uint32_t r,
                                         const GridRecord& mine) {
        const GridRecord theirs = load_record(g_, other);
        bool certain = false;
        if constexpr (path == PairPath::plain) {
            certain = theirs.score > mine.score &&
                      quick.certainly_suppresses(record_intersection(mine, theirs, rules_.extent), theirs.area);
        }
        if (!certain && !suppresses_exactly(rules_, raw_, g_.records, r, other)) return;
        const std::uint32_t slot = atomicAdd(&board_.found[group_.number], 1U);
        if (slot < SuppressorLists::kRoom) entries_[std::size_t{r} * SuppressorLists::kRoom + slot] = other;
        improve(other, theirs.score);
    }

    __device__ __forceinline__ void improve(std::uint32_t other, float score) {
        if (score < bar_ || other == best_) return;
        if (score == bar_ && best_ != kNone &&
            !precedes_at_equal_scores(raw_.boxes, score, g_.records[other].index, g_.records[best_].index))
            return;
        best_ = other;
        bar_ = score;
    }

    const BoxGrid& g_;
    const NmsRuleSet& rules_;
    const DetectionSpan& raw_;
    std::uint32_t* entries_;
    Board& board_;
    TestCounter& counter_;
    Group<kLanes> group_;
    std::uint32_t best_ = kNone;
    float bar_ = 0.0F;
};

}  // namespace throng::gpu
