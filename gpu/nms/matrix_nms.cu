#include "gpu/nms/matrix_nms.h"

#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/nms/matrix_nms.cuh"
#include "gpu/nms/pair_margin.h"
#include "gpu/runtime/array_layout.h"

// The first two stages:
//   rank_kernel: compares each score with all others; the number of higher ones is the rank, by which the detections
//                are stored.
//   map_kernel:  tests all pairs (i, j) with j before i. A warp has one tile: its lanes hold 32 rows i and loop over 32
//                columns j in shared memory, without branches.
namespace throng::gpu {
namespace matrix {
namespace {

constexpr unsigned kMinRankWarps = 4;  // of a block
constexpr unsigned kMaxRankWarps = 32;
constexpr unsigned kMaxTurns = 4;
constexpr std::uint32_t kKeys = 8192;  // scores in shared memory at a time
constexpr std::uint32_t kTies = 128;   // equal scores that a warp collects before it compares the boxes

constexpr unsigned kMapBlocks = 8;  // per multiprocessor; with more units, a block has several

constexpr float kMinScore = -3.402823466e+38F;

// Returns what a detection is ranked by. Invalid ones, whose scores may be NaN or infinite, come last.
__device__ __forceinline__ float rank_score(float score) {
    return fabsf(score) <= -kMinScore ? score + 0.0F : kMinScore;  // one zero
}

// The next lower number, which may be -infinity.
__device__ __forceinline__ float next_below(float v) {
    const std::uint32_t bits = __float_as_uint(v);
    return __uint_as_float(v > 0.0F ? bits - 1 : v < 0.0F ? bits + 1 : 0x80000001U);
}

// Returns 1 if a < b, otherwise 0. The difference of different numbers is never rounded to 0. Takes half the time of a
// comparison. a may be -infinity, and b, if a is not.
__device__ __forceinline__ std::uint32_t is_less(float a, float b) {
    return __float_as_uint(a - b) >> 31;
}

struct RawDetection {
    Box box{};
    float score = 0.0F;

    __device__ __forceinline__ RawDetection(const DetectionSpan& raw, std::uint32_t i) {
        if (i >= static_cast<std::uint32_t>(raw.capacity)) return;
        box = load_box(raw.boxes, i);
        score = raw.scores[i];
    }
};

// Clears what the next kernels add to.
__device__ __forceinline__ void clear_results(const MatrixTask& frame, std::uint32_t n) {
    const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const std::uint32_t threads = gridDim.x * blockDim.x;
    for (std::uint32_t t = thread; t < tiles_of(n); t += threads) frame.scratch.dropped[t] = frame.scratch.sure[t] = 0;
    for (std::uint32_t i = thread; i < n; i += threads) {
        frame.scratch.hits[i] = 0;
        if (fits(frame.task, i)) frame.task.kept.hits[i] = 0;
    }
    if (thread == 0) *frame.scratch.invalid = 0;
}

// Returns the number of detections from `base` on that precede detection i and have its score. scores: `count` from
// rank_score. list: [kTies]. By a whole warp. Out of line, because it is rare.
__device__ __noinline__ std::uint32_t count_ties_before(const Box* d_boxes, const float* d_scores, const float* scores,
                                                        std::uint32_t count, std::uint32_t base, std::uint32_t i,
                                                        std::uint32_t* list) {
    const std::uint32_t lane = threadIdx.x % 32;
    const Box box = load_box(d_boxes, i);
    const float score = rank_score(d_scores[i]);
    const bool valid = is_valid_detection(box, d_scores[i]);
    std::uint32_t before = 0;
    std::uint32_t listed = 0;
    for (std::uint32_t first = 0; first < count; first += 32) {
        const std::uint32_t at = first + lane;
        const bool same = at < count && scores[at] == score && base + at != i;
        const std::uint32_t all = __ballot_sync(kWholeWarp, same);
        if (same) list[listed + __popc(all & ((1U << lane) - 1))] = base + at;
        listed += __popc(all);
        if (listed + 32 <= kTies && first + 32 < count) continue;
        __syncwarp();
#pragma unroll 4
        for (std::uint32_t k = lane; k < listed; k += 32) {
            const std::uint32_t other = list[k];
            const Box theirs = load_box(d_boxes, other);
            const bool theirs_valid = is_valid_detection(theirs, d_scores[other]);
            // Invalid ones come last: their boxes may be NaN.
            const bool precedes = valid && theirs_valid   ? throng::precedes(theirs, score, other, box, score, i)
                                  : valid != theirs_valid ? theirs_valid
                                                          : other < i;
            before += precedes ? 1 : 0;
        }
        __syncwarp();
        listed = 0;
    }
    return warp_sum(before);
}

// A warp per detection.
__global__ void __launch_bounds__(kMaxRankWarps * 32)
    rank_kernel(const __grid_constant__ MatrixTask frame, float extent, const __grid_constant__ PairMarginRule margin) {
    __shared__ alignas(16) float keys[kKeys];
    __shared__ std::uint32_t ties[kMaxRankWarps][kTies];
    start_kernel();
    const DetectionSpan& raw = frame.task.raw;
    const auto capacity = static_cast<std::uint32_t>(raw.capacity);
    const std::uint32_t lane = threadIdx.x % 32;
    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t warps = blockDim.x / 32;
    std::uint32_t i = blockIdx.x * warps + warp;
    RawDetection mine(raw, i);
    constexpr std::uint32_t kAtOnce = 4;
    float scores[kAtOnce];
    const auto load_scores = [&](std::uint32_t first, std::uint32_t end) {
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
            const std::uint32_t at = first + k * blockDim.x + threadIdx.x;
            scores[k] = at < end ? raw.scores[at] : 0.0F;
        }
    };
    load_scores(0, capacity);
    bool loaded = true;  // the first scores
    const std::uint32_t n = own_count(frame.task);
    for (; i - warp < n; i += gridDim.x * warps, mine = RawDetection(raw, i)) {
        const float score = rank_score(mine.score);
        const float below = next_below(score);
        std::uint32_t rank = 0;
        for (std::uint32_t base = 0; base < n; base += kKeys) {
            const std::uint32_t count = min(kKeys, n - base);
            if (n > kKeys || loaded) {  // otherwise all are there
                __syncthreads();        // the previous keys have been read
#pragma unroll 1
                for (std::uint32_t first = 0; first < count; first += kAtOnce * blockDim.x) {
                    if (!loaded) load_scores(base + first, n);
                    loaded = false;
#pragma unroll
                    for (std::uint32_t k = 0; k < kAtOnce; ++k) {
                        const std::uint32_t at = first + k * blockDim.x + threadIdx.x;
                        if (at < kKeys) keys[at] = at < count ? rank_score(scores[k]) : -INFINITY;
                    }
                }
                __syncthreads();
            }
            std::uint32_t before = 0;
            std::uint32_t not_after = 0;
#pragma unroll 4
            for (std::uint32_t k = lane; k < (count + 3) / 4; k += 32) {
                const float4 v = reinterpret_cast<const float4*>(keys)[k];
                before += is_less(score, v.x) + is_less(score, v.y) + (is_less(score, v.z) + is_less(score, v.w));
                not_after += is_less(below, v.x) + is_less(below, v.y) + (is_less(below, v.z) + is_less(below, v.w));
            }
            before = warp_sum(before);
            rank += before;
            const std::uint32_t itself = i - base < count ? 1 : 0;
            if (i < n && warp_sum(not_after) != before + itself)
                rank += count_ties_before(raw.boxes, raw.scores, keys, count, base, i, ties[warp]);
        }
        if (i >= n || lane != 0) continue;
        const bool valid = is_valid_detection(mine.box, mine.score);
        const PairBox b = valid ? make_pair_box(mine.box, extent, margin) : no_pair_box();
        const MatrixScratch& to = frame.scratch;
        to.edges[rank] = {b.left, b.top, b.right, b.bottom};
        to.shares[rank] = b.share;
        store_box(to.boxes, rank, valid ? mine.box : invalid_box());
        to.scores[rank] = mine.score;
        to.source[rank] = i;
        if (frame.task.owner != nullptr) frame.task.owner[i] = -1;
    }
    clear_results(frame, n);
}

// Tests exactly whether the detection of rank j suppresses that of rank i. Out of line, because it is rare.
__device__ __noinline__ bool suppresses_exactly(const NmsRuleSet& rules, const DetectionSpan& raw,
                                                const MatrixScratch& scratch, std::uint32_t i, std::uint32_t j) {
    const Candidate mine = load_ranked(scratch, i);
    const Candidate other = load_ranked(scratch, j);
    return is_present(mine.box) && is_present(other.box) && suppresses(rules, raw, mine, other);
}

__device__ __forceinline__ PairBox load_pair_box(const MatrixScratch& scratch, std::uint32_t rank, std::uint32_t end) {
    if (rank >= end) return no_pair_box();
    const BoxEdges e = scratch.edges[rank];
    return {e.left, e.top, e.right, e.bottom, scratch.shares[rank]};
}

// A tile of columns, in shared memory.
struct Columns {
    BoxEdges edges[kTile];
    float4 shares[kTile / 4];

    __device__ __forceinline__ void store(std::uint32_t k, const PairBox& b) {
        edges[k] = {b.left, b.top, b.right, b.bottom};
        reinterpret_cast<float*>(shares)[k] = b.share;
    }
    [[nodiscard]] __device__ __forceinline__ PairBox load(std::uint32_t k) const {
        return {edges[k].left, edges[k].top, edges[k].right, edges[k].bottom,
                reinterpret_cast<const float*>(shares)[k]};
    }
};

// Returns a bit for each column that has enough overlap with row `mine`, and in `uncertain` those that must be tested
// exactly, within the tolerance of pair_margin.h.
template <Overlap kOverlap, PixelConvention kPixels>
__device__ __forceinline__ std::uint32_t test_columns(const PairBox& mine, float tolerance, const Columns& columns,
                                                      std::uint32_t& uncertain) {
    std::uint32_t negative = 0;
    float closest = INFINITY;  // to the threshold
#pragma unroll 4
    for (int quad = kTile / 4 - 1; quad >= 0; --quad) {
        const float4 s = columns.shares[quad];
        const float shares[4] = {s.x, s.y, s.z, s.w};
#pragma unroll
        for (int k = 3; k >= 0; --k) {
            const BoxEdges e = columns.edges[quad * 4 + k];
            const float margin =
                pair_margin<kOverlap, kPixels>(mine, PairBox{e.left, e.top, e.right, e.bottom, shares[k]});
            negative = __funnelshift_l(__float_as_uint(margin), negative, 1);  // shifts the sign in
            closest = fminf(closest, fabsf(margin));
        }
    }
    uncertain = 0;
#pragma unroll 1
    for (int k = 0; closest <= tolerance && k < static_cast<int>(kTile); ++k) {
        const float margin = pair_margin<kOverlap, kPixels>(mine, columns.load(k));
        if (fabsf(margin) <= tolerance) uncertain |= 1U << k;
    }
    return ~negative & ~uncertain;
}

// Returns the bits of row i in a tile of columns: whether the one of each column precedes and suppresses it. For whole
// warps.
template <Overlap kOverlap, PixelConvention kPixels>
__device__ __forceinline__ std::uint32_t row_word(const MatrixTask& frame, const NmsRuleSet& rules,
                                                  const PairMarginRule& margin, const PairBox& row, std::uint32_t i,
                                                  const PairBox& column, const Columns& columns, std::uint32_t tile) {
    const std::uint32_t lane = threadIdx.x % kTile;
    std::uint32_t word = 0;
    std::uint32_t uncertain = kWholeWarp;
    if (isfinite(margin.tolerance) && !__any_sync(kWholeWarp, isnan(row.share) || isnan(column.share)))
        word = test_columns<kOverlap, kPixels>(row, is_present(row) ? margin.tolerance * row.share : -1.0F, columns,
                                               uncertain);
    std::uint32_t before = tile == i / kTile ? (1U << lane) - 1 : kWholeWarp;
    if (!is_present(row)) before = 0;
    for (uncertain &= before; uncertain != 0; uncertain &= uncertain - 1) {
        const std::uint32_t k = __ffs(static_cast<int>(uncertain)) - 1;
        if (is_present(columns.load(k)) &&
            suppresses_exactly(rules, frame.task.raw, frame.scratch, i, tile * kTile + k))
            word |= 1U << k;
    }
    word &= before;
    if (rules.ties == Ties::strict) {
        for (std::uint32_t rest = word; rest != 0; rest &= rest - 1) {
            const std::uint32_t k = __ffs(static_cast<int>(rest)) - 1;
            if (!may_suppress(rules.ties, frame.scratch.scores[i], frame.scratch.scores[tile * kTile + k]))
                word &= ~(1U << k);
        }
    }
    return word;
}

// Computes units of 32 rows by 8 tiles of columns, a warp per tile.
template <Overlap kOverlap, PixelConvention kPixels>
__global__ void __launch_bounds__(kThreads)
    map_kernel(const __grid_constant__ MatrixTask frame, const __grid_constant__ NmsRuleSet rules,
               const __grid_constant__ PairMarginRule margin) {
    __shared__ Columns columns[kGroupTiles];
    __shared__ std::uint32_t words[kGroupTiles][kTile + 1];
    start_kernel();
    const MatrixScratch& scratch = frame.scratch;
    const auto capacity = static_cast<std::uint32_t>(frame.task.raw.capacity);
    const std::uint32_t lane = threadIdx.x % kTile;
    const std::uint32_t warp = threadIdx.x / kTile;
    std::uint32_t index = blockIdx.x;
    Unit unit = unit_at(index);
    PairBox row = load_pair_box(scratch, unit.tile * kTile + lane, capacity);
    PairBox column = load_pair_box(scratch, (unit.group * kGroupTiles + warp) * kTile + lane, capacity);
    const std::uint32_t n = own_count(frame.task);
    const std::uint32_t units = units_of(tiles_of(n));
    while (index < units) {
        const std::uint32_t tile = unit.group * kGroupTiles + warp;  // of columns
        const std::uint32_t i = unit.tile * kTile + lane;
        if (i >= n) row = no_pair_box();
        if (tile * kTile + lane >= n) column = no_pair_box();
        std::uint32_t word = 0;
        if (tile <= unit.tile) {
            columns[warp].store(lane, column);
            __syncwarp();
            word = row_word<kOverlap, kPixels>(frame, rules, margin, row, i, column, columns[warp], tile);
            const std::uint32_t absent = tile == unit.tile ? __ballot_sync(kWholeWarp, !is_present(row)) : 0;
            const std::uint32_t dropped = __ballot_sync(kWholeWarp, word != 0) | absent;
            if (lane == 0 && dropped != 0) atomicOr(scratch.dropped + unit.tile, dropped);
            if (lane == 0 && absent != 0) {
                atomicOr(scratch.sure + unit.tile, absent);
                const std::uint32_t stored = min(n - unit.tile * kTile, kTile);
                atomicAdd(scratch.invalid, __popc(absent << (kTile - stored)));
            }
        }
        words[warp][lane] = word;
        __syncthreads();
        // Two threads per row write its 8 words: full 32-byte sectors.
        const std::uint32_t r = threadIdx.x / 2;
        const std::uint32_t half = threadIdx.x % 2 * 4;
        if (r < kTile && unit.tile * kTile + r < n) {
            std::uint32_t* to = scratch.matrix + row_start(unit.tile * kTile + r) + unit.group * kGroupTiles + half;
            *reinterpret_cast<uint4*>(to) =
                make_uint4(words[half][r], words[half + 1][r], words[half + 2][r], words[half + 3][r]);
        }
        index += gridDim.x;
        if (index >= units) break;
        unit = unit_at(index);
        row = load_pair_box(scratch, unit.tile * kTile + lane, capacity);
        column = load_pair_box(scratch, (unit.group * kGroupTiles + warp) * kTile + lane, capacity);
        __syncthreads();  // the words have been read
    }
}

template <Overlap kOverlap>
auto map_kernel_for(float extent) {
    return extent != 0.0F ? map_kernel<kOverlap, PixelConvention::inclusive>
                          : map_kernel<kOverlap, PixelConvention::continuous>;
}

PairMarginRule margin_of(const NmsRuleSet& rules) {
    PairMarginRule margin = make_pair_margin_rule(rules.overlap, rules.theta);
    if (pair_path(rules) != PairPath::plain) margin.tolerance = INFINITY;
    return margin;
}

}  // namespace
}  // namespace matrix

MatrixNms::MatrixNms(const DeviceInfo& device, std::int32_t capacity) : device_(device) {
    const auto n = static_cast<std::uint32_t>(std::max(capacity, 1));
    memory_ = allocate_arrays([&](ArrayLayout& layout) {
        layout.take(scratch_.boxes, n);
        layout.take(scratch_.scores, n);
        layout.take(scratch_.source, n);
        layout.take(scratch_.edges, n);
        layout.take(scratch_.shares, n);
        layout.take(scratch_.hits, n);
        layout.take(scratch_.matrix, matrix::row_start(n));
        layout.take(scratch_.dropped, matrix::tiles_of(n));
        layout.take(scratch_.sure, matrix::tiles_of(n));
        layout.take(scratch_.invalid, 1);
    });
}

void MatrixNms::launch_order(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    using namespace matrix;
    // About one block per multiprocessor: all have the same share of the detections, and load the scores once. A warp
    // has several detections in turn.
    const unsigned share = blocks_for(expected_, static_cast<unsigned>(device_.multiprocessors));
    const unsigned turns = std::clamp((share + kMaxRankWarps * 3 / 4) / kMaxRankWarps, 1U, kMaxTurns);
    const unsigned warps = std::clamp((share + turns - 1) / turns, kMinRankWarps, kMaxRankWarps);
    LaunchChain(device_, stream)
        .launch("rank_kernel", rank_kernel, LaunchSize{blocks_for(expected_, warps * turns), warps * 32},
                MatrixTask{task, scratch_}, rules.extent, margin_of(rules));
}

void MatrixNms::launch_map(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    using namespace matrix;
    const std::uint32_t units = std::max(units_of(tiles_of(expected_)), 1U);
    const unsigned blocks = std::min(units, static_cast<unsigned>(device_.multiprocessors) * kMapBlocks);
    const auto kernel = rules.overlap == Overlap::iou   ? map_kernel_for<Overlap::iou>(rules.extent)
                        : rules.overlap == Overlap::min ? map_kernel_for<Overlap::min>(rules.extent)
                                                        : map_kernel_for<Overlap::suppressor>(rules.extent);
    LaunchChain(device_, stream)
        .launch("map_kernel", kernel, LaunchSize{blocks, kThreads}, MatrixTask{task, scratch_}, rules,
                margin_of(rules));
}

}  // namespace throng::gpu
