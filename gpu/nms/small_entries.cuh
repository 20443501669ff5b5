// Detections in the shared memory of a block, and the pairs among them that suppress each other.
#pragma once

#include <cstdint>

#include "gpu/nms/pair_test.cuh"

namespace throng::gpu::small {

constexpr std::uint32_t kThreads = 512;
constexpr std::uint32_t kWarps = kThreads / 32;
constexpr std::uint32_t kWholeWarp = 0xFFFFFFFFU;
constexpr float kFar = 3.402823466e+38F;

__device__ __forceinline__ std::uint32_t round_up(std::uint32_t value, std::uint32_t step) {
    return (value + step - 1) / step * step;
}

// How pairs are tested under a rule.
struct PairPlan {
    bool quick;         // edges and areas alone decide nearly all pairs
    bool plain;         // quick, and the most frequent of rules: IoU, total order
    float least_share;  // of its width and of its height that a box shares with all that suppress it or that it does;
                        // or 0
};

inline PairPlan make_pair_plan(const NmsRuleSet& rules) {
    PairPlan plan{};
    plan.quick = rules.pair == PairRule::overlap && !rules.disjoint && rules.extent == 0.0F && rules.theta > 1e-30F;
    // The intersection is no larger than the share of a side, and the union no smaller than either box. Some less than
    // theta, for rounding.
    plan.least_share = plan.quick && rules.overlap == Overlap::iou && rules.theta > 0.1F ? rules.theta * 0.998F : 0;
    plan.plain = plan.quick && rules.overlap == Overlap::iou && rules.ties == Ties::total;
    return plan;
}

// What every kernel here is told of the rule.
struct PairRules {
    const NmsRuleSet& rules;
    const DetectionSpan& raw;
    PairPlan plan;
};

// A detection as pair tests need it.
struct Entry {
    float4 edges;  // left, top, right, bottom: boxes that do not meet do not suppress. No box meets no_entry().
    float area;    // box_area
    float score;
    std::uint32_t index;  // in the raw buffer

    [[nodiscard]] __device__ __forceinline__ bool valid() const { return edges.x < INFINITY; }
};

__device__ __forceinline__ Entry no_entry() {
    return {make_float4(INFINITY, INFINITY, -INFINITY, -INFINITY), 0.0F, 0.0F, kNone};
}

__device__ __forceinline__ Entry make_valid_entry(const NmsRuleSet& rules, float4 b, float score, std::uint32_t i) {
    if (rules.disjoint) return {make_float4(-kFar, -kFar, kFar, kFar), b.z * b.w, score, i};
    // Widened by one pixel for inclusive ones. Rounding cannot part boxes that meet: it keeps the order of sums.
    return {make_float4(b.x, b.y, (b.x + b.z) + rules.extent, (b.y + b.w) + rules.extent), b.z * b.w, score, i};
}

__device__ __forceinline__ Entry make_entry(const NmsRuleSet& rules, float4 b, float score, std::uint32_t i) {
    return is_valid_detection(Box{b.x, b.y, b.z, b.w}, score) ? make_valid_entry(rules, b, score, i) : no_entry();
}

// Box and score of a detection, on their way from memory.
struct Loaded {
    float4 box;
    float score;
};
// Where they lie: in the raw buffer, or in a copy of it.
struct Source {
    const float4* boxes;
    const float* scores;

    [[nodiscard]] __device__ __forceinline__ Loaded load(std::uint32_t i) const { return {boxes[i], scores[i]}; }
};

// Arrays of as many entries as the block has room for.
struct Entries {
    float4* edges;
    float2* area_score;
    std::uint32_t* index;

    static constexpr std::uint32_t kBytes = sizeof(float4) + sizeof(float2) + sizeof(std::uint32_t);

    __device__ static Entries in(unsigned char* memory, std::uint32_t room) {
        auto* edges = reinterpret_cast<float4*>(memory);
        auto* area_score = reinterpret_cast<float2*>(edges + room);
        return {edges, area_score, reinterpret_cast<std::uint32_t*>(area_score + room)};
    }
    [[nodiscard]] __device__ __forceinline__ Entries from(std::uint32_t first) const {
        return {edges + first, area_score + first, index + first};
    }
    [[nodiscard]] __device__ __forceinline__ Entry load(std::uint32_t p) const {
        const float2 more = area_score[p];
        return {edges[p], more.x, more.y, index[p]};
    }
    __device__ __forceinline__ void store(std::uint32_t p, const Entry& e) const {
        edges[p] = e.edges;
        area_score[p] = make_float2(e.area, e.score);
        index[p] = e.index;
    }
};

// Whether j, which precedes i, suppresses it: any rule, from the raw detections. Out of line: rare.
static __device__ __noinline__ bool suppresses_exactly(const NmsRuleSet& rules, const DetectionSpan& raw,
                                                       std::uint32_t i, std::uint32_t j) {
    return suppresses<PairPath::any>(rules, raw, Candidate{load_box(raw.boxes, i), raw.scores[i], i},
                                     Candidate{load_box(raw.boxes, j), raw.scores[j], j});
}

// a precedes b.
__device__ __forceinline__ bool ahead(const DetectionSpan& raw, float score_a, std::uint32_t a, float score_b,
                                      std::uint32_t b) {
    if (score_a != score_b) return score_a > score_b;
    return a != b && precedes_at_equal_scores(raw.boxes, score_a, a, b);
}

__device__ __forceinline__ bool meet(float4 a, float4 b) {
    // Without a branch each.
    return ((b.x <= a.z ? 1 : 0) & (a.x <= b.z ? 1 : 0) & (b.y <= a.w ? 1 : 0) & (a.y <= b.w ? 1 : 0)) != 0;
}

// Whether j, which precedes i, suppresses it.
__device__ __forceinline__ bool entry_suppresses(const PairRules& pairs, const Entry& i, const Entry& j) {
    const NmsRuleSet& rules = pairs.rules;
    if (pairs.plan.quick) {
        const float width = fminf(i.edges.z, j.edges.z) - fmaxf(i.edges.x, j.edges.x);
        const float height = fminf(i.edges.w, j.edges.w) - fmaxf(i.edges.y, j.edges.y);
        const float intersection = width > 0.0F && height > 0.0F ? width * height : 0.0F;
        const float limit = rules.theta * overlap_base(rules.overlap, intersection, i.area, j.area);
        if (rules.ties == Ties::strict && i.score == j.score) return false;
        // As in reaches().
        const bool clear = limit > 1e-30F && limit < 1e30F;
        if (clear && intersection > limit * 1.000001F) return true;
        if (!(intersection > 0.0F) || (clear && intersection < limit * 0.999999F)) return false;
    }
    return suppresses_exactly(rules, pairs.raw, i.index, j.index);
}

// The edges that the others must reach into: of i, moved inwards by what it shares with all that matter. Not where its
// extent is of the order of what its coordinates were rounded by.
__device__ __forceinline__ float4 narrow_edges(float4 e, float least_share) {
    const float width = e.z - e.x;
    const float height = e.w - e.y;
    const float largest = fmaxf(fmaxf(fabsf(e.x), fabsf(e.y)), fmaxf(fabsf(e.z), fabsf(e.w)));
    if (least_share == 0.0F || !(fminf(width, height) > largest * 1e-3F)) return e;
    const float x = width * least_share;
    const float y = height * least_share;
    return make_float4(e.x + x, e.y + y, e.z - x, e.w - y);
}

// Which pairs for_each_suppression looks at: entries [first_i, first_i + size) with [first_j, first_j + size); or,
// where both are the same, each pair once: of the entries of `tiles` ranges of that size, one after the other, within
// each. size is a multiple of 32; what a range lacks is filled with no_entry().
struct PairRange {
    std::uint32_t first_i;
    std::uint32_t first_j;
    std::uint32_t size;
    std::uint32_t tiles;
    bool same;
};

constexpr std::uint32_t kQueue = 64;  // pairs that a warp puts by

// Calls visit(place of the suppressed, place of its suppressor) for the pairs of the range. The whole block. A lane has
// an i, a warp a run of j: signs of differences tell which meet. These pairs go to a queue, from which each lane takes
// one, because some lanes have many and most have none. done(…) tells pairs that need no visit: for the group of i and
// the 32 j from a place on, a bit for each j in the order of places.
template <typename Done, typename Visit>
__device__ __forceinline__ void for_each_suppression(const PairRules& pairs, const Entries& entries,
                                                     std::uint32_t* queues, const PairRange& range, const Done& done,
                                                     const Visit& visit) {
    const std::uint32_t lane = threadIdx.x & 31;
    std::uint32_t* queue = queues + threadIdx.x / 32 * kQueue;
    std::uint32_t queued = 0;
    const auto take = [&](std::uint32_t count) {
        queued -= count;
        __syncwarp();
        const std::uint32_t pair = queue[min(queued + lane, kQueue - 1)];
        __syncwarp();
        if (lane >= count) return;
        const std::uint32_t p = pair >> 16;
        const std::uint32_t q = pair & 0xFFFFU;
        const bool p_first =
            ahead(pairs.raw, entries.area_score[p].y, entries.index[p], entries.area_score[q].y, entries.index[q]);
        const std::uint32_t winner = p_first ? p : q;
        const std::uint32_t loser = p_first ? q : p;
        if (entry_suppresses(pairs, entries.load(loser), entries.load(winner))) visit(loser, winner);
    };

    const std::uint32_t groups = range.size / 32;  // of i, in a tile
    const std::uint32_t all_groups = groups * range.tiles;
    // Parts of the j. Off the diagonal as many as give each warp as much to do, a power of two; on it each group takes
    // itself and the next half of the groups, round in a circle.
    const std::uint32_t shift = __ffs(kWarps) - __ffs(min(all_groups & (0U - all_groups), kWarps));
    const std::uint32_t split = groups <= 2 ? 2 : 0;  // so that few groups occupy more warps
    const std::uint32_t parts = range.same ? (groups / 2 + 1) << split : 1U << shift;
    const std::uint32_t share = range.same ? 32U >> split : (((range.size - 1) >> shift) + 8) & ~7U;
    std::uint32_t next = threadIdx.x / 32;
    std::uint32_t part = 0;
#pragma unroll 1
    while (true) {
        for (; next >= all_groups; next -= all_groups) ++part;
        if (part >= parts) break;
        const std::uint32_t group = next;
        next += kWarps;
        const std::uint32_t i = range.first_i + group * 32 + lane;
        std::uint32_t begin = range.first_j + part * share;
        std::uint32_t stop = min(begin + share, range.first_j + range.size);
        if (range.same) {
            const std::uint32_t tile = group >= groups ? groups : 0;
            const std::uint32_t step = part >> split;
            std::uint32_t other = group - tile + step;
            if (step * 2 == groups && other >= groups) continue;  // the other one has looked
            if (other >= groups) other -= groups;
            begin = range.first_j + (tile + other) * 32 + (part & ((1U << split) - 1)) * share;
            stop = begin + share;
        }
        const float4 mine = narrow_edges(entries.edges[i], pairs.plan.least_share);
#pragma unroll 1
        for (std::uint32_t first = begin; first < stop; first += 32) {
            const std::uint32_t count = min(32U, stop - first);  // a multiple of 8
            std::uint32_t apart = 0;                             // the j-th of them in bit count - 1 - j
#pragma unroll 1
            for (std::uint32_t k = 0; k < count; k += 8) {
#pragma unroll
                for (std::uint32_t b = 0; b < 8; ++b) {
                    const float4 other = entries.edges[first + k + b];
                    const std::uint32_t signs = __float_as_uint(mine.z - other.x) | __float_as_uint(other.z - mine.x) |
                                                __float_as_uint(mine.w - other.y) | __float_as_uint(other.w - mine.y);
                    apart = __funnelshift_l(signs, apart, 1);
                }
            }
            std::uint32_t meeting = ~(apart | __brev(done(group, first)) >> (32 - count));
            if (count < 32) meeting &= (1U << count) - 1;
            if (range.same && part >> split == 0) {
                // j after i. The first j of the run is the (first - group's first)-th of the group.
                const std::uint32_t end = (first & 31) + count;
                meeting &= lane + 1 >= end ? 0 : (1U << (end - 1 - lane)) - 1;
            }
#pragma unroll 1
            while (true) {
                const std::uint32_t have = __ballot_sync(kWholeWarp, meeting != 0);
                if (have == 0) break;
                if (meeting != 0) {
                    const std::uint32_t bit = 31 - __clz(meeting);
                    meeting ^= 1U << bit;
                    queue[queued + __popc(have & ((1U << lane) - 1))] = i << 16 | (first + count - 1 - bit);
                }
                queued += __popc(have);
                if (queued >= 32) take(32);
            }
        }
    }
    if (queued != 0) take(queued);
}

// The search of `width` lanes (a power of two), which share a detection, through entries [first, end).
struct Search {
    std::uint32_t width;
    std::uint32_t lane;  // among them
    std::uint32_t us;    // their mask

    __device__ explicit Search(std::uint32_t lanes)
        : width(lanes),
          lane(threadIdx.x & (lanes - 1)),
          us((kWholeWarp >> (32 - lanes)) << ((threadIdx.x & 31) - lane)) {}

    [[nodiscard]] __device__ __forceinline__ std::uint32_t greatest(std::uint32_t value) const {
#if __CUDA_ARCH__ >= 800
        return __reduce_max_sync(us, value);
#else
        for (std::uint32_t step = width / 2; step > 0; step /= 2) value = max(value, __shfl_xor_sync(us, value, step));
        return value;
#endif
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t sum(std::uint32_t value) const {
#if __CUDA_ARCH__ >= 800
        return __reduce_add_sync(us, value);
#else
        for (std::uint32_t step = width / 2; step > 0; step /= 2) value += __shfl_xor_sync(us, value, step);
        return value;
#endif
    }

    // Calls visit(place) for the entries [first, end) of this lane that may meet `reach`, until it returns true. First
    // looks which, so that all lanes visit at the same time.
    template <typename Visit>
    __device__ __forceinline__ void for_each_meeting(const Entries& entries, std::uint32_t first, std::uint32_t end,
                                                     float4 reach, const Visit& visit) const {
#pragma unroll 1
        for (std::uint32_t base = first + lane; base < end; base += 32 * width) {
            std::uint32_t meeting = 0;
            std::uint32_t bit = 1;
#pragma unroll 2
            for (std::uint32_t p = base; p < end && bit != 0; p += width, bit <<= 1) {
                if (meet(reach, entries.edges[p])) meeting |= bit;
            }
#pragma unroll 1
            for (; meeting != 0; meeting &= meeting - 1) {
                if (visit(base + (__ffs(meeting) - 1) * width)) return;
            }
        }
    }

    // Whether one of them suppresses i.
    [[nodiscard]] __device__ __forceinline__ bool any_suppressor(const PairRules& pairs, const Entries& entries,
                                                                 std::uint32_t first, std::uint32_t end,
                                                                 const Entry& i) const {
        bool found = false;
        const float4 reach = narrow_edges(i.edges, pairs.plan.least_share);
        for_each_meeting(entries, first, end, reach, [&](std::uint32_t p) {
            const Entry j = entries.load(p);
            found = ahead(pairs.raw, j.score, j.index, i.score, i.index) && entry_suppresses(pairs, i, j);
            return found;
        });
        __syncwarp(us);
        return __ballot_sync(us, found) != 0;
    }

    // The place of the first of entries [0, end), in order, that suppresses i; or kNone.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t first_suppressor(const PairRules& pairs,
                                                                            const Entries& entries, std::uint32_t end,
                                                                            const Entry& i) const {
        std::uint32_t best = kNone;
        float best_score = 0;
        const float4 reach = narrow_edges(i.edges, pairs.plan.least_share);
        for_each_meeting(entries, 0, end, reach, [&](std::uint32_t p) {
            const Entry j = entries.load(p);
            if (!ahead(pairs.raw, j.score, j.index, i.score, i.index)) return false;
            if (best != kNone && !ahead(pairs.raw, j.score, j.index, best_score, entries.index[best])) return false;
            if (!entry_suppresses(pairs, i, j)) return false;
            best = p;
            best_score = j.score;
            return false;
        });
        __syncwarp(us);
        const std::uint32_t key = best != kNone ? score_key(best_score) : 0;
        const std::uint32_t top = greatest(key);
        if (top == 0) return kNone;
        std::uint32_t holders = __ballot_sync(us, key == top) & us;
        std::uint32_t result = __shfl_sync(us, best, __ffs(holders) - 1);
        while ((holders &= holders - 1) != 0) {
            const std::uint32_t other = __shfl_sync(us, best, __ffs(holders) - 1);
            if (precedes_at_equal_scores(pairs.raw.boxes, entries.area_score[other].y, entries.index[other],
                                         entries.index[result]))
                result = other;
        }
        return result;
    }

    // How many of them precede a detection.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t rank(const PairRules& pairs, const Entries& entries,
                                                                std::uint32_t end, float score,
                                                                std::uint32_t index) const {
        std::uint32_t before = 0;
        for (std::uint32_t p = lane; p < end; p += width) {
            const float other = entries.area_score[p].y;
            if (other > score) ++before;
            if (other == score && entries.index[p] != index &&
                precedes_at_equal_scores(pairs.raw.boxes, score, entries.index[p], index))
                ++before;
        }
        __syncwarp(us);
        return sum(before);
    }
};

}  // namespace throng::gpu::small
