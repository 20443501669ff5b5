#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>

#include "gpu/nms/box_grid.cuh"
#include "gpu/nms/cluster.cuh"
#include "gpu/nms/pair_test.cuh"
#include "gpu/nms/small_nms.h"

// One launch, one cluster of blocks a frame, five steps parted by four barriers of the cluster:
//   1. each block takes a slice of the raw detections, drops what is invalid and sorts the rest among themselves;
//   2. each block finds the rank of its detections in the whole by binary search in the others' slices, and stores them
//      by rank in device memory;
//   3. each warp takes a detection i and looks at those before it, 32 at a time from the best down, for one that suppresses
//      it. Greedy needs to know whether that one is kept: its warp tells all blocks as soon as it knows, and i waits for
//      that alone. The first detection waits for nobody, so all get an answer. One-pass decides without waiting, and
//      waits only to learn whose hit i is;
//   4. hits are counted; 5. the kept ones are written in order.
namespace throng::gpu {
namespace {

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;
constexpr int kMaxCluster = 16;
constexpr std::int32_t kCapacity = 4096;

// Blocks a frame, by its capacity; TH_NMS_CLUSTER overrides for measurements.
std::int32_t cluster_for(std::int32_t capacity) {
    if (const char* forced = std::getenv("TH_NMS_CLUSTER")) return std::clamp(std::atoi(forced), 1, kMaxCluster);
    return capacity <= 256 ? 8 : 16;
}

// What is known of a detection; bytes that other blocks write while we look.
enum State : std::uint8_t { undecided = 0, kept = 1, suppressed = 2 };

constexpr std::uint32_t kWholeWarp = 0xFFFFFFFFU;

__host__ __device__ constexpr std::uint32_t round_up(std::uint32_t value, std::uint32_t step) {
    return (value + step - 1) / step * step;
}

// The most detections that a block takes of a frame.
__host__ __device__ constexpr std::uint32_t slice_for(std::uint32_t capacity, std::uint32_t blocks) {
    return round_up(capacity, 32 * blocks) / blocks;
}

// The shared memory of a block. Sizes depend on the capacity of the launch; all = slices * slice.
struct Shared {
    Box* boxes;             // [all] by rank
    std::uint32_t* keys;    // [all] the sorted slice of each block
    std::uint32_t* index;   // [all] raw indices beside keys
    std::uint32_t* own;     // [slice] this block's keys as they were read
    std::uint32_t* rank;    // [slice]
    std::uint32_t* invalid; // [kMaxCluster] by block
    std::uint32_t* partial; // [kWarps] sums of the scan
    std::uint8_t* state;    // [all] by rank

    __host__ __device__ static constexpr std::size_t bytes(std::uint32_t slices, std::uint32_t slice) {
        const std::size_t all = std::size_t{slices} * slice;
        return all * (sizeof(Box) + 4 + 4 + 1) + slice * std::size_t{4 + 4} + (kMaxCluster + kWarps) * std::size_t{4};
    }

    __device__ Shared(unsigned char* base, std::uint32_t slices, std::uint32_t slice) {
        const std::uint32_t all = slices * slice;
        boxes = reinterpret_cast<Box*>(base);
        keys = reinterpret_cast<std::uint32_t*>(boxes + all);
        index = keys + all;
        own = index + all;
        rank = own + slice;
        invalid = rank + slice;
        partial = invalid + kMaxCluster;
        state = reinterpret_cast<std::uint8_t*>(partial + kWarps);
    }
};

// The blocks take 32 raw detections each in turn: which ones does not depend on the count, so that the first loads need
// not wait for it.
struct Slice {
    std::uint32_t block, blocks;

    __device__ std::uint32_t raw_index(std::uint32_t t) const { return (t / 32 * blocks + block) * 32 + (t & 31); }
    // How many of n detections are those of block b.
    __device__ std::uint32_t count(std::uint32_t b, std::uint32_t n) const {
        const std::uint32_t round = 32 * blocks;
        const std::uint32_t rest = n % round;
        return n / round * 32 + (rest > b * 32 ? min(rest - b * 32, 32U) : 0);
    }
};

// Whether a precedes b, by their keys and raw indices; looks at the detections only where the scores are equal.
__device__ __forceinline__ bool precedes_by_key(const DetectionSpan& raw, std::uint32_t key_a, std::uint32_t a, std::uint32_t key_b,
                                                std::uint32_t b) {
    if (key_a != key_b) return key_a > key_b;
    if (key_a == 0) return a < b;
    return throng::precedes(load_box(raw.boxes, a), raw.scores[a], a, load_box(raw.boxes, b), raw.scores[b], b);
}

// Step 1: the block's slice, sorted, in every block's shared memory. slice: the most that a block may have.
__device__ void sort_slice(const NmsTask& task, const Shared& s, const Slice& part, std::uint32_t n, std::uint32_t slice, Box box,
                           float score) {
    const DetectionSpan& raw = task.raw;
    const std::uint32_t count = part.count(part.block, n);
    int bad = 0;
    for (std::uint32_t base = 0; base == 0 || base < count; base += kThreads) {
        const std::uint32_t t = base + threadIdx.x;
        bool valid = true;
        if (t < count) {
            const std::uint32_t i = part.raw_index(t);
            if (base != 0) {
                box = load_box(raw.boxes, i);
                score = raw.scores[i];
            }
            valid = is_valid_detection(box, score);
            s.own[t] = valid ? score_key(score) : 0;
            s.rank[t] = 0;
            if (!valid && task.owner != nullptr) task.owner[i] = -1;
        }
        bad += __syncthreads_count(valid ? 0 : 1);
    }

    // Rank by counting; a few threads share a detection.
    std::uint32_t share = 1;
    while (share < 32 && count * share * 2 <= kThreads) share *= 2;
    const std::uint32_t lane = threadIdx.x & (share - 1);
    for (std::uint32_t base = 0; base < count; base += kThreads / share) {
        const std::uint32_t t = base + threadIdx.x / share;
        const std::uint32_t key = t < count ? s.own[t] : 0;
        std::uint32_t before = 0;
        std::uint32_t equal = 0;
#pragma unroll 8
        for (std::uint32_t u = lane; u < count; u += share) {
            const std::uint32_t other = s.own[u];
            before += other > key ? 1 : 0;
            equal += other == key ? 1 : 0;
        }
        for (std::uint32_t step = share / 2; step > 0; step /= 2) {
            before += __shfl_xor_sync(kWholeWarp, before, step);
            equal += __shfl_xor_sync(kWholeWarp, equal, step);
        }
        if (t >= count) continue;
        const std::uint32_t mine = part.raw_index(t);
        if (equal > 1) {
            for (std::uint32_t u = 0; u < count; ++u) {
                if (u != t && s.own[u] == key && precedes_by_key(raw, key, part.raw_index(u), key, mine)) ++before;
            }
        }
        // Each sharer serves some of the blocks.
        for (std::uint32_t b = lane; b < part.blocks; b += share) {
            Cluster::remote(s.keys, b)[part.block * slice + before] = key;
            Cluster::remote(s.index, b)[part.block * slice + before] = mine;
        }
    }
    if (threadIdx.x < part.blocks) Cluster::remote(s.invalid, threadIdx.x)[part.block] = bad;
}

// Step 2: ranks in the whole. Boxes go to every block, the rest, which few will ask for, to device memory.
__device__ void rank_and_store(const NmsTask& task, const SmallNmsScratch& scratch, const Shared& s, const Slice& part,
                               std::uint32_t n, std::uint32_t slice) {
    const DetectionSpan& raw = task.raw;
    const std::uint32_t count = part.count(part.block, n);
    const std::uint32_t* keys = s.keys + part.block * slice;
    const std::uint32_t* index = s.index + part.block * slice;

    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t chunks = round_up(count, 32) / 32;
    for (std::uint32_t job = threadIdx.x / 32; job < chunks * (part.blocks - 1); job += kWarps) {
        const std::uint32_t t = job % chunks * 32 + lane;
        std::uint32_t other = job / chunks;
        other += other >= part.block ? 1 : 0;
        if (t >= count) continue;
        const std::uint32_t* other_keys = s.keys + other * slice;
        const std::uint32_t* other_index = s.index + other * slice;
        const std::uint32_t key = keys[t];
        const std::uint32_t mine = index[t];
        std::uint32_t low = 0;  // those of the other slice that precede this one
        std::uint32_t high = part.count(other, n);
        while (low < high) {
            const std::uint32_t middle = (low + high) / 2;
            if (precedes_by_key(raw, other_keys[middle], other_index[middle], key, mine)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low != 0) atomicAdd(&s.rank[t], low);
    }
    __syncthreads();

    // Some threads share a detection, each serves some of the blocks.
    std::uint32_t share = 1;
    while (share < part.blocks && count * share * 2 <= kThreads) share *= 2;
    for (std::uint32_t at = threadIdx.x; at < count * share; at += kThreads) {
        const std::uint32_t t = at / share;
        const std::uint32_t rank = s.rank[t] + t;
        const std::uint32_t source = index[t];
        const Box box = load_box(raw.boxes, source);
        for (std::uint32_t b = at % share; b < part.blocks; b += share) store_box(Cluster::remote(s.boxes, b), rank, box);
        if (at % share == 0) {
            scratch.scores[rank] = raw.scores[source];
            scratch.index[rank] = source;
            scratch.hits[rank] = 1;
        }
    }
}

__device__ void publish(std::uint8_t* state, std::uint32_t rank, State value) {
    const std::uint32_t lane = threadIdx.x & 31;
    if (lane < Cluster::size()) *static_cast<volatile std::uint8_t*>(Cluster::remote(state, lane) + rank) = value;
}

// Step 3 for detection i, by a warp.
template <PairPath path>
__device__ void decide(const NmsTask& task, const NmsRuleSet& rules, const SmallNmsScratch& scratch, const Shared& s,
                       std::uint32_t i) {
    constexpr int kAhead = 4;  // warps' worth of pairs that are looked at together, to hide latencies
    const std::uint32_t lane = threadIdx.x & 31;
    const bool with_score = path == PairPath::any || rules.ties == Ties::strict;
    const Candidate mine{s.boxes[i], with_score ? scratch.scores[i] : 0.0F, with_score ? scratch.index[i] : 0};
    const Extents reach = extents_of(mine.box, rules.extent);
    const bool greedy = rules.rule == NmsRule::greedy;
    const auto* states = static_cast<const volatile std::uint8_t*>(s.state);
    bool told = false;
    std::int32_t owner = -1;
    for (std::uint32_t base = 0; base < i && owner < 0; base += 32 * kAhead) {
        std::uint32_t hits[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            const std::uint32_t j = base + k * 32 + lane;
            const Box box = s.boxes[min(j, i)];
            bool hit = j < i;
            if (path == PairPath::plain || !rules.disjoint) {
                hit = hit && box.x < reach.right && box.y < reach.bottom && reach.left < __fadd_ru(box.x + box.w, rules.extent) &&
                      reach.top < __fadd_ru(box.y + box.h, rules.extent);
            }
            if (hit) {
                const Candidate other{box, with_score ? scratch.scores[j] : 1.0F, with_score ? scratch.index[j] : 0};
                hit = suppresses<path>(rules, task.raw, mine, other);
            }
            hits[k] = __ballot_sync(kWholeWarp, hit);
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            if (hits[k] == 0 || owner >= 0) continue;
            const std::uint32_t first = base + k * 32;
            if (!greedy && !told) {
                publish(s.state, i, suppressed);
                told = true;
            }
            while (true) {
                const std::uint8_t now = (hits[k] >> lane & 1U) != 0 ? states[first + lane] : static_cast<std::uint8_t>(suppressed);
                const std::uint32_t is_kept = __ballot_sync(kWholeWarp, now == kept);
                const std::uint32_t waiting = __ballot_sync(kWholeWarp, now == undecided);
                if (is_kept != 0 && !told) {
                    publish(s.state, i, suppressed);
                    told = true;
                }
                // The owner is the first kept one: known once nobody before it is undecided.
                if (is_kept != 0 && (waiting == 0 || __ffs(is_kept) < __ffs(waiting))) {
                    owner = static_cast<std::int32_t>(first) + __ffs(is_kept) - 1;
                    break;
                }
                if (waiting == 0) break;
            }
        }
    }
    if (!told) publish(s.state, i, kept);
    if (lane == 0) {
        if (owner >= 0) atomicAdd(&scratch.hits[owner], 1U);
        if (task.owner != nullptr) {
            const auto self = static_cast<std::int32_t>(scratch.index[i]);
            task.owner[self] = owner >= 0 ? static_cast<std::int32_t>(scratch.index[owner]) : told ? -1 : self;
        }
    }
}

// Step 5: every block counts all kept ones before each of its own and writes those.
__device__ void write_all(const NmsTask& task, const NmsRuleSet& rules, const SmallNmsScratch& scratch, const Shared& s,
                          std::uint32_t valid, std::uint32_t invalid) {
    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t warp = threadIdx.x / 32;
    std::uint32_t total = 0;
    for (std::uint32_t base = 0; base < valid; base += kThreads) {
        const std::uint32_t i = base + threadIdx.x;
        bool mine = i < valid && s.state[i] == kept;
        if (mine && rules.min_hits > 1) mine = static_cast<std::int32_t>(__ldcg(&scratch.hits[i])) >= rules.min_hits;
        const std::uint32_t votes = __ballot_sync(kWholeWarp, mine);
        if (lane == 0) s.partial[warp] = __popc(votes);
        __syncthreads();
        std::uint32_t before = 0;
        std::uint32_t all = lane < kWarps ? s.partial[lane] : 0;
        before = __reduce_add_sync(kWholeWarp, lane < warp ? all : 0);
        all = __reduce_add_sync(kWholeWarp, all);
        __syncthreads();
        if (mine && warp % Cluster::size() == Cluster::rank()) {
            write_kept(task, total + before + __popc(votes & ((1U << lane) - 1)), s.boxes[i],
                       scratch.scores[i], static_cast<std::int32_t>(__ldcg(&scratch.hits[i])), scratch.index[i]);
        }
        total += all;
    }
    if (Cluster::rank() == 0 && threadIdx.x == 0) *task.kept.count = DetectionCount{total, invalid};
}

template <PairPath path>
__device__ void run(const NmsTask& task, const SmallNmsScratch& scratch, const NmsRuleSet& rules, std::uint32_t capacity) {
    extern __shared__ __align__(16) unsigned char memory[];
    const Slice part{Cluster::rank(), Cluster::size()};
    const std::uint32_t slices = part.blocks;
    const std::uint32_t slice = slice_for(capacity, slices);
    const Shared s(memory, slices, slice);

    // Loads that wait for nothing first.
    Box box{};
    float score = 0;
    if (const std::uint32_t i = part.raw_index(threadIdx.x); i < static_cast<std::uint32_t>(task.raw.capacity)) {
        box = load_box(task.raw.boxes, i);
        score = task.raw.scores[i];
    }
    for (std::uint32_t i = threadIdx.x; i < slices * slice / 4; i += kThreads) reinterpret_cast<std::uint32_t*>(s.state)[i] = 0;
    const std::uint32_t n = stored_count(task.raw);
    if (n > capacity) return;  // the same in all blocks of the cluster
    Cluster::sync();           // every block runs before anybody writes to its memory
    sort_slice(task, s, part, n, slice, box, score);
    Cluster::sync();
    rank_and_store(task, scratch, s, part, n, slice);
    std::uint32_t invalid = 0;
    for (std::uint32_t b = 0; b < slices; ++b) invalid += s.invalid[b];
    const std::uint32_t valid = n - invalid;
    Cluster::sync();
    for (std::uint32_t i = threadIdx.x / 32 * slices + Cluster::rank(); i < valid; i += kWarps * slices) {
        decide<path>(task, rules, scratch, s, i);
    }
    Cluster::sync();
    write_all(task, rules, scratch, s, valid, invalid);
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads, 1)
    small_nms_kernel(const __grid_constant__ SmallNmsTask frame, NmsRuleSet rules, std::uint32_t capacity) {
    run<path>(frame.task, frame.scratch, rules, capacity);
}

template <PairPath path>
__global__ void __launch_bounds__(kThreads, 1)
    small_nms_batch_kernel(const SmallNmsTask* d_tasks, NmsRuleSet rules, std::uint32_t capacity) {
    const SmallNmsTask& frame = d_tasks[blockIdx.x / Cluster::size()];
    run<path>(frame.task, frame.scratch, rules, capacity);
}

template <typename Kernel>
void allow(Kernel* kernel, const SmallNmsPlan& plan) {
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(plan.shared_bytes)),
               "small_nms_kernel: shared memory");
    if (plan.cluster > 8) {
        check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "small_nms_kernel: cluster");
    }
}

struct Launch {
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute attribute{};

    Launch(const SmallNmsPlan& plan, std::int32_t frames, StreamView stream) {
        config.gridDim = dim3(static_cast<unsigned>(plan.cluster * frames));
        config.blockDim = dim3(kThreads);
        config.dynamicSmemBytes = plan.shared_bytes;
        config.stream = stream;
        if (plan.cluster > 1) {
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim = {static_cast<unsigned>(plan.cluster), 1, 1};
            config.attrs = &attribute;
            config.numAttrs = 1;
        }
    }
};

}  // namespace

std::int32_t small_nms_limit(const DeviceInfo& device) {
    std::int32_t capacity = kCapacity;
    const auto cluster = device.major >= 9 ? 8U : 1U;
    while (Shared::bytes(cluster, slice_for(static_cast<std::uint32_t>(capacity), cluster)) > device.shared_memory) capacity /= 2;
    return capacity;
}

SmallNmsPlan plan_small_nms(const DeviceInfo& device, std::int32_t capacity, std::int32_t frames) {
    SmallNmsPlan plan;
    plan.capacity = std::max(capacity, 1);
    const auto bytes = [&](std::int32_t cluster) {
        const auto blocks = static_cast<std::uint32_t>(cluster);
        return Shared::bytes(blocks, slice_for(static_cast<std::uint32_t>(plan.capacity), blocks));
    };
    plan.cluster = 1;
    if (device.major >= 9) {
        while (plan.cluster < cluster_for(plan.capacity) && plan.cluster * frames * 2 <= device.multiprocessors) plan.cluster *= 2;
    }
    plan.shared_bytes = bytes(plan.cluster);
    for (auto* kernel : {&small_nms_kernel<PairPath::plain>, &small_nms_kernel<PairPath::any>}) allow(kernel, plan);
    for (auto* kernel : {&small_nms_batch_kernel<PairPath::plain>, &small_nms_batch_kernel<PairPath::any>}) allow(kernel, plan);
    // A cluster of 16 is not to be had on every chip.
    while (plan.cluster > 1) {
        Launch launch(plan, 1, nullptr);
        int clusters = 0;
        const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, small_nms_kernel<PairPath::any>, &launch.config);
        (void)cudaGetLastError();
        if (status == cudaSuccess && clusters > 0) break;
        plan.cluster /= 2;
        plan.shared_bytes = bytes(plan.cluster);
    }
    return plan;
}

void launch_small_nms(const SmallNmsPlan& plan, const SmallNmsTask& task, const NmsRuleSet& rules, StreamView stream) {
    const Launch launch(plan, 1, stream);
    auto* kernel = pair_path(rules) == PairPath::plain ? &small_nms_kernel<PairPath::plain> : &small_nms_kernel<PairPath::any>;
    check_cuda(cudaLaunchKernelEx(&launch.config, kernel, task, rules, static_cast<std::uint32_t>(plan.capacity)), "small_nms_kernel");
    check_launch("small_nms_kernel", stream);
}

void launch_small_nms_batch(const SmallNmsPlan& plan, const SmallNmsTask* d_tasks, std::int32_t frames,
                            const NmsRuleSet& rules, StreamView stream) {
    const Launch launch(plan, frames, stream);
    auto* kernel =
        pair_path(rules) == PairPath::plain ? &small_nms_batch_kernel<PairPath::plain> : &small_nms_batch_kernel<PairPath::any>;
    check_cuda(cudaLaunchKernelEx(&launch.config, kernel, d_tasks, rules, static_cast<std::uint32_t>(plan.capacity)),
               "small_nms_batch_kernel");
    check_launch("small_nms_batch_kernel", stream);
}

}  // namespace throng::gpu
