#include <cuda_runtime.h>

#include "gpu/nms/matrix_nms.cuh"

// The last stage, over the rows of the suppression matrix:
//   settle_rows_kernel: (greedy) detections without suppressors are kept. In a few rounds these suppress others, and
//                       those whose suppressors are all suppressed are kept. Lists the few that are left.
//   write_kernel:       (greedy) each block decides these: from the list; if it is full, from a smaller matrix; of up
//                       to 256 detections, from the matrix itself. Then it finds the owner of each detection, its first
//                       kept suppressor, adds the hits and writes the kept detections at their positions.
//   compact_kernel:     (min_hits above 1) writes those with enough hits instead.
//
// The blocks of settle_rows_kernel exchange data, but none waits for another. Each bit of `dropped` and `sure` is
// written once, by a relaxed atomic operation of device scope, and is true whenever it is read: a bit in `sure` means
// suppressed, and one missing in `dropped` means kept. When it is seen changes only the number of detections that are
// left to write_kernel.
namespace throng::gpu {
namespace matrix {
namespace {

constexpr std::uint32_t kMaxUndecided = 256;  // detections that are decided at a time
constexpr int kRounds = 4;

__device__ __forceinline__ bool any_bit(uint4 v) {
    return (v.x | v.y | v.z | v.w) != 0;
}
__device__ __forceinline__ uint4 and_not(uint4 a, uint4 b) {
    return make_uint4(a.x & ~b.x, a.y & ~b.y, a.z & ~b.z, a.w & ~b.w);
}
__device__ __forceinline__ std::uint32_t lowest_bit(std::uint32_t word) {
    return __ffs(static_cast<int>(word)) - 1;
}

// The first word that is not 0, and a word by its number.
__device__ __forceinline__ std::uint32_t first_word(uint4 v) {
    return v.x != 0 ? 0 : v.y != 0 ? 1 : v.z != 0 ? 2 : 3;
}
__device__ __forceinline__ std::uint32_t word_of(uint4 v, std::uint32_t number) {
    return number == 0 ? v.x : number == 1 ? v.y : number == 2 ? v.z : v.w;
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
        if (!any_bit(found) || first != kNone) return;
        const std::uint32_t k = first_word(found);
        first = (4 * q + k) * kTile + lowest_bit(word_of(found, k));
    });
    __syncwarp();
    return fold_lanes<kRowLanes>(first, [](std::uint32_t a, std::uint32_t b) { return min(a, b); });
}

__device__ __forceinline__ bool has_bit(const std::uint32_t* words, std::uint32_t i) {
    return (words[i / kTile] >> i % kTile & 1) != 0;
}

// Adds row i to the open ones, if is_open. sure: in shared memory. For whole warps.
__device__ __forceinline__ void list_open_row(const MatrixScratch& scratch, RowWords& words, std::uint32_t i,
                                              bool is_open, const std::uint32_t* sure) {
    const Group<kRowLanes> group;
    std::uint32_t mine = 0;  // suppressors in the words of this lane
    const auto remaining = [&](std::uint32_t q, uint4 v) {
        return and_not(v, reinterpret_cast<const uint4*>(sure)[q]);
    };
    words.for_each([&](std::uint32_t q, uint4 v) {
        const uint4 rest = remaining(q, v);
        mine += __popc(rest.x) + __popc(rest.y) + __popc(rest.z) + __popc(rest.w);
    });
    __syncwarp();
    const std::uint32_t up_to = group.inclusive_sum(mine);
    const std::uint32_t count = group.from(up_to, kRowLanes - 1);
    const bool fits = count <= OpenRow::kRoom;
    std::uint32_t position = kMaxOpenRows;
    if (is_open && group.lane == 0) position = atomicAdd(scratch.open, fits ? 1 : kMaxOpenRows + 1);
    position = group.from(position, 0);
    if (!is_open || !fits || position >= kMaxOpenRows) return;
    OpenRow& to = scratch.open_rows[position];
    if (group.lane == 0) {
        to.rank = static_cast<std::uint16_t>(i);
        to.count = static_cast<std::uint16_t>(count);
    }
    std::uint32_t k = up_to - mine;
    words.for_each([&](std::uint32_t q, uint4 v) {
        const uint4 rest = remaining(q, v);
        for (std::uint32_t c = 0; c < 4; ++c) {
            for (std::uint32_t bits = word_of(rest, c); bits != 0; bits &= bits - 1)
                to.others[k++] = static_cast<std::uint16_t>((4 * q + c) * kTile + lowest_bit(bits));
        }
    });
}

__global__ void __launch_bounds__(kThreads) settle_rows_kernel(const __grid_constant__ MatrixTask frame) {
    __shared__ alignas(16) std::uint32_t dropped[kMaxTiles];
    __shared__ alignas(16) std::uint32_t sure[kMaxTiles];
    start_kernel();
    const MatrixScratch& scratch = frame.scratch;
    const auto capacity = static_cast<std::uint32_t>(frame.task.raw.capacity);
    std::uint32_t i = blockIdx.x * kTile + threadIdx.x / kRowLanes;
    RowWords words(scratch, i, capacity);
    const std::uint32_t n = own_count(frame.task);
    for (; i / kTile * kTile < n; i += gridDim.x * kTile, words = RowWords(scratch, i, n)) {
        const std::uint32_t tiles = min(row_words(i), tiles_of(capacity));
        bool open = true;
#pragma unroll 1
        for (int round = 0; round < kRounds; ++round) {
            for (std::uint32_t t = threadIdx.x; t < tiles; t += kThreads) {
                dropped[t] = load_relaxed(scratch.dropped[t]);
                sure[t] = load_relaxed(scratch.sure[t]);
            }
            __syncthreads();
            bool has_kept = false;
            bool has_other = false;  // that is not suppressed
            words.for_each([&](std::uint32_t q, uint4 v) {
                has_kept |= any_bit(and_not(v, reinterpret_cast<const uint4*>(dropped)[q]));
                has_other |= any_bit(and_not(v, reinterpret_cast<const uint4*>(sure)[q]));
            });
            __syncwarp();
            const std::uint32_t of_row = (1U << kRowLanes) - 1 << threadIdx.x % kTile / kRowLanes * kRowLanes;
            has_kept = (__ballot_sync(kWholeWarp, has_kept) & of_row) != 0;
            has_other = (__ballot_sync(kWholeWarp, has_other) & of_row) != 0;
            open = i < n && has_bit(dropped, i) && !has_bit(sure, i);
            if (open && threadIdx.x % kRowLanes == 0) {
                if (has_kept) atomicOr(scratch.sure + i / kTile, 1U << i % kTile);
                if (!has_other) atomicAnd(scratch.dropped + i / kTile, ~(1U << i % kTile));
            }
            open = open && !has_kept && has_other;
            if (__syncthreads_or(open) == 0) break;
        }
        if (__any_sync(kWholeWarp, open)) list_open_row(scratch, words, i, open, sure);
        __syncthreads();  // `sure` has been read
    }
}

// The smaller matrix: of up to kMaxUndecided undecided detections, in order. In shared memory.
struct Undecided {
    static constexpr std::uint32_t kRowWords =
        kMaxUndecided / kTile + 1;  // one more: the lanes of a warp use different banks
    std::uint32_t words[kMaxUndecided * kRowWords];

    [[nodiscard]] __device__ __forceinline__ std::uint32_t* row(std::uint32_t k) { return words + k * kRowWords; }
    // Adds the suppressors `bits` of row k, which are among the undecided detections `mask` of a word. The first of
    // these is column `column`, which is negative if it belongs to an earlier part.
    __device__ __forceinline__ void add(std::uint32_t k, std::uint32_t bits, std::uint32_t mask, std::uint32_t column) {
        std::uint32_t compressed = 0;
        for (std::uint32_t rest = bits; rest != 0; rest &= rest - 1)
            compressed |= 1U << __popc(mask & ((rest & (0U - rest)) - 1));
        const auto shift = static_cast<std::int32_t>(column);
        if (shift < 0) compressed = shift > -32 ? compressed >> -shift : 0;
        if (compressed == 0) return;
        const std::uint32_t to = shift < 0 ? 0 : column;
        atomicOr(row(k) + to / kTile, compressed << to % kTile);
        const std::uint32_t high = __funnelshift_l(compressed, 0, to % kTile);
        if (high != 0) atomicOr(row(k) + to / kTile + 1, high);
    }
};

// The bits of the detections that are not kept, and what a block needs to decide the open ones.
struct Decision {
    alignas(16) std::uint32_t dropped[kMaxTiles];
    alignas(16) std::uint32_t open[kMaxTiles];
    std::uint32_t before[kMaxTiles];  // number of open ones before each word; later of kept ones
    BlockSum<kThreads> sum;
    Undecided undecided;
    std::uint32_t ranks[kMaxUndecided];
    std::uint32_t suppressed[kMaxUndecided / kTile];
    alignas(16) std::uint32_t kept[kMaxUndecided / kTile];
    alignas(16) std::uint32_t suppressed_words[kMaxUndecided / kTile];
    static_assert(kMaxUndecided == kThreads);  // a thread has one, a warp has a word
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

    // Decides the open ones: clears the bits in `dropped` of those that are kept.
    __device__ __forceinline__ void decide(const MatrixScratch& scratch, std::uint32_t n) {
        const std::uint32_t listed = *scratch.open;
        const std::uint32_t mine[2] = {open[threadIdx.x * 2], open[threadIdx.x * 2 + 1]};
        const std::uint32_t total = sum_words(__popc(mine[0]), __popc(mine[1]));
        const std::uint32_t k = threadIdx.x;
        if (total > 0 && n <= kMaxUndecided) {  // from the matrix itself
            const bool is_open = has_bit(open, k);
            const std::uint32_t kept_word =
                decide_rows(scratch.matrix + k * kGroupTiles, is_open, !is_open && !has_bit(dropped, k));
            if (k % kTile == 0) dropped[k / kTile] = ~kept_word;
            __syncthreads();
            return;
        }
        if (listed == total && listed <= kMaxOpenRows) {
            decide_listed(scratch.open_rows, listed);
            return;
        }
        for (std::uint32_t first = 0; first < total; first += kMaxUndecided) {
            const std::uint32_t count = min(total - first, kMaxUndecided);
            select_rows(scratch, mine, first, count);
            __syncthreads();
            const std::uint32_t kept_word = decide_rows(undecided.row(k), k < count && !has_bit(suppressed, k), false);
            if ((kept_word >> k % kTile & 1) != 0) atomicAnd(dropped + ranks[k] / kTile, ~(1U << ranks[k] % kTile));
            __syncthreads();
        }
    }

private:
    // All open ones are listed, at most kMaxOpenRows.
    __device__ __forceinline__ void decide_listed(const OpenRow* d_rows, std::uint32_t count) {
        constexpr std::uint32_t kEach = kMaxOpenRows / kThreads;
        OpenRow rows[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k)
            if (k * kThreads + threadIdx.x < count) rows[k] = d_rows[k * kThreads + threadIdx.x];
        bool more = count > 0;
        while (__syncthreads_or(more) != 0) {
            bool drops[kEach] = {};
            bool keeps[kEach] = {};
            more = false;
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                if (k * kThreads + threadIdx.x >= count || !has_bit(open, rows[k].rank)) continue;
                bool waits = false;
#pragma unroll
                for (std::uint32_t j = 0; j < OpenRow::kRoom; ++j) {
                    if (j >= rows[k].count) continue;
                    drops[k] |= !has_bit(dropped, rows[k].others[j]);
                    waits |= has_bit(open, rows[k].others[j]);
                }
                keeps[k] = !drops[k] && !waits;
                more |= !drops[k] && waits;
            }
            __syncthreads();
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                if (!drops[k] && !keeps[k]) continue;
                atomicAnd(open + rows[k].rank / kTile, ~(1U << rows[k].rank % kTile));
                if (keeps[k]) atomicAnd(dropped + rows[k].rank / kTile, ~(1U << rows[k].rank % kTile));
            }
        }
    }

    // Each thread gives one detection of up to kMaxUndecided, in order: a row of bits, read if it is open, or whether
    // it is kept. Returns the bits of those that are kept in the warp.
    __device__ __forceinline__ std::uint32_t decide_rows(const std::uint32_t* row, bool is_open, bool is_kept) {
        constexpr std::uint32_t kWords = kMaxUndecided / kTile;
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
            for (bool changed = true; changed;) {
                const std::uint32_t drops = __ballot_sync(kWholeWarp, is_open && (has_kept | (own & kept_word)) != 0);
                suppressed_word |= drops;
                is_open = is_open && (drops >> threadIdx.x % kTile & 1) == 0;
                const std::uint32_t keeps =
                    __ballot_sync(kWholeWarp, is_open && (has_other | (own & ~suppressed_word)) == 0);
                kept_word |= keeps;
                is_open = is_open && (keeps >> threadIdx.x % kTile & 1) == 0;
                changed = (drops | keeps) != 0;
            }
        } while (__syncthreads_or(is_open) != 0);
        return kept_word;
    }

    // Selects `count` of the open ones, from number `first` on. open_words: of this thread.
    __device__ __forceinline__ void select_rows(const MatrixScratch& scratch, const std::uint32_t (&open_words)[2],
                                                std::uint32_t first, std::uint32_t count) {
        for (std::uint32_t k = threadIdx.x; k < count * Undecided::kRowWords; k += kThreads) undecided.words[k] = 0;
        if (threadIdx.x < kMaxUndecided / kTile) suppressed[threadIdx.x] = 0;
        std::uint32_t k = before[threadIdx.x * 2] - first;  // wraps around for those of earlier parts
#pragma unroll
        for (std::uint32_t w = 0; w < 2; ++w) {
            for (std::uint32_t rest = open_words[w]; rest != 0; rest &= rest - 1, ++k) {
                if (k < count) ranks[k] = (threadIdx.x * 2 + w) * kTile + lowest_bit(rest);
            }
        }
        __syncthreads();
#pragma unroll 1
        for (std::uint32_t m = threadIdx.x / kRowLanes; m < count; m += kThreads / kRowLanes) {
            bool has_kept = false;
            RowWords words(scratch, ranks[m], kMatrixLimit);
            words.for_each([&](std::uint32_t q, uint4 v) {
                has_kept |= any_bit(and_not(v, reinterpret_cast<const uint4*>(dropped)[q]));
                const uint4 mask = reinterpret_cast<const uint4*>(open)[q];
                uint4 rest = make_uint4(v.x & mask.x, v.y & mask.y, v.z & mask.z, v.w & mask.w);
#pragma unroll 1
                while (any_bit(rest)) {  // mostly one word of four
                    const std::uint32_t c = first_word(rest);
                    const std::uint32_t bits = word_of(rest, c);
                    undecided.add(m, bits, word_of(mask, c), before[4 * q + c] - first);
                    if (c == 0) rest.x = 0;
                    if (c == 1) rest.y = 0;
                    if (c == 2) rest.z = 0;
                    if (c == 3) rest.w = 0;
                }
            });
            if (has_kept) atomicOr(suppressed + m / kTile, 1U << m % kTile);
        }
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

void launch_matrix_reduce(const DeviceInfo& device, const MatrixTask& frame, std::int32_t expected,
                          const NmsRuleSet& rules, StreamView stream) {
    using namespace matrix;
    const LaunchChain chain(device, stream);
    const unsigned blocks = tiles_of(static_cast<std::uint32_t>(expected));
    const LaunchSize rows = launch_size(blocks, kThreads);
    const bool greedy = rules.rule == NmsRule::greedy;
    // Up to kMaxUndecided, write_kernel alone is faster.
    if (greedy && blocks > tiles_of(kMaxUndecided)) chain.launch("settle_rows_kernel", settle_rows_kernel, rows, frame);
    const bool write = rules.min_hits <= 1;
    chain.launch("write_kernel",
                 write    ? greedy ? write_kernel<true, true> : write_kernel<true, false>
                    : greedy ? write_kernel<false, true>
                          : write_kernel<false, false>,
                 rows, frame);
    if (write) return;
    chain.launch("compact_kernel", compact_kernel, launch_size((blocks + 7) / 8, kThreads), frame,
                 static_cast<std::uint32_t>(rules.min_hits));
}

MatrixScratch lay_out_matrix_scratch(ArrayLayout& layout, std::int32_t capacity) {
    const auto n = static_cast<std::size_t>(capacity > 0 ? capacity : 1);
    const std::size_t tiles = matrix::tiles_of(static_cast<std::uint32_t>(n));
    MatrixScratch s;
    layout.take(s.boxes, n);
    layout.take(s.scores, n);
    layout.take(s.source, n);
    layout.take(s.edges, n);
    layout.take(s.shares, n);
    layout.take(s.hits, n);
    layout.take(s.matrix, matrix::row_start(static_cast<std::uint32_t>(n)));
    layout.take(s.dropped, tiles);
    layout.take(s.sure, tiles);
    layout.take(s.invalid, 1);
    layout.take(s.open_rows, kMaxOpenRows);
    layout.take(s.open, 1);
    return s;
}

}  // namespace throng::gpu
