#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/nms/pair_test.cuh"
#include "gpu/nms/small_nms.h"

// Three kernels:
//   rank:   a warp a detection counts those that precede it, among the keys of all, which each block makes for itself;
//           the valid ones are stored by rank.
//   decide: a warp takes a detection i and looks at those before it, from the best down, for one that suppresses it.
//           Greedy needs to know whether that one is kept: its warp tells as soon as it knows, and i waits for that
//           alone. The first detection waits for nobody, and all blocks run at once, so all get an answer. One-pass
//           decides without waiting, and waits only to learn whose hit i is.
//   write:  each kept one counts those before it.
namespace throng::gpu {
namespace {

constexpr int kRankThreads = 1024;
constexpr int kDecideThreads = 1024;
constexpr std::uint32_t kDecideItems = kDecideThreads / 32;  // detections a block has at a time, a warp each
constexpr std::uint32_t kRun = 8;                            // consecutive ranks that a block takes at a time
constexpr std::uint32_t kNoRank = 0xFFFFFFFCU;
constexpr int kWriteThreads = 1024;
constexpr int kAhead = 4;  // warps' worth of pairs that are looked at together, to hide latencies
constexpr std::uint32_t kWholeWarp = 0xFFFFFFFFU;

enum State : std::uint32_t { undecided = 0, kept = 1, suppressed = 2 };

// The next kernel of the stream may start its blocks early; it waits here for the results of this one.
__device__ __forceinline__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}
__device__ __forceinline__ void let_next_start() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__device__ void rank(const NmsTask& task, const SmallNmsScratch& scratch, std::uint32_t capacity) {
    __shared__ __align__(16) std::uint32_t keys[kSmallNmsLimit];
    const DetectionSpan& raw = task.raw;
    const std::uint32_t limit = min(capacity, static_cast<std::uint32_t>(raw.capacity));
    constexpr int kEach = kSmallNmsLimit / kRankThreads;

    // Loads that need not know the count go first.
    std::uint32_t key[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const std::uint32_t i = k * kRankThreads + threadIdx.x;
        key[k] = 0;
        if (i >= limit) continue;
        const Box box = load_box(raw.boxes, i);
        const float score = raw.scores[i];
        if (is_valid_detection(box, score)) key[k] = score_key(score);
    }
    const std::uint32_t n = stored_count(raw);
    if (n > capacity) return;
    int valid = 0;
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const std::uint32_t i = k * kRankThreads + threadIdx.x;
        if (i >= n) key[k] = 0;
        keys[i] = key[k];
        if (static_cast<std::uint32_t>(k * kRankThreads) < n) valid += __syncthreads_count(key[k] != 0 ? 1 : 0);
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        scratch.header->valid = static_cast<std::uint32_t>(valid);
        scratch.header->invalid = n - static_cast<std::uint32_t>(valid);
    }

    const std::uint32_t lane = threadIdx.x & 31;
    const auto* four = reinterpret_cast<const uint4*>(keys);
    const std::uint32_t rounds = (n + 127) / 128;
    for (std::uint32_t i = threadIdx.x / 32 * gridDim.x + blockIdx.x; i < n; i += kRankThreads / 32 * gridDim.x) {
        const std::uint32_t mine = keys[i];
        if (mine == 0) {
            if (lane == 0 && task.owner != nullptr) task.owner[i] = -1;
            continue;
        }
        std::uint32_t above = 0;
        std::uint32_t equal = 0;
        for (std::uint32_t r = 0; r < rounds; ++r) {
            const uint4 v = four[r * 32 + lane];
            above += (v.x > mine) + (v.y > mine) + (v.z > mine) + (v.w > mine);
            equal += (v.x == mine) + (v.y == mine) + (v.z == mine) + (v.w == mine);
        }
        above = warp_sum(above);
        equal = warp_sum(equal);
        const Box box = load_box(raw.boxes, i);
        const float score = raw.scores[i];
        if (equal > 1) {
            std::uint32_t before = 0;
            for (std::uint32_t j = lane; j < n; j += 32) {
                if (keys[j] == mine && j != i && throng::precedes(load_box(raw.boxes, j), score, j, box, score, i))
                    ++before;
            }
            above += warp_sum(before);
        }
        if (lane == 0) {
            store_box(scratch.boxes, above, box);
            scratch.scores[above] = score;
            scratch.index[above] = i;
            scratch.hits[above] = 1;
            scratch.state[above] = undecided;
        }
    }
}

// Step for detection i, by a warp. boxes: all that come before it, and its own; run_states: what is known of the run of
// ranks that its block has at this time, tagged with the rank, in shared memory: chains mostly lead from rank to rank.
template <PairPath path>
__device__ void decide_one(const NmsTask& task, const SmallNmsScratch& scratch, const NmsRuleSet& rules,
                           const Box* boxes, std::uint32_t* run_states, std::uint32_t i) {
    const std::uint32_t lane = threadIdx.x & 31;
    const bool with_score = path == PairPath::any || rules.ties == Ties::strict;
    const Candidate mine{boxes[i], with_score ? scratch.scores[i] : 0.0F, with_score ? scratch.index[i] : 0};
    const float area = box_area(mine.box, rules.extent);
    const bool quick = path == PairPath::plain && rules.ties == Ties::total && rules.theta > 1e-30F;
    const bool greedy = rules.rule == NmsRule::greedy;
    volatile std::uint32_t* states = scratch.state;
    const auto state_of = [&](std::uint32_t j) -> std::uint32_t {
        if (j >= i / kRun * kRun) {
            const std::uint32_t seen = atomicOr(run_states + j % kRun, 0U);
            if (seen / 4 == j) return seen % 4;
        }
        return states[j];  // not of this run, not yet told, or its warp is at a later one
    };
    bool told = false;
    std::int32_t owner = -1;
    const auto tell = [&](State state) {
        if (lane == 0) {
            atomicExch(run_states + i % kRun, i * 4 + state);
            states[i] = state;
        }
        told = true;
    };
    for (std::uint32_t base = 0; base < i && owner < 0; base += 32 * kAhead) {
        // Bit k for the k-th test of this lane. Without a branch, so that the tests overlap: nearly all are decided by
        // a product (see reaches()).
        std::uint32_t hit = 0;
        std::uint32_t unsure = 0;
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            const std::uint32_t j = base + k * 32 + lane;
            const Box box = boxes[min(j, i)];
            const float intersection = intersection_area(mine.box, box, rules.extent);
            const float limit =
                rules.theta * overlap_base(rules.overlap, intersection, area, box_area(box, rules.extent));
            const bool clear = quick && limit > 1e-30F && limit < 1e30F;
            const bool above = intersection > limit * 1.000001F;
            const bool below = intersection < limit * 0.999999F;
            hit |= (j < i && clear && above ? 1U : 0U) << k;
            unsure |= (j < i && (rules.disjoint || intersection > 0.0F) && !(clear && (above || below)) ? 1U : 0U) << k;
        }
        if (__any_sync(kWholeWarp, unsure != 0)) {
            for (; unsure != 0; unsure &= unsure - 1) {
                const int k = __ffs(unsure) - 1;
                const std::uint32_t j = base + k * 32 + lane;
                const Candidate other{boxes[j], with_score ? scratch.scores[j] : 1.0F,
                                      with_score ? scratch.index[j] : 0};
                if (suppresses<path>(rules, task.raw, mine, other)) hit |= 1U << k;
            }
            __syncwarp();
        }
        if (!__any_sync(kWholeWarp, hit != 0)) continue;
        if (!greedy && !told) tell(suppressed);
#pragma unroll 1
        for (int k = 0; k < kAhead && owner < 0; ++k) {
            const bool mine_hit = (hit >> k & 1U) != 0;
            if (!__any_sync(kWholeWarp, mine_hit)) continue;
            const std::uint32_t j = base + k * 32 + lane;
            while (true) {
                const std::uint32_t now = mine_hit ? state_of(j) : static_cast<std::uint32_t>(suppressed);
                const std::uint32_t is_kept = __ballot_sync(kWholeWarp, now == kept);
                const std::uint32_t waiting = __ballot_sync(kWholeWarp, now == undecided);
                if (is_kept != 0 && !told) tell(suppressed);
                // The owner is the first kept one: known once nobody before it is undecided.
                if (is_kept != 0 && (waiting == 0 || __ffs(is_kept) < __ffs(waiting))) {
                    owner = static_cast<std::int32_t>(base + k * 32) + __ffs(is_kept) - 1;
                    break;
                }
                if (waiting == 0) break;
            }
        }
    }
    if (!told) {
        tell(kept);
        told = false;
    }
    if (lane != 0) return;
    if (owner >= 0) atomicAdd(&scratch.hits[owner], 1U);
    if (task.owner != nullptr) {
        const auto self = static_cast<std::int32_t>(scratch.index[i]);
        task.owner[self] = owner >= 0 ? static_cast<std::int32_t>(scratch.index[owner]) : told ? -1 : self;
    }
}

// A warp takes one detection after the other, upwards. The blocks take runs of kRun ranks in turn, so that all have as
// much to do: the later a detection comes, the more there are before it.
template <PairPath path>
__device__ void decide(const NmsTask& task, const SmallNmsScratch& scratch, const NmsRuleSet& rules,
                       std::uint32_t capacity) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ std::uint32_t run_states[kDecideItems];
    Box* boxes = reinterpret_cast<Box*>(memory);
    const std::uint32_t valid = scratch.header->valid;
    if (stored_count(task.raw) > capacity || blockIdx.x * kRun >= valid) return;
    for (std::uint32_t j = threadIdx.x; j < valid; j += kDecideThreads) store_box(boxes, j, load_box(scratch.boxes, j));
    if (threadIdx.x < kDecideItems) run_states[threadIdx.x] = kNoRank;
    __syncthreads();

    const std::uint32_t warp = threadIdx.x / 32;
    const std::uint32_t run = warp / kRun;
    for (std::uint32_t round = 0;; ++round) {
        const std::uint32_t i = ((round * (kDecideItems / kRun) + run) * gridDim.x + blockIdx.x) * kRun + warp % kRun;
        if (i >= valid) return;
        decide_one<path>(task, scratch, rules, boxes, run_states + run * kRun, i);
        __syncwarp();
    }
}

__device__ void write(const NmsTask& task, const SmallNmsScratch& scratch, std::int32_t min_hits,
                      std::uint32_t capacity) {
    if (stored_count(task.raw) > capacity) return;
    const std::uint32_t valid = scratch.header->valid;
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    const auto stays = [&](std::uint32_t i) {
        return scratch.state[i] == kept && (min_hits <= 1 || static_cast<std::int32_t>(scratch.hits[i]) >= min_hits);
    };
    // The last block has the total.
    const bool last = blockIdx.x == gridDim.x - 1;
    const std::uint32_t first = blockIdx.x * kWriteThreads;
    if (first >= valid && !last) return;
    std::uint32_t earlier = 0;
    for (std::uint32_t i = threadIdx.x; i < min(first, valid); i += kWriteThreads) earlier += stays(i) ? 1 : 0;
    const std::uint32_t i = first + threadIdx.x;
    const bool mine = i < valid && stays(i);
    const std::uint32_t votes = __ballot_sync(kWholeWarp, mine);
    earlier = warp_sum(earlier);
    __shared__ std::uint32_t earlier_sums[32];
    __shared__ std::uint32_t own_sums[32];
    if (lane == 0) {
        earlier_sums[warp] = earlier;
        own_sums[warp] = __popc(votes);
    }
    __syncthreads();
    const std::uint32_t before = warp_sum(earlier_sums[lane]);
    const std::uint32_t own = own_sums[lane];
    const std::uint32_t ahead = warp_sum(lane < warp ? own : 0);
    if (mine) {
        write_kept(task, before + ahead + __popc(votes & ((1U << lane) - 1)), load_box(scratch.boxes, i),
                   scratch.scores[i], static_cast<std::int32_t>(scratch.hits[i]), scratch.index[i]);
    }
    const std::uint32_t total = before + warp_sum(own);
    if (last && threadIdx.x == 0) *task.kept.count = DetectionCount{total, scratch.header->invalid};
}

__global__ void __launch_bounds__(kRankThreads)
    rank_kernel(const __grid_constant__ SmallNmsTask one, const SmallNmsTask* d_tasks, std::uint32_t capacity) {
    let_next_start();
    if (d_tasks == nullptr) {
        rank(one.task, one.scratch, capacity);
    } else {
        rank(d_tasks[blockIdx.y].task, d_tasks[blockIdx.y].scratch, capacity);
    }
}

template <PairPath path>
__global__ void __launch_bounds__(kDecideThreads)
    decide_kernel(const __grid_constant__ SmallNmsTask one, const SmallNmsTask* d_tasks,
                  const __grid_constant__ NmsRuleSet rules, std::uint32_t capacity) {
    wait_for_previous();
    let_next_start();
    if (d_tasks == nullptr) {
        decide<path>(one.task, one.scratch, rules, capacity);
    } else {
        decide<path>(d_tasks[blockIdx.y].task, d_tasks[blockIdx.y].scratch, rules, capacity);
    }
}

__global__ void __launch_bounds__(kWriteThreads)
    write_kernel(const __grid_constant__ SmallNmsTask one, const SmallNmsTask* d_tasks, std::int32_t min_hits,
                 std::uint32_t capacity) {
    wait_for_previous();
    if (d_tasks == nullptr) {
        write(one.task, one.scratch, min_hits, capacity);
    } else {
        write(d_tasks[blockIdx.y].task, d_tasks[blockIdx.y].scratch, min_hits, capacity);
    }
}

unsigned blocks_for(std::int32_t items, int each) {
    return static_cast<unsigned>(std::max((items + each - 1) / each, 1));
}

struct Launch {
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute attribute{};

    // starts_early: its blocks may start while the kernel before still runs, and wait in wait_for_previous().
    Launch(unsigned blocks, std::int32_t frames, int threads, bool starts_early, const DeviceInfo& device,
           StreamView stream) {
        config.gridDim = dim3(blocks, static_cast<unsigned>(frames));
        config.blockDim = dim3(static_cast<unsigned>(threads));
        config.stream = stream;
        if (starts_early && device.major >= 9) {
            attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attribute.val.programmaticStreamSerializationAllowed = 1;
            config.attrs = &attribute;
            config.numAttrs = 1;
        }
    }
};

void launch(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask& one, const SmallNmsTask* d_tasks,
            std::int32_t frames, std::int32_t capacity, const NmsRuleSet& rules, StreamView stream) {
    const auto most = static_cast<std::uint32_t>(capacity);
    switch (part) {
        case SmallNmsPart::order: {
            // Each block reads all detections: no more blocks than fill the device.
            const unsigned fill = std::max(
                1U, static_cast<unsigned>(device.multiprocessors * (frames > 1 ? 2 : 1) / std::max(frames, 1)));
            const Launch l(std::min(fill, blocks_for(capacity, 8)), frames, kRankThreads, false, device, stream);
            check_cuda(cudaLaunchKernelEx(&l.config, rank_kernel, one, d_tasks, most), "rank_kernel");
            check_launch("rank_kernel", stream);
            return;
        }
        case SmallNmsPart::map: {
            // Blocks of a frame wait for each other, so all must run at once: one a multiprocessor and a cooperative
            // launch, or a single one for each of many frames.
            const unsigned share = std::max(1U, static_cast<unsigned>(device.multiprocessors / std::max(frames, 1)));
            Launch l(std::min(share, blocks_for(capacity, kRun)), frames, kDecideThreads, false, device, stream);
            l.config.dynamicSmemBytes = static_cast<std::size_t>(capacity) * sizeof(Box);
            if (share > 1) {
                l.attribute.id = cudaLaunchAttributeCooperative;
                l.attribute.val.cooperative = 1;
                l.config.attrs = &l.attribute;
                l.config.numAttrs = 1;
            }
            auto* kernel =
                pair_path(rules) == PairPath::plain ? &decide_kernel<PairPath::plain> : &decide_kernel<PairPath::any>;
            check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(l.config.dynamicSmemBytes)),
                       "decide_kernel: shared memory");
            check_cuda(cudaLaunchKernelEx(&l.config, kernel, one, d_tasks, rules, most), "decide_kernel");
            check_launch("decide_kernel", stream);
            return;
        }
        case SmallNmsPart::reduce: {
            const Launch l(blocks_for(capacity, kWriteThreads), frames, kWriteThreads, true, device, stream);
            check_cuda(cudaLaunchKernelEx(&l.config, write_kernel, one, d_tasks, rules.min_hits, most), "write_kernel");
            check_launch("write_kernel", stream);
            return;
        }
    }
}

}  // namespace

std::size_t small_nms_bytes(std::int32_t capacity) {
    const auto n = static_cast<std::size_t>(capacity);
    return (sizeof(SmallNmsHeader) + n * (sizeof(Box) + 4 * sizeof(std::uint32_t)) + 255) / 256 * 256;
}

SmallNmsScratch lay_out_small_nms(std::byte* d_memory, std::int32_t capacity) {
    const auto n = static_cast<std::size_t>(capacity);
    SmallNmsScratch s;
    s.header = reinterpret_cast<SmallNmsHeader*>(d_memory);
    s.boxes = reinterpret_cast<Box*>(s.header + 1);
    s.scores = reinterpret_cast<float*>(s.boxes + n);
    s.index = reinterpret_cast<std::uint32_t*>(s.scores + n);
    s.hits = s.index + n;
    s.state = s.hits + n;
    return s;
}

void launch_small_nms(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask& task, std::int32_t capacity,
                      const NmsRuleSet& rules, StreamView stream) {
    launch(part, device, task, nullptr, 1, capacity, rules, stream);
}

void launch_small_nms_batch(SmallNmsPart part, const DeviceInfo& device, const SmallNmsTask* d_tasks,
                            std::int32_t frames, std::int32_t capacity, const NmsRuleSet& rules, StreamView stream) {
    launch(part, device, SmallNmsTask{}, d_tasks, frames, capacity, rules, stream);
}

}  // namespace throng::gpu
