#include <cuda_runtime.h>

#include "gpu/nms/matrix_nms.cuh"

// The last stage, over the rows of the suppression matrix:
//   first_round_kernel: (greedy) detections without suppressors are kept. Marks those that one of them suppresses;
//                       about a tenth remain undecided.
//   resolve_kernel:     (greedy) one block decides these in order, from a smaller matrix in shared memory.
//   write_kernel:       finds the owner of each detection, its first kept suppressor, adds the hits and writes the kept
//                       detections at their positions.
//   compact_kernel:     (min_hits above 1) writes those with enough hits instead.
namespace throng::gpu {
namespace matrix {
namespace {

constexpr unsigned kResolveThreads = 1024;
constexpr std::uint32_t kMaxUndecided = 512;  // undecided detections that are decided at a time
constexpr std::int32_t kFewForOneRound = 64;  // resolve_kernel alone is faster up to here

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
            if (first >= kAtOnce * kRowLanes) load(first);
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
    uint4 loaded_[kAtOnce];
};

// Returns the rank of the first suppressor of a row that is not dropped, kNone if there is none; the same on all lanes
// of the row. dropped: in shared memory. For whole warps.
__device__ __forceinline__ std::uint32_t first_kept_suppressor(RowWords& words, const std::uint32_t* dropped) {
    std::uint32_t first = kNone;
    words.for_each([&](std::uint32_t q, uint4 v) {
        const uint4 kept = and_not(v, reinterpret_cast<const uint4*>(dropped)[q]);
        if (!any_bit(kept) || first != kNone) return;
        const std::uint32_t k = first_word(kept);
        first = (4 * q + k) * kTile + lowest_bit(word_of(kept, k));
    });
    __syncwarp();
    return min_of_lanes(first);
}

__device__ __forceinline__ bool has_bit(const std::uint32_t* words, std::uint32_t i) {
    return (words[i / kTile] >> i % kTile & 1) != 0;
}

// Copies the words of the frame's detections to shared memory; others count as dropped. Returns the number of
// detections. By whole blocks of kThreads.
__device__ __forceinline__ std::uint32_t load_dropped(const MatrixTask& frame, std::uint32_t (&to)[kMaxTiles]) {
    static_assert(kMaxTiles == 2 * kThreads);
    const std::uint32_t t = threadIdx.x * 2;
    const std::uint32_t stored_tiles = tiles_of(static_cast<std::uint32_t>(frame.task.raw.capacity));
    const std::uint32_t even = t < stored_tiles ? frame.scratch.dropped[t] : 0;
    const std::uint32_t odd = t + 1 < stored_tiles ? frame.scratch.dropped[t + 1] : 0;
    const std::uint32_t n = stored_count(frame.task.raw);
    to[t] = t < tiles_of(n) ? even : kWholeWarp;
    to[t + 1] = t + 1 < tiles_of(n) ? odd : kWholeWarp;
    __syncthreads();
    return n;
}

__global__ void __launch_bounds__(kThreads) first_round_kernel(const __grid_constant__ MatrixFrames frames) {
    __shared__ alignas(16) std::uint32_t dropped[kMaxTiles];
    start_kernel();
    const MatrixTask frame = frame_of_block(frames);
    std::uint32_t i = blockIdx.x * kTile + threadIdx.x / kRowLanes;
    RowWords words(frame.scratch, i, static_cast<std::uint32_t>(frame.task.raw.capacity));
    const std::uint32_t n = load_dropped(frame, dropped);
    for (; i / kTile * kTile < n; i += gridDim.x * kTile, words = RowWords(frame.scratch, i, n)) {
        const std::uint32_t first = first_kept_suppressor(words, dropped);
        if (i < n && first != kNone && threadIdx.x % kRowLanes == 0)
            atomicOr(frame.scratch.sure + i / kTile, 1U << i % kTile);
    }
}

// The smaller matrix: of up to kMaxUndecided undecided detections, in order. In shared memory.
struct Undecided {
    static constexpr std::uint32_t kRowWords =
        kMaxUndecided / kTile + 1;  // one more: the lanes of a warp use different banks
    std::uint32_t words[kMaxUndecided * kRowWords];

    [[nodiscard]] __device__ __forceinline__ std::uint32_t* row(std::uint32_t k) { return words + k * kRowWords; }
    [[nodiscard]] __device__ __forceinline__ const std::uint32_t* row(std::uint32_t k) const {
        return words + k * kRowWords;
    }
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

// Decides `count` undecided detections in order. By one warp. suppressed: bits of those with a kept suppressor; keep(k) is
// called for those that are kept.
template <class Keep>
__device__ __forceinline__ void decide_in_order(const Undecided& undecided, std::uint32_t count,
                                                const std::uint32_t* suppressed, const Keep& keep) {
    const std::uint32_t lane = threadIdx.x % kTile;
    std::uint32_t kept = 0;  // of tile `lane`
#pragma unroll 1
    for (std::uint32_t tile = 0; tile * kTile < count; ++tile) {
        const std::uint32_t k = tile * kTile + lane;
        const std::uint32_t* row = undecided.row(min(k, count - 1));
        std::uint32_t found = 0;
#pragma unroll 4
        for (std::uint32_t t = 0; t < tile; ++t) found |= row[t] & __shfl_sync(kWholeWarp, kept, static_cast<int>(t));
        const std::uint32_t suppressors = row[tile];  // within the tile
        bool open = k < count && !has_bit(suppressed, k) && found == 0;
        std::uint32_t all_open = __ballot_sync(kWholeWarp, open);
        std::uint32_t all_kept = 0;
#pragma unroll 1
        while (all_open != 0) {  // the first open one has no open suppressor, so each round decides at least that one
            const bool now_kept = open && (suppressors & all_open) == 0;
            const std::uint32_t more = __ballot_sync(kWholeWarp, now_kept);
            all_kept |= more;
            open = open && !now_kept && (suppressors & more) == 0;
            all_open = __ballot_sync(kWholeWarp, open);
        }
        if (lane == tile) kept = all_kept;
        if ((all_kept >> lane & 1) != 0) keep(k);
        __syncwarp();
    }
}

__global__ void __launch_bounds__(kResolveThreads) resolve_kernel(const __grid_constant__ MatrixFrames frames) {
    __shared__ Undecided undecided;
    __shared__ alignas(16) std::uint32_t dropped[kMaxTiles];
    __shared__ alignas(16) std::uint32_t open[kMaxTiles];
    __shared__ std::uint32_t before[kMaxTiles];  // number of open ones before each word
    __shared__ std::uint32_t ranks[kMaxUndecided];
    __shared__ std::uint32_t suppressed[kMaxUndecided / kTile];
    static_assert(kMaxUndecided / kTile <= kTile);  // a word of each tile in a lane of decide_in_order
    __shared__ BlockSum<kResolveThreads> sum;
    static_assert(kMaxTiles <= kResolveThreads);
    start_kernel();
    const MatrixTask frame = frame_of_block(frames);
    const MatrixScratch& scratch = frame.scratch;
    const std::uint32_t thread = threadIdx.x;
    const bool has_word = thread < tiles_of(static_cast<std::uint32_t>(frame.task.raw.capacity));
    std::uint32_t word = has_word ? scratch.dropped[thread] : 0;
    std::uint32_t open_word = has_word ? word & ~scratch.sure[thread] : 0;
    const std::uint32_t tiles = tiles_of(stored_count(frame.task.raw));
    if (thread >= tiles) {
        word = kWholeWarp;
        open_word = 0;
    }
    std::uint32_t total = 0;
    const std::uint32_t start = sum.exclusive(__popc(open_word), total);
    if (thread < kMaxTiles) {
        dropped[thread] = word;
        open[thread] = open_word;
        before[thread] = start;
    }

    for (std::uint32_t first = 0; first < total; first += kMaxUndecided) {
        const std::uint32_t count = min(total - first, kMaxUndecided);
        for (std::uint32_t k = thread; k < count * Undecided::kRowWords; k += kResolveThreads) undecided.words[k] = 0;
        if (thread < kMaxUndecided / kTile) suppressed[thread] = 0;
        std::uint32_t k = start - first;  // wraps around for those of earlier parts
        for (std::uint32_t rest = open_word; rest != 0; rest &= rest - 1, ++k) {
            if (k < count) ranks[k] = thread * kTile + (__ffs(static_cast<int>(rest)) - 1);
        }
        __syncthreads();
#pragma unroll 1
        for (std::uint32_t m = thread / kRowLanes; m < count; m += kResolveThreads / kRowLanes) {
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
        __syncthreads();
        if (thread < kTile) {
            decide_in_order(undecided, count, suppressed,
                            [&](std::uint32_t m) { atomicAnd(dropped + ranks[m] / kTile, ~(1U << ranks[m] % kTile)); });
        }
        __syncthreads();
    }
    __syncthreads();
    if (thread < tiles) scratch.dropped[thread] = dropped[thread];
}

// The bits of the detections that are kept, and the number of them before each word.
struct KeptWords {
    alignas(16) std::uint32_t dropped[kMaxTiles];
    std::uint32_t before[kMaxTiles];
    BlockSum<kThreads> sum;

    // Returns the number of all. By the whole block; `dropped` is filled.
    __device__ __forceinline__ std::uint32_t count() {
        static_assert(kMaxTiles == 2 * kThreads);
        const std::uint32_t even = __popc(~dropped[threadIdx.x * 2]);
        const std::uint32_t odd = __popc(~dropped[threadIdx.x * 2 + 1]);
        std::uint32_t total = 0;
        const std::uint32_t start = sum.exclusive(even + odd, total);
        before[threadIdx.x * 2] = start;
        before[threadIdx.x * 2 + 1] = start + even;
        __syncthreads();
        return total;
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t position(std::uint32_t rank) const {
        return before[rank / kTile] + __popc(~dropped[rank / kTile] & ((1U << rank % kTile) - 1));
    }
};

// kWrite: writes the kept detections. Otherwise only counts hits by rank, for compact_kernel.
template <bool kWrite>
__global__ void __launch_bounds__(kThreads) write_kernel(const __grid_constant__ MatrixFrames frames) {
    __shared__ KeptWords kept;
    start_kernel();
    const MatrixTask frame = frame_of_block(frames);
    const MatrixScratch& scratch = frame.scratch;
    const auto capacity = static_cast<std::uint32_t>(frame.task.raw.capacity);
    const bool first_lane = threadIdx.x % kRowLanes == 0;
    std::uint32_t i = blockIdx.x * kTile + threadIdx.x / kRowLanes;
    RowWords words(scratch, i, capacity);
    Candidate mine = first_lane && i < capacity ? load_ranked(scratch, i) : Candidate{};
    const std::uint32_t invalid = *scratch.invalid;
    const std::uint32_t n = load_dropped(frame, kept.dropped);
    if constexpr (kWrite) {
        const std::uint32_t total = kept.count();
        if (blockIdx.x == 0 && threadIdx.x == 0) *frame.task.kept.count = DetectionCount{total, n > 0 ? invalid : 0};
    }
    for (; i / kTile * kTile < n; i += gridDim.x * kTile) {
        if (i != blockIdx.x * kTile + threadIdx.x / kRowLanes) {
            words = RowWords(scratch, i, n);
            if (first_lane && i < n) mine = load_ranked(scratch, i);
        }
        std::uint32_t owner = first_kept_suppressor(words, kept.dropped);
        if (i >= n || !first_lane) continue;
        if (!has_bit(kept.dropped, i)) owner = i;
        if (owner == kNone) continue;
        if (frame.task.owner != nullptr)
            frame.task.owner[mine.index] = static_cast<std::int32_t>(scratch.source[owner]);
        if constexpr (kWrite) {
            const std::uint32_t position = kept.position(owner);
            if (!fits(frame.task, position)) continue;
            atomicAdd(frame.task.kept.hits + position, 1);
            if (owner == i) write_without_hits(frame.task, position, mine.box, mine.score, mine.index);
        } else {
            atomicAdd(scratch.hits + owner, 1U);
        }
    }
}

__global__ void __launch_bounds__(kThreads)
    compact_kernel(const __grid_constant__ MatrixFrames frames, std::uint32_t min_hits) {
    __shared__ KeptWords kept;
    start_kernel();
    const MatrixTask frame = frame_of_block(frames);
    const MatrixScratch& scratch = frame.scratch;
    const std::uint32_t n = stored_count(frame.task.raw);
    const std::uint32_t lane = threadIdx.x % kTile;
    for (std::uint32_t t = threadIdx.x / kTile; t < kMaxTiles; t += kThreads / kTile) {
        const std::uint32_t i = t * kTile + lane;
        const std::uint32_t written = __ballot_sync(kWholeWarp, i < n && scratch.hits[i] >= min_hits);
        if (lane == 0) kept.dropped[t] = ~written;
    }
    __syncthreads();
    const std::uint32_t total = kept.count();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *frame.task.kept.count = DetectionCount{total, n > 0 ? *scratch.invalid : 0};
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        if (has_bit(kept.dropped, i)) continue;
        const std::uint32_t position = kept.position(i);
        if (!fits(frame.task, position)) continue;
        frame.task.kept.hits[position] = static_cast<std::int32_t>(scratch.hits[i]);
        const Candidate mine = load_ranked(scratch, i);
        write_without_hits(frame.task, position, mine.box, mine.score, mine.index);
    }
}

// The arrays of a frame in its memory, in order. visit(array, bytes of it).
template <class Visit>
void for_each_array(MatrixScratch& s, std::int32_t capacity, Visit&& visit) {
    const auto n = static_cast<std::size_t>(capacity > 0 ? capacity : 1);
    const std::size_t words = tiles_of(static_cast<std::uint32_t>(n)) * sizeof(std::uint32_t);
    visit(s.boxes, n * sizeof(Box));
    visit(s.scores, n * sizeof(float));
    visit(s.source, n * sizeof(std::uint32_t));
    visit(s.hits, n * sizeof(std::uint32_t));
    visit(s.matrix, row_start(static_cast<std::uint32_t>(n)) * sizeof(std::uint32_t));
    visit(s.dropped, words);
    visit(s.sure, words);
    visit(s.invalid, sizeof(std::uint32_t));
}

}  // namespace
}  // namespace matrix

void launch_matrix_reduce(const DeviceInfo& device, const MatrixFrames& frames, std::int32_t expected,
                          const NmsRuleSet& rules, StreamView stream) {
    using namespace matrix;
    const LaunchChain chain(device, stream);
    const unsigned blocks = tiles_of(static_cast<std::uint32_t>(expected));
    const LaunchSize rows = launch_size(blocks, frames, kThreads);
    if (rules.rule == NmsRule::greedy) {
        if (expected > kFewForOneRound) chain.launch("first_round_kernel", first_round_kernel, rows, frames);
        chain.launch("resolve_kernel", resolve_kernel, launch_size(1, frames, kResolveThreads), frames);
    }
    if (rules.min_hits <= 1) {
        chain.launch("write_kernel", write_kernel<true>, rows, frames);
        return;
    }
    chain.launch("write_kernel", write_kernel<false>, rows, frames);
    chain.launch("compact_kernel", compact_kernel, launch_size((blocks + 7) / 8, frames, kThreads), frames,
                 static_cast<std::uint32_t>(rules.min_hits));
}

std::size_t matrix_scratch_bytes(std::int32_t capacity) {
    MatrixScratch unused;
    std::size_t bytes = 0;
    matrix::for_each_array(unused, capacity, [&](auto*&, std::size_t size) { bytes += (size + 255) / 256 * 256; });
    return bytes;
}

MatrixScratch lay_out_matrix_scratch(std::byte* d_memory, std::int32_t capacity) {
    MatrixScratch scratch;
    matrix::for_each_array(scratch, capacity, [&]<class T>(T*& array, std::size_t size) {
        array = reinterpret_cast<T*>(d_memory);
        d_memory += (size + 255) / 256 * 256;
    });
    return scratch;
}

}  // namespace throng::gpu
