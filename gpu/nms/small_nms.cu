#include "gpu/nms/small_nms.h"

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/nms/chained.h"
#include "gpu/nms/small_frame.cuh"

// No detection is sorted. One launch; the blocks of a frame tell each other once for one-pass what they found, and
// mostly twice for greedy:
//   find:    each block tests the pairs of its tile of the triangle of all pairs and tells who is suppressed by
//            anybody. Those who are not are kept, by one-pass and by greedy, and every block puts them into its shared
//            memory.
//   settle:  greedy only. Each block looks which of its share of detections a kept one suppresses, and tells. What is
//            left, about a tenth, every block decides for itself: a matrix of bits, in rounds. Where more is left, the
//            blocks repeat find and settle among those; and where that does not help, one block decides them in turn.
//   finish:  for each of its share, a block finds the first kept one that suppresses it, and the rank of that one among
//            the kept, which is its place in the output: hits are counted there, and the kept ones written.
namespace throng::gpu {
namespace {

using namespace small;

__device__ __forceinline__ void run_frame(const NmsTask& task, const SmallNmsScratch& scratch, const NmsRuleSet& rules,
                                          const Shape& shape) {
    extern __shared__ __align__(16) unsigned char memory[];
    constexpr std::uint32_t kWords = kBitWords + SmallNmsBoard::kRows;  // rows of tiles may reach further
    __shared__ std::uint32_t words[4 * kWords];
    __shared__ std::uint32_t counters[5];
    __shared__ std::uint32_t queues[kWarps * kQueue];
    const DetectionSpan& raw = task.raw;

    wait_for_previous();
    if (shape.early) let_next_start();
    // Loads that need not know the count go first, as if the buffer were full.
    Loaded guess{};
    {
        const Job job(blockIdx.x, shape.guess);
        const std::uint32_t i = job.index(threadIdx.x, shape.guess);
        if (threadIdx.x < shape.guess.tile * job.tiles && i < static_cast<std::uint32_t>(raw.capacity))
            guess = Source{reinterpret_cast<const float4*>(raw.boxes), raw.scores}.load(i);
    }
    const std::uint32_t tag = scratch.board->tag;
    for (std::uint32_t w = threadIdx.x; w < 3 * kWords; w += kThreads) words[w] = 0;
    if (threadIdx.x < 5) counters[threadIdx.x] = 0;
    const std::uint32_t n = stored_count(raw);
    if (n > shape.capacity) return;
    if (n == 0) {
        if (blockIdx.x == 0 && threadIdx.x == 0) *task.kept.count = DetectionCount{0, 0};
        return;
    }
    const bool guessed = n >= shape.guess_from;
    const Tiling tiling = guessed ? shape.guess : Tiling::of(n, shape.most_rows);
    const std::uint32_t blocks = min(gridDim.x, tiling.jobs);
    if (blockIdx.x >= blocks) return;
    const bool through_board = blocks > 1 || shape.part != SmallNmsPart::all;
    const bool few = rules.min_hits > 1;
    const Places places{few ? scratch.hits : task.kept.hits, few ? scratch.source : task.kept.source,
                        few ? shape.capacity : static_cast<std::uint32_t>(task.kept.capacity), !few};
    Frame frame{task,
                scratch,
                shape,
                PairRules{rules, raw, shape.plan},
                n,
                Team{blocks, blockIdx.x, scratch.board, tag + 1},
                Entries::in(memory, shape.room),
                reinterpret_cast<std::uint32_t*>(memory + std::size_t{shape.room} * Entries::kBytes),
                Bits{words},
                Bits{words + kWords},
                Bits{words + 2 * kWords},
                counters,
                queues,
                Source{reinterpret_cast<const float4*>(raw.boxes), raw.scores},
                (n + 31) / 32 <= blocks ? kThreads / 32 : 4U};
    Team& team = frame.team;
    const bool last_warp = threadIdx.x >= kThreads - 32;
    __syncthreads();
    if (has(shape.part, SmallNmsPart::map)) {
        for (std::uint32_t j = team.rank; j < tiling.jobs; j += blocks) {
            const Job job(j, tiling);
            if (j != team.rank) {
                __syncthreads();
                frame.fresh.clear();
                if (threadIdx.x == 0) counters[1] = 0;
                __syncthreads();
            }
            frame.stage(job, tiling, guessed && j == team.rank, guess);
            __syncthreads();
            if (last_warp && j == team.rank) {
                // What is written here is seen by whoever sees this warp's slots.
                for (std::uint32_t p = blockIdx.x * 32 + (threadIdx.x & 31); p < min(n, places.room); p += blocks * 32)
                    places.hits[p] = 0;
                __syncwarp();
                if (through_board) __threadfence();
            }
            const PairRange range{0, job.diagonal ? 0 : tiling.tile, tiling.tile, job.diagonal ? job.tiles : 1,
                                  job.diagonal};
            for_each_suppression(
                frame.pairs, frame.entries, queues, range,
                [&](std::uint32_t group, std::uint32_t first) {
                    return tiling.tile < 128 ? 0 : frame.both_suppressed(group, first);
                },
                [&](std::uint32_t i, std::uint32_t) { frame.fresh.set(i); });
            __syncthreads();
            if (last_warp) frame.tell_suppressed(job, tiling, through_board);
        }
    }
    if (!has(shape.part, SmallNmsPart::reduce)) return;

    if (n <= shape.copied) {
        // On their way while the other blocks finish.
        auto* boxes = reinterpret_cast<float4*>(memory + shape.copy_at);
        auto* scores = reinterpret_cast<float*>(boxes + shape.copied);
#pragma unroll 1
        for (std::uint32_t i = threadIdx.x; i < n; i += kThreads) {
            __pipeline_memcpy_async(boxes + i, frame.source.boxes + i, sizeof(float4));
            __pipeline_memcpy_async(scores + i, frame.source.scores + i, sizeof(float));
        }
        __pipeline_commit();
        frame.source = Source{boxes, scores};
    }
    if (through_board) {
        // A thread has a word, and each fourth of the rows that saw it.
        const std::uint32_t row_words = tiling.rows * tiling.tile / 32;
        constexpr std::uint32_t kEach = 128;
        constexpr std::uint32_t kStep = kThreads / kEach;
#pragma unroll 1
        for (std::uint32_t w = threadIdx.x % kEach; w < row_words; w += kEach) {
            std::uint64_t seen[SmallNmsBoard::kRows / kStep];
#pragma unroll
            for (std::uint32_t k = 0; k < SmallNmsBoard::kRows / kStep; ++k) {
                const std::uint32_t witness = threadIdx.x / kEach + k * kStep;
                if (witness < tiling.rows) seen[k] = team.peek(witness * row_words + w);
            }
            std::uint32_t word = 0;
#pragma unroll
            for (std::uint32_t k = 0; k < SmallNmsBoard::kRows / kStep; ++k) {
                const std::uint32_t witness = threadIdx.x / kEach + k * kStep;
                if (witness < tiling.rows) word |= team.read(witness * row_words + w, seen[k]);
            }
            if (word != 0) atomicOr(frame.suppressed.words + w, word);
        }
        if (blockIdx.x == 0 && threadIdx.x < (tiling.rows + 1) / 2)
            atomicAdd(counters + 2, team.read(SmallNmsBoard::kSlots - 1 - threadIdx.x));
    }
    __pipeline_wait_prior(0);
    __syncthreads();
    ++team.tag;
    frame.fresh.clear();
    if (shape.part == SmallNmsPart::reduce) team.meet();  // the last to read the tag comes here
    std::uint32_t kept = frame.gather(0, frame.suppressed, kWholeWarp);
    if (rules.rule == NmsRule::greedy) kept = frame.settle(kept);
    frame.finish(kept, places);
    if (few) {
        team.meet();
        if (blockIdx.x == 0) kept = frame.drop_few_hits(kept, places);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *task.kept.count = DetectionCount{kept, counters[through_board ? 2 : 1]};
        scratch.board->tag = team.tag - 1;
    }
}

__global__ void __launch_bounds__(kThreads, 1)
    small_nms_kernel(const __grid_constant__ SmallNmsTask task, const __grid_constant__ NmsRuleSet rules,
                     const __grid_constant__ Shape shape) {
    run_frame(task.task, task.scratch, rules, shape);
}

__global__ void __launch_bounds__(kThreads, 1)
    small_nms_batch_kernel(const SmallNmsTask* d_tasks, const __grid_constant__ NmsRuleSet rules,
                           const __grid_constant__ Shape shape) {
    __shared__ SmallNmsTask task;
    constexpr std::uint32_t kWords = sizeof(SmallNmsTask) / sizeof(std::uint32_t);
    if (threadIdx.x < kWords) {
        reinterpret_cast<std::uint32_t*>(&task)[threadIdx.x] =
            reinterpret_cast<const std::uint32_t*>(d_tasks + blockIdx.y)[threadIdx.x];
    }
    __syncthreads();
    run_frame(task.task, task.scratch, rules, shape);
}

std::size_t entry_bytes(std::int32_t capacity) {
    // Two tiles, of whole warps each, may be longer than all detections.
    return (static_cast<std::size_t>(capacity) + 63) / 32 * 32 * Entries::kBytes;
}

constexpr std::size_t kStaticBytes = 16384;  // of shared memory, at most; the driver's part included

// How a call is launched for so many frames of a capacity.
struct Launch {
    Shape shape{};
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute attributes[2]{};

    Launch(SmallNmsPart part, const DeviceInfo& device, std::int32_t frames, std::int32_t capacity,
           const NmsRuleSet& rules, bool extras, bool early, StreamView stream) {
        shape.capacity = static_cast<std::uint32_t>(capacity);
        shape.room = static_cast<std::uint32_t>(entry_bytes(capacity) / Entries::kBytes);
        shape.part = part;
        shape.plan = make_pair_plan(rules);
        shape.extras = extras;
        // Rows of bits for as many as may be left, within what memory there is.
        const std::size_t most = device.shared_memory - kStaticBytes;
        std::size_t bytes = entry_bytes(capacity);
        std::uint32_t rows = std::min(kThreads, (shape.capacity + 31) / 32 * 32);
        while (bytes + rows * rows / 8 > most) rows -= 32;
        shape.matrix_rows = rows;
        bytes += rows * rows / 8;
        shape.copy_at = static_cast<std::uint32_t>(bytes);
        const std::size_t copy_bytes = shape.capacity * (sizeof(float4) + sizeof(float));
        if (shape.capacity > 32 && shape.capacity <= kCopied && bytes + copy_bytes <= most) {
            shape.copied = shape.capacity;
            bytes += copy_bytes;
        }
        // The blocks of a frame wait for each other, so all must run at once: at most one a multiprocessor, as many as
        // a triangle of tiles has jobs.
        const int share = device.multiprocessors / std::max(frames, 1);
        const auto jobs = [](std::uint32_t rows) { return rows * (rows - 1) / 2 + (rows + 1) / 2; };
        shape.most_rows = 1;
        while (shape.most_rows < SmallNmsBoard::kRows && static_cast<int>(jobs(shape.most_rows + 1)) <= share)
            ++shape.most_rows;
        shape.guess = Tiling::of(shape.capacity, shape.most_rows);
        shape.guess_from = shape.capacity;
        while (shape.guess_from > 1 && Tiling::of(shape.guess_from - 1, shape.most_rows).tile == shape.guess.tile &&
               Tiling::of(shape.guess_from - 1, shape.most_rows).rows == shape.guess.rows)
            --shape.guess_from;
        const bool full = shape.capacity > shape.most_rows * SmallNmsBoard::kTile && shape.most_rows > 1;
        const std::uint32_t blocks = full ? jobs(shape.most_rows) : shape.guess.jobs;
        config.gridDim = dim3(blocks, static_cast<unsigned>(frames));
        config.blockDim = dim3(kThreads);
        config.dynamicSmemBytes = bytes;
        config.stream = stream;
        config.attrs = attributes;
        if (blocks > 1) {
            cudaLaunchAttribute& together = attributes[config.numAttrs++];
            together.id = cudaLaunchAttributeCooperative;
            together.val.cooperative = 1;
        }
        shape.early = early && device.major >= 9;
        if (shape.early) attributes[config.numAttrs++] = LaunchChain::early_start();
    }

    template <typename Kernel, typename... Arguments>
    void run(const char* name, Kernel* kernel, Arguments... arguments) const {
        check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(config.dynamicSmemBytes)),
                   name);
        check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), name);
        check_launch(name, config.stream);
    }
};

}  // namespace

std::int32_t small_nms_limit(const DeviceInfo& device) {
    std::int32_t limit = kSmallNmsLimit;
    // A third as much again for the matrix of bits, or nearly all is decided in turn.
    while (limit > 512 && entry_bytes(limit) * 4 / 3 + kStaticBytes > device.shared_memory) limit /= 2;
    return limit;
}

std::size_t small_nms_bytes(std::int32_t capacity) {
    const auto n = static_cast<std::size_t>(capacity);
    return (sizeof(SmallNmsBoard) + n * 3 * sizeof(std::uint32_t) + 255) / 256 * 256;
}

SmallNmsScratch lay_out_small_nms(std::byte* d_memory, std::int32_t capacity) {
    const auto n = static_cast<std::size_t>(capacity);
    SmallNmsScratch s;
    s.board = reinterpret_cast<SmallNmsBoard*>(d_memory);
    s.order = reinterpret_cast<std::uint32_t*>(s.board + 1);
    s.hits = reinterpret_cast<std::int32_t*>(s.order + n);
    s.source = s.hits + n;
    return s;
}

void launch_small_nms(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                      const NmsRuleSet& rules, bool early, StreamView stream) {
    const Launch launch(part, device, 1, capacity, rules, has_extras(task.task.kept), early, stream);
    launch.run("small_nms_kernel", &small_nms_kernel, task, rules, launch.shape);
}

void launch_small_nms_batch(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask* d_tasks,
                            std::int32_t frames, std::int32_t capacity, const NmsRuleSet& rules, StreamView stream) {
    const Launch launch(part, device, frames, capacity, rules, true, false, stream);
    launch.run("small_nms_batch_kernel", &small_nms_batch_kernel, d_tasks, rules, launch.shape);
}

}  // namespace throng::gpu
