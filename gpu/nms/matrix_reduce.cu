#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/nms/matrix_nms.cuh"

// The last stage, over the rows of the suppression matrix:
//   settle_rows_kernel: (greedy) detections without suppressors are kept. A row is suppressed as soon as one of its
//                       suppressors is kept, and kept as soon as all are suppressed.
//   write_kernel:       (greedy) up to 256 detections, each block decides all itself. Then it finds the owner of each
//                       detection, its first kept suppressor, adds the hits and writes the kept detections at their
//                       positions.
//   compact_kernel:     (min_hits above 1) writes those with enough hits instead.
//
// The blocks of settle_rows_kernel exchange data. Each bit of `dropped` and `sure` is written once, by a relaxed atomic
// operation of device scope, and read by relaxed loads, so a reader sees it in the end (progress of coherence): a bit in
// `sure` means suppressed, and one missing in `dropped` means kept. No other data depends on them before the next
// kernel. The launch is cooperative, so every block makes progress; a row depends on earlier rows only, and blocks
// decide their tiles in ascending order, so the first undecided row waits for none.
namespace throng::gpu {
namespace matrix {
namespace {

constexpr std::uint32_t kPart = 256;  // detections that a block decides at a time

__device__ __forceinline__ bool any_bit(uint4 v) {
    return (v.x | v.y | v.z | v.w) != 0;
}
__device__ __forceinline__ uint4 and_not(uint4 a, uint4 b) {
    return make_uint4(a.x & ~b.x, a.y & ~b.y, a.z & ~b.z, a.w & ~b.w);
}
// The number of the first bit that is set; there must be one.
__device__ __forceinline__ std::uint32_t first_bit(uint4 v) {
    const std::uint32_t before = v.x != 0 ? 0 : v.y != 0 ? 1 : v.z != 0 ? 2 : 3;
    const std::uint32_t word = v.x != 0 ? v.x : v.y != 0 ? v.y : v.z != 0 ? v.z : v.w;
    return before * 32 + __ffs(static_cast<int>(word)) - 1;
}

// The words of a row, four at a time, shared out among its 8 lanes.
class RowWords {
public:
    // Loads the first words of each lane: all of them for up to 4096 detections. Empty for rows from `rows` on.
    __device__ __forceinline__ RowWords(const MatrixScratch& scratch, std::uint32_t row, std::uint32_t rows)
        : quads_(reinterpret_cast<const uint4*>(scratch.matrix + row_start(row))),
          count_(row < rows ? row_words(row) / 4 : 0) {
        load(threadIdx.x % kRowLanes);
    }
    // Calls visit(q, words from 4 q on) for those that are not all 0.
    template <class Visit>
    __device__ __forceinline__ void for_each(Visit&& visit) {
        for (std::uint32_t first = threadIdx.x % kRowLanes; first < count_; first += kAtOnce * kRowLanes) {
            if (first >= kAtOnce * kRowLanes) moved_ = true;
            if (moved_) load(first);
#pragma unroll
            for (std::uint32_t k = 0; k < kAtOnce; ++k) {
                if (any_bit(loaded_[k])) visit(first + k * kRowLanes, loaded_[k]);
            }
        }
    }

private:
    static constexpr std::uint32_t kAtOnce = 4;

    __device__ __forceinline__ void load(std::uint32_t first) {
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
            const std::uint32_t q = first + k * kRowLanes;
            loaded_[k] = q < count_ ? quads_[q] : uint4{};
        }
    }

    const uint4* quads_;
    std::uint32_t count_;
    bool moved_ = false;  // the first words are no longer loaded
    uint4 loaded_[kAtOnce];
};

// Returns the rank of the first suppressor of a row without a bit in `without`, kNone if there is none; the same on all
// lanes of the row. without: in shared memory. For whole warps.
__device__ __forceinline__ std::uint32_t first_suppressor(RowWords& words, const std::uint32_t* without) {
    std::uint32_t first = kNone;
    words.for_each([&](std::uint32_t q, uint4 v) {
        const uint4 found = and_not(v, reinterpret_cast<const uint4*>(without)[q]);
        if (any_bit(found) && first == kNone) first = q * 4 * kTile + first_bit(found);
    });
    __syncwarp();
    return fold_lanes<kRowLanes>(first, [](std::uint32_t a, std::uint32_t b) { return min(a, b); });
}

__device__ __forceinline__ bool has_bit(const std::uint32_t* words, std::uint32_t i) {
    return (words[i / kTile] >> i % kTile & 1) != 0;
}

// Decides the rows of a tile as far as they do not wait for others, and adds their bits to the words. Each lane gives a
// row: its suppressors in the tile, and whether one of the others is kept, or not suppressed so far. By whole warps.
__device__ __forceinline__ void decide_tile(std::uint32_t own, bool has_kept, bool has_other, bool& is_open,
                                            std::uint32_t& kept, std::uint32_t& suppressed) {
    for (bool changed = true; changed;) {
        const std::uint32_t drops = __ballot_sync(kWholeWarp, is_open && (has_kept || (own & kept) != 0));
        suppressed |= drops;
        is_open = is_open && (drops >> threadIdx.x % kTile & 1) == 0;
        const std::uint32_t keeps = __ballot_sync(kWholeWarp, is_open && !has_other && (own & ~suppressed) == 0);
        kept |= keeps;
        is_open = is_open && (keeps >> threadIdx.x % kTile & 1) == 0;
        changed = (drops | keeps) != 0;
    }
}

__global__ void __launch_bounds__(kThreads) settle_rows_kernel(const __grid_constant__ MatrixTask frame) {
    __shared__ alignas(16) std::uint32_t dropped[kMaxTiles];
    __shared__ alignas(16) std::uint32_t sure[kMaxTiles];
    __shared__ std::uint32_t with_kept;  // rows of the tile, by bit, that have a kept suppressor before the tile
    __shared__ std::uint32_t with_other;
    start_kernel();
    const MatrixScratch& scratch = frame.scratch;
    const auto capacity = static_cast<std::uint32_t>(frame.task.raw.capacity);
    std::uint32_t i = blockIdx.x * kTile + threadIdx.x / kRowLanes;
    RowWords words(scratch, i, capacity);
    const std::uint32_t n = own_count(frame.task);
    for (; i / kTile * kTile < n; i += gridDim.x * kTile, words = RowWords(scratch, i, n)) {
        const std::uint32_t tiles = min(row_words(i), tiles_of(capacity));
        const std::uint32_t tile = i / kTile;                          // one for the block, which alone writes its bits
        const std::uint32_t row = tile * kTile + threadIdx.x % kTile;  // that the lane decides, in every warp
        const std::uint32_t own = row < n ? scratch.matrix[row_start(row) + tile] : 0;
        std::uint32_t kept = ~scratch.dropped[tile];
        std::uint32_t suppressed = scratch.sure[tile];
        bool is_open = row < n && ((kept | suppressed) >> threadIdx.x % kTile & 1) == 0;
        while (__syncthreads_or(is_open) != 0) {  // the words have been read
            for (std::uint32_t t = threadIdx.x; t < tiles; t += kThreads) {
                dropped[t] = t == tile ? kWholeWarp : load_relaxed(scratch.dropped[t]);
                sure[t] = t == tile ? kWholeWarp : load_relaxed(scratch.sure[t]);
            }
            if (threadIdx.x == 0) with_kept = with_other = 0;
            __syncthreads();
            bool has_kept = false;
            bool has_other = false;  // that is not suppressed
            words.for_each([&](std::uint32_t q, uint4 v) {
                has_kept |= any_bit(and_not(v, reinterpret_cast<const uint4*>(dropped)[q]));
                has_other |= any_bit(and_not(v, reinterpret_cast<const uint4*>(sure)[q]));
            });
            if (has_kept) atomicOr(&with_kept, 1U << i % kTile);
            if (has_other) atomicOr(&with_other, 1U << i % kTile);
            __syncthreads();
            const std::uint32_t kept_before = kept;
            const std::uint32_t suppressed_before = suppressed;
            decide_tile(own, (with_kept >> threadIdx.x % kTile & 1) != 0, (with_other >> threadIdx.x % kTile & 1) != 0,
                        is_open, kept, suppressed);
            if (threadIdx.x != 0) continue;
            if (kept != kept_before) atomicAnd(scratch.dropped + tile, ~kept);
            if (suppressed != suppressed_before) atomicOr(scratch.sure + tile, suppressed);
        }
    }
}

// The bits of the detections that are not kept, and what a block needs to decide the open ones.
struct Decision {
    alignas(16) std::uint32_t dropped[kMaxTiles];
    alignas(16) std::uint32_t open[kMaxTiles];
    std::uint32_t before[kMaxTiles];  // number of kept ones before each word
    BlockSum<kThreads> sum;
    alignas(16) std::uint32_t kept[kPart / kTile];
    alignas(16) std::uint32_t suppressed_words[kPart / kTile];
    static_assert(kPart == kThreads);          // a thread has one, a warp has a word
    static_assert(kMaxTiles == 2 * kThreads);  // a thread has two words

    // Copies the words of the frame's detections; others count as dropped. Returns the number of detections. By the
    // whole block.
    template <bool kGreedy>
    __device__ __forceinline__ std::uint32_t load(const MatrixTask& frame) {
        const std::uint32_t stored_tiles = tiles_of(static_cast<std::uint32_t>(frame.task.raw.capacity));
        std::uint32_t words[2];
        std::uint32_t sure[2] = {kWholeWarp, kWholeWarp};
#pragma unroll
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint32_t t = threadIdx.x * 2 + k;
            words[k] = t < stored_tiles ? frame.scratch.dropped[t] : 0;
            if (kGreedy && t < stored_tiles) sure[k] = frame.scratch.sure[t];
        }
        const std::uint32_t n = own_count(frame.task);
#pragma unroll
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint32_t t = threadIdx.x * 2 + k;
            dropped[t] = t < tiles_of(n) ? words[k] : kWholeWarp;
            open[t] = t < tiles_of(n) ? words[k] & ~sure[k] : 0;
        }
        return n;
    }

    // Sets `before` to the sums of the bits of the words before each. Returns the sum of all. By the whole block; each
    // thread gives the numbers of its words.
    __device__ __forceinline__ std::uint32_t sum_words(std::uint32_t even, std::uint32_t odd) {
        std::uint32_t total = 0;
        const std::uint32_t start = sum.exclusive(even + odd, total);
        before[threadIdx.x * 2] = start;
        before[threadIdx.x * 2 + 1] = start + even;
        __syncthreads();
        return total;
    }

    // Decides the open ones, of which settle_rows_kernel leaves none: clears the bits in `dropped` of those that are
    // kept. In order; by the whole block.
    __device__ __forceinline__ void decide(const MatrixScratch& scratch, std::uint32_t n) {
        if (__syncthreads_or((open[threadIdx.x * 2] | open[threadIdx.x * 2 + 1]) != 0) == 0) return;
        for (std::uint32_t first = 0; first < n; first += kPart) {
            const std::uint32_t k = first + threadIdx.x;
            const std::uint32_t* row = scratch.matrix + row_start(k);
            bool is_open = has_bit(open, k);
            const bool is_kept = !is_open && !has_bit(dropped, k);
            for (std::uint32_t t = 0; is_open && t < first / kTile; ++t) is_open = (row[t] & ~dropped[t]) == 0;
            const std::uint32_t kept_word = decide_rows(row + first / kTile, is_open, is_kept);
            if (threadIdx.x % kTile == 0) dropped[k / kTile] = ~kept_word;
            __syncthreads();
        }
    }

private:
    // Each thread gives one detection of a part, in order: its words of the part, read if it is open, or whether
    // it is kept. Returns the bits of those that are kept in the warp.
    __device__ __forceinline__ std::uint32_t decide_rows(const std::uint32_t* row, bool is_open, bool is_kept) {
        constexpr std::uint32_t kWords = kPart / kTile;
        const std::uint32_t warp = threadIdx.x / kTile;
        std::uint32_t others[kWords];  // suppressors in other warps
        std::uint32_t own = 0;         // in this one
#pragma unroll
        for (std::uint32_t t = 0; t < kWords; ++t) {
            others[t] = is_open ? row[t] : 0;
            if (t == warp) {
                own = others[t];
                others[t] = 0;
            }
        }
        std::uint32_t kept_word = __ballot_sync(kWholeWarp, is_kept);
        std::uint32_t suppressed_word = __ballot_sync(kWholeWarp, !is_open && !is_kept);
        do {
            if (threadIdx.x % kTile == 0) {
                kept[warp] = kept_word;
                suppressed_words[warp] = suppressed_word;
            }
            __syncthreads();
            std::uint32_t has_kept = 0;
            std::uint32_t has_other = 0;  // that is not suppressed
#pragma unroll
            for (std::uint32_t t = 0; t < kWords; ++t) {
                has_kept |= others[t] & kept[t];
                has_other |= others[t] & ~suppressed_words[t];
            }
            decide_tile(own, has_kept != 0, has_other != 0, is_open, kept_word, suppressed_word);
        } while (__syncthreads_or(is_open) != 0);
        return kept_word;
    }
};

__device__ __forceinline__ std::uint32_t count_kept(Decision& decision) {
    return decision.sum_words(__popc(~decision.dropped[threadIdx.x * 2]),
                              __popc(~decision.dropped[threadIdx.x * 2 + 1]));
}
// The position of a kept one in the output, after count_kept.
__device__ __forceinline__ std::uint32_t position_of(const Decision& decision, std::uint32_t rank) {
    return decision.before[rank / kTile] + __popc(~decision.dropped[rank / kTile] & ((1U << rank % kTile) - 1));
}

// kWrite: writes the kept detections. Otherwise only counts hits by rank, for compact_kernel.
template <bool kWrite, bool kGreedy>
__global__ void __launch_bounds__(kThreads) write_kernel(const __grid_constant__ MatrixTask frame) {
    __shared__ Decision decision;
    start_kernel();
    const MatrixScratch& scratch = frame.scratch;
    const auto capacity = static_cast<std::uint32_t>(frame.task.raw.capacity);
    const bool first_lane = threadIdx.x % kRowLanes == 0;
    std::uint32_t i = blockIdx.x * kTile + threadIdx.x / kRowLanes;
    RowWords words(scratch, i, capacity);
    Candidate mine = first_lane && i < capacity ? load_ranked(scratch, i) : Candidate{};
    const std::uint32_t invalid = *scratch.invalid;
    const std::uint32_t n = decision.load<kGreedy>(frame);
    if constexpr (kGreedy) decision.decide(scratch, n);
    if constexpr (kWrite) {
        const std::uint32_t total = count_kept(decision);
        write_count(frame.task, total, n > 0 ? invalid : 0);
    } else {
        __syncthreads();
    }
    for (; i / kTile * kTile < n; i += gridDim.x * kTile) {
        if (i != blockIdx.x * kTile + threadIdx.x / kRowLanes) {
            words = RowWords(scratch, i, n);
            if (first_lane && i < n) mine = load_ranked(scratch, i);
        }
        std::uint32_t owner = first_suppressor(words, decision.dropped);
        if (i >= n || !first_lane) continue;
        if (!has_bit(decision.dropped, i)) owner = i;
        if (owner == kNone) continue;
        if (frame.task.owner != nullptr)
            frame.task.owner[mine.index] = static_cast<std::int32_t>(scratch.source[owner]);
        if constexpr (kWrite) {
            const std::uint32_t position = position_of(decision, owner);
            if (!fits(frame.task, position)) continue;
            atomicAdd(frame.task.kept.hits + position, 1);
            if (owner == i) write_without_hits(frame.task, position, mine.box, mine.score, mine.index);
        } else {
            atomicAdd(scratch.hits + owner, 1U);
        }
    }
}

__global__ void __launch_bounds__(kThreads)
    compact_kernel(const __grid_constant__ MatrixTask frame, std::uint32_t min_hits) {
    __shared__ Decision decision;
    start_kernel();
    const MatrixScratch& scratch = frame.scratch;
    const std::uint32_t n = own_count(frame.task);
    const std::uint32_t lane = threadIdx.x % kTile;
    for (std::uint32_t t = threadIdx.x / kTile; t < kMaxTiles; t += kThreads / kTile) {
        const std::uint32_t i = t * kTile + lane;
        const std::uint32_t written = __ballot_sync(kWholeWarp, i < n && scratch.hits[i] >= min_hits);
        if (lane == 0) decision.dropped[t] = ~written;
    }
    __syncthreads();
    const std::uint32_t total = count_kept(decision);
    write_count(frame.task, total, n > 0 ? *scratch.invalid : 0);
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        if (has_bit(decision.dropped, i)) continue;
        const std::uint32_t position = position_of(decision, i);
        if (!fits(frame.task, position)) continue;
        frame.task.kept.hits[position] = static_cast<std::int32_t>(scratch.hits[i]);
        const Candidate mine = load_ranked(scratch, i);
        write_without_hits(frame.task, position, mine.box, mine.score, mine.index);
    }
}

}  // namespace
}  // namespace matrix

void MatrixNms::launch_reduce(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const {
    using namespace matrix;
    const LaunchChain chain(device_, stream);
    const MatrixTask frame{task, scratch_};
    const LaunchSize rows{blocks_for(expected_, kTile), kThreads};
    const bool greedy = rules.rule == NmsRule::greedy;
    // Few detections are decided faster by write_kernel alone.
    if (greedy && expected_ > kPart) launch_waiting(chain, "settle_rows_kernel", settle_rows_kernel, rows, frame);
    const auto min_hits = static_cast<std::uint32_t>(std::max(rules.min_hits, 1));
    const auto write_with = greedy ? write_kernel<true, true> : write_kernel<true, false>;
    const auto count_with = greedy ? write_kernel<false, true> : write_kernel<false, false>;
    chain.launch("write_kernel", min_hits == 1 ? write_with : count_with, rows, frame);
    if (min_hits == 1) return;
    chain.launch("compact_kernel", compact_kernel, LaunchSize{blocks_for(expected_, kThreads), kThreads}, frame,
                 min_hits);
}

}  // namespace throng::gpu
