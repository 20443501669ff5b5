#include "gpu/nms/matrix_nms.h"

#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/nms/matrix_nms.cuh"
#include "gpu/nms/pair_margin.h"

// The first two stages:
//   rank_kernel: compares each score with all others; the number of higher ones is the rank, by which the detections
//                are stored.
//   map_kernel:  tests all pairs (i, j) with j before i. A warp has one tile: its lanes hold 32 rows i and loop over 32
//                columns j in shared memory, without branches.
namespace throng::gpu {
namespace matrix {
namespace {

constexpr unsigned kRankThreads = 1024;
constexpr std::uint32_t kKeys = 4096;  // scores in shared memory at a time
constexpr unsigned kMapBlocks = 8;     // per multiprocessor; with more units, a block has several

// 0 stands for no detection. Scores may be NaN here: such detections are invalid, and any rank will do.
__device__ __forceinline__ std::uint32_t rank_key(float score) {
    return max(score_key(score), 1U);
}

// The order of two detections with equal keys. Invalid ones come last: their scores and boxes may be NaN.
__device__ __noinline__ bool precedes_at_equal_keys(const DetectionSpan& raw, std::uint32_t a, std::uint32_t b) {
    const Box box_a = load_box(raw.boxes, a);
    const Box box_b = load_box(raw.boxes, b);
    const bool valid_a = is_valid_detection(box_a, raw.scores[a]);
    const bool valid_b = is_valid_detection(box_b, raw.scores[b]);
    if (!valid_a || !valid_b) return valid_a != valid_b ? valid_a : a < b;
    return throng::precedes(box_a, raw.scores[a], a, box_b, raw.scores[b], b);
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
    const std::uint32_t thread = blockIdx.x * kRankThreads + threadIdx.x;
    const std::uint32_t threads = gridDim.x * kRankThreads;
    for (std::uint32_t t = thread; t < tiles_of(n); t += threads) frame.scratch.dropped[t] = frame.scratch.sure[t] = 0;
    for (std::uint32_t i = thread; i < n; i += threads) {
        frame.scratch.hits[i] = 0;
        if (fits(frame.task, i)) frame.task.kept.hits[i] = 0;
    }
    if (thread == 0) *frame.scratch.invalid = 0;
}

// A warp per detection.
__global__ void __launch_bounds__(kRankThreads) rank_kernel(const __grid_constant__ MatrixFrames frames) {
    __shared__ uint4 keys[kKeys / 4];
    auto* const key_words = reinterpret_cast<std::uint32_t*>(keys);
    start_kernel();
    const MatrixTask frame = frame_of_block(frames);
    const DetectionSpan& raw = frame.task.raw;
    const auto capacity = static_cast<std::uint32_t>(raw.capacity);
    const std::uint32_t lane = threadIdx.x % 32;
    std::uint32_t i = blockIdx.x * kTile + threadIdx.x / 32;
    RawDetection mine(raw, i);
    constexpr std::uint32_t kEach = kKeys / kRankThreads;
    float scores[kEach];
    const auto load_scores = [&](std::uint32_t base, std::uint32_t end) {
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t at = base + k * kRankThreads + threadIdx.x;
            scores[k] = at < end ? raw.scores[at] : 0.0F;
        }
    };
    const auto store_keys = [&](std::uint32_t count) {
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            const std::uint32_t at = k * kRankThreads + threadIdx.x;
            key_words[at] = at < count ? rank_key(scores[k]) : 0;
        }
    };
    load_scores(0, capacity);
    const std::uint32_t n = stored_count(raw);
    for (; i - threadIdx.x / 32 < n; i += gridDim.x * kTile, mine = RawDetection(raw, i)) {
        const std::uint32_t key = i < n ? rank_key(mine.score) : 0;
        std::uint32_t before = 0;
        for (std::uint32_t base = 0; base < n; base += kKeys) {
            const std::uint32_t count = min(kKeys, n - base);
            if (n > kKeys) load_scores(base, n);  // otherwise all are there
            __syncthreads();                      // the previous keys have been read
            store_keys(count);
            __syncthreads();
            std::uint32_t equal = 0;
#pragma unroll 4
            for (std::uint32_t k = lane; k < (count + 3) / 4; k += 32) {
                const uint4 v = keys[k];
                before += (v.x > key ? 1 : 0) + (v.y > key ? 1 : 0) + (v.z > key ? 1 : 0) + (v.w > key ? 1 : 0);
                equal += (v.x == key ? 1 : 0) + (v.y == key ? 1 : 0) + (v.z == key ? 1 : 0) + (v.w == key ? 1 : 0);
            }
            const std::uint32_t itself = i - base < count ? 1 : 0;
            if (i >= n || warp_sum(equal) == itself) continue;
            for (std::uint32_t k = lane; k < count; k += 32) {
                const bool same = key_words[k] == key && base + k != i;
                if (same && precedes_at_equal_keys(raw, base + k, i)) ++before;
            }
            __syncwarp();
        }
        before = warp_sum(before);
        if (i >= n || lane != 0) continue;
        store_box(frame.scratch.boxes, before, is_valid_detection(mine.box, mine.score) ? mine.box : invalid_box());
        frame.scratch.scores[before] = mine.score;
        frame.scratch.source[before] = i;
        if (frame.task.owner != nullptr) frame.task.owner[i] = -1;
    }
    clear_results(frame, n);
}

// Tests exactly whether the detection of rank j suppresses that of rank i. Out of line, because it is rare.
__device__ __noinline__ bool suppresses_exactly(const NmsRuleSet& rules, const DetectionSpan& raw,
                                                const MatrixScratch& scratch, std::uint32_t i, std::uint32_t j) {
    const Candidate mine = load_ranked(scratch, i);
    const Candidate other = load_ranked(scratch, j);
    return is_present(mine.box) && is_present(other.box) && suppresses<PairPath::any>(rules, raw, mine, other);
}

// The 32 columns of a warp's tile, in shared memory.
struct Columns {
    float4 edges[kTile];
    float shares[kTile];

    __device__ __forceinline__ void store(std::uint32_t k, const PairBox& b) {
        edges[k] = make_float4(b.left, b.top, b.right, b.bottom);
        shares[k] = b.share;
    }
    [[nodiscard]] __device__ __forceinline__ PairBox load(std::uint32_t k) const {
        return {edges[k].x, edges[k].y, edges[k].z, edges[k].w, shares[k]};
    }
};

// Returns a bit for each column that has enough overlap with row `mine`, and in `uncertain` those that must be tested
// exactly. tolerance: as in pair_margin.h, times the area.
template <Overlap kOverlap, PixelConvention kPixels>
__device__ __forceinline__ std::uint32_t test_columns(const PairBox& mine, float tolerance, const Columns& columns,
                                                      std::uint32_t& uncertain) {
    std::uint32_t negative = 0;
    float closest = INFINITY;  // to the threshold
#pragma unroll 16
    for (int k = kTile - 1; k >= 0; --k) {
        const float margin = pair_margin<kOverlap, kPixels>(mine, columns.load(k));
        negative = __funnelshift_l(__float_as_uint(margin), negative, 1);  // shifts the sign in
        closest = fminf(closest, fabsf(margin));
    }
    uncertain = 0;
#pragma unroll 1
    for (int k = 0; closest <= tolerance && k < static_cast<int>(kTile); ++k) {
        const float margin = pair_margin<kOverlap, kPixels>(mine, columns.load(k));
        if (fabsf(margin) <= tolerance) uncertain |= 1U << k;
    }
    return ~negative & ~uncertain;
}

// Computes units of 32 rows by 8 tiles of columns, a warp per tile.
template <Overlap kOverlap, PixelConvention kPixels>
__global__ void __launch_bounds__(kThreads)
    map_kernel(const __grid_constant__ MatrixFrames frames, const __grid_constant__ NmsRuleSet rules,
               const __grid_constant__ PairMarginRule margin) {
    __shared__ Columns columns[kGroupTiles];
    __shared__ std::uint32_t words[kGroupTiles][kTile + 1];
    start_kernel();
    const MatrixTask frame = frame_of_block(frames);
    const DetectionSpan& raw = frame.task.raw;
    const MatrixScratch& scratch = frame.scratch;
    const auto capacity = static_cast<std::uint32_t>(raw.capacity);
    const std::uint32_t lane = threadIdx.x % kTile;
    const std::uint32_t warp = threadIdx.x / kTile;
    const auto load = [&](std::uint32_t rank) { return rank < capacity ? load_box(scratch.boxes, rank) : Box{}; };
    const auto pair_box = [&](Box b) { return is_present(b) ? make_pair_box(b, rules.extent, margin) : no_pair_box(); };
    std::uint32_t index = blockIdx.x;
    Unit unit = unit_at(index);
    Box row = load(unit.tile * kTile + lane);
    Box column = load((unit.group * kGroupTiles + warp) * kTile + lane);
    const std::uint32_t n = stored_count(raw);
    const std::uint32_t units = units_of(tiles_of(n));
    while (index < units) {
        const std::uint32_t tile = unit.group * kGroupTiles + warp;  // of columns
        const std::uint32_t i = unit.tile * kTile + lane;
        if (i >= n) row = invalid_box();
        if (tile * kTile + lane >= n) column = invalid_box();
        std::uint32_t word = 0;
        if (tile <= unit.tile) {
            const std::uint32_t first = tile * kTile;
            const bool regular = (!is_present(row) || is_regular(row, rules.extent)) &&
                                 (!is_present(column) || is_regular(column, rules.extent));
            columns[warp].store(lane, pair_box(column));
            __syncwarp();
            std::uint32_t uncertain = kWholeWarp;
            if (margin.usable && __all_sync(kWholeWarp, regular)) {
                word = test_columns<kOverlap, kPixels>(pair_box(row), margin.tolerance * box_area(row, rules.extent),
                                                       columns[warp], uncertain);
            }
            std::uint32_t before = tile == unit.tile ? (1U << lane) - 1 : kWholeWarp;
            if (!is_present(row)) before = 0;
            for (uncertain &= before; uncertain != 0; uncertain &= uncertain - 1) {
                const std::uint32_t k = __ffs(static_cast<int>(uncertain)) - 1;
                if (suppresses_exactly(rules, raw, scratch, i, first + k)) word |= 1U << k;
            }
            word &= before;
            if (rules.ties == Ties::strict) {
                for (std::uint32_t rest = word; rest != 0; rest &= rest - 1) {
                    const std::uint32_t k = __ffs(static_cast<int>(rest)) - 1;
                    if (!may_suppress(rules.ties, scratch.scores[i], scratch.scores[first + k])) word &= ~(1U << k);
                }
            }
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
        row = load(unit.tile * kTile + lane);
        column = load((unit.group * kGroupTiles + warp) * kTile + lane);
        __syncthreads();  // the words have been read
    }
}

template <Overlap kOverlap>
auto map_kernel_for(float extent) {
    return extent != 0.0F ? map_kernel<kOverlap, PixelConvention::inclusive>
                          : map_kernel<kOverlap, PixelConvention::continuous>;
}

}  // namespace
}  // namespace matrix

void launch_matrix_order(const DeviceInfo& device, const MatrixFrames& frames, std::int32_t expected,
                         StreamView stream) {
    const unsigned blocks = matrix::tiles_of(static_cast<std::uint32_t>(expected));
    LaunchChain(device, stream)
        .launch("rank_kernel", matrix::rank_kernel, matrix::launch_size(blocks, frames, matrix::kRankThreads), frames);
}

void launch_matrix_map(const DeviceInfo& device, const MatrixFrames& frames, std::int32_t expected,
                       const NmsRuleSet& rules, StreamView stream) {
    PairMarginRule margin = make_pair_margin_rule(rules.overlap, rules.theta);
    margin.usable = margin.usable && pair_path(rules) == PairPath::plain;
    const std::uint32_t units = matrix::units_of(matrix::tiles_of(static_cast<std::uint32_t>(expected)));
    const unsigned blocks = std::min(units, static_cast<unsigned>(device.multiprocessors) * matrix::kMapBlocks);
    const auto kernel = rules.overlap == Overlap::iou   ? matrix::map_kernel_for<Overlap::iou>(rules.extent)
                        : rules.overlap == Overlap::min ? matrix::map_kernel_for<Overlap::min>(rules.extent)
                                                        : matrix::map_kernel_for<Overlap::suppressor>(rules.extent);
    LaunchChain(device, stream)
        .launch("map_kernel", kernel, matrix::launch_size(blocks, frames, matrix::kThreads), frames, rules, margin);
}

}  // namespace throng::gpu
