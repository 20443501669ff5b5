#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>

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
constexpr std::int32_t kCapacity = 8192;

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

// The shared memory of a block. Sizes depend on the capacity of the launch.
struct Shared {
    std::uint64_t* keys;    // [slices * slice] sorted slice of each block
    std::uint64_t* own;     // [slice] this block's keys as they were read
    std::uint32_t* index;   // [slices * slice] raw indices beside keys
    std::uint32_t* rank;    // [slice]
    std::uint8_t* state;    // [slices * slice] by rank
    std::uint32_t* invalid; // [kMaxCluster] by block
    std::uint32_t* partial; // [kWarps + 1] sums of the scan

    __host__ __device__ static std::size_t bytes(std::uint32_t slices, std::uint32_t slice) {
        const std::size_t all = std::size_t{slices} * slice;
        return all * (8 + 4) + round_up(static_cast<std::uint32_t>(all), 16) + slice * std::size_t{8 + 4} +
               (kMaxCluster + kWarps + 1) * 4 + 64;
    }

    __device__ Shared(unsigned char* base, std::uint32_t slices, std::uint32_t slice) {
        const std::uint32_t all = slices * slice;
        keys = reinterpret_cast<std::uint64_t*>(base);
        own = keys + all;
        index = reinterpret_cast<std::uint32_t*>(own + slice);
        rank = index + all;
        invalid = rank + slice;
        partial = invalid + kMaxCluster;
        state = reinterpret_cast<std::uint8_t*>(partial + kWarps + 1);
    }
};

// Step 1: the block's slice, sorted, in every block's shared memory.
__device__ void sort_slice(const NmsTask& task, const Shared& s, std::uint32_t n, std::uint32_t slice) {
    const DetectionSpan& raw = task.raw;
    const std::uint32_t block = Cluster::rank();
    const std::uint32_t first = block * slice;
    const std::uint32_t count = first < n ? min(slice, n - first) : 0;

    int bad = 0;
    for (std::uint32_t base = 0; base == 0 || base < count; base += kThreads) {
        const std::uint32_t t = base + threadIdx.x;
        bool valid = true;
        if (t < count) {
            const Box box = load_box(raw.boxes, first + t);
            const float score = raw.scores[first + t];
            valid = is_valid_detection(box, score);
            s.own[t] = valid ? order_key(box, score) : kInvalidKey;
            s.rank[t] = 0;
            if (!valid && task.owner != nullptr) task.owner[first + t] = -1;
        }
        bad += __syncthreads_count(valid ? 0 : 1);
    }

    // Rank by counting; a few threads share a detection.
    std::uint32_t share = 1;
    while (share < 32 && count * share * 2 <= kThreads) share *= 2;
    const std::uint32_t part = threadIdx.x & (share - 1);
    for (std::uint32_t base = 0; base < count; base += kThreads / share) {
        const std::uint32_t t = base + threadIdx.x / share;
        std::uint32_t before = 0;
        if (t < count) {
            const std::uint64_t key = s.own[t];
            for (std::uint32_t u = part; u < count; u += share) {
                const std::uint64_t other = s.own[u];
                if (other > key) {
                    ++before;
                } else if (other == key && u != t && key_precedes(raw, other, first + u, key, first + t)) {
                    ++before;
                }
            }
        }
        for (std::uint32_t step = share / 2; step > 0; step /= 2) before += __shfl_xor_sync(kWholeWarp, before, step);
        if (t < count) {
            // Each sharer serves some of the blocks.
            const std::uint64_t key = s.own[t];
            for (std::uint32_t b = part; b < Cluster::size(); b += share) {
                Cluster::remote(s.keys, b)[block * slice + before] = key;
                Cluster::remote(s.index, b)[block * slice + before] = first + t;
            }
        }
    }
    if (threadIdx.x < Cluster::size()) Cluster::remote(s.invalid, threadIdx.x)[block] = bad;
}

// Step 2: ranks in the whole, and the detections by rank.
__device__ void rank_and_store(const NmsTask& task, const SmallNmsScratch& scratch, const Shared& s, std::uint32_t n,
                               std::uint32_t slice) {
    const DetectionSpan& raw = task.raw;
    const std::uint32_t block = Cluster::rank();
    const std::uint32_t slices = Cluster::size();
    const std::uint32_t first = block * slice;
    const std::uint32_t count = first < n ? min(slice, n - first) : 0;
    const std::uint64_t* keys = s.keys + block * slice;
    const std::uint32_t* index = s.index + block * slice;

    const std::uint32_t lane = threadIdx.x & 31;
    const std::uint32_t chunks = round_up(count, 32) / 32;
    for (std::uint32_t job = threadIdx.x / 32; job < chunks * (slices - 1); job += kWarps) {
        const std::uint32_t t = job % chunks * 32 + lane;
        std::uint32_t other = job / chunks;
        other += other >= block ? 1 : 0;
        const std::uint32_t other_first = other * slice;
        const std::uint32_t other_count = other_first < n ? min(slice, n - other_first) : 0;
        if (t >= count) continue;
        const std::uint64_t key = keys[t];
        const std::uint32_t mine = index[t];
        std::uint32_t low = 0;  // those of the other slice that precede this one
        std::uint32_t high = other_count;
        while (low < high) {
            const std::uint32_t middle = (low + high) / 2;
            if (key_precedes(raw, s.keys[other_first + middle], s.index[other_first + middle], key, mine)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low != 0) atomicAdd(&s.rank[t], low);
    }
    __syncthreads();

    for (std::uint32_t t = threadIdx.x; t < count; t += kThreads) {
        const std::uint32_t at = s.rank[t] + t;
        const std::uint32_t source = index[t];
        store_box(scratch.boxes, at, load_box(raw.boxes, source));
        scratch.scores[at] = raw.scores[source];
        scratch.index[at] = source;
        scratch.hits[at] = 1;
    }
}

__device__ void publish(std::uint8_t* state, std::uint32_t rank, State value) {
    const std::uint32_t lane = threadIdx.x & 31;
    if (lane < Cluster::size()) *static_cast<volatile std::uint8_t*>(Cluster::remote(state, lane) + rank) = value;
}

// Step 3 for detection i, by a warp.
template <PairPath path>
__device__ void decide(const NmsTask& task, const NmsRuleSet& rules, const SmallNmsScratch& scratch, std::uint8_t* state,
                       std::uint32_t i) {
    const std::uint32_t lane = threadIdx.x & 31;
    const Candidate mine{load_box(scratch.boxes, i), scratch.scores[i], scratch.index[i]};
    const bool greedy = rules.rule == NmsRule::greedy;
    bool told = false;
    std::int32_t owner = -1;
    for (std::uint32_t base = 0; base < i && owner < 0; base += 32) {
        const std::uint32_t j = base + lane;
        bool hit = false;
        if (j < i) {
            const Candidate other{load_box(scratch.boxes, j), scratch.scores[j], scratch.index[j]};
            hit = suppresses<path>(rules, task.raw, mine, other);
        }
        std::uint32_t waiting = __ballot_sync(kWholeWarp, hit);
        if (waiting == 0) continue;
        if (!greedy && !told) {
            publish(state, i, suppressed);
            told = true;
        }
        const auto* seen = static_cast<const volatile std::uint8_t*>(state) + j;
        while (true) {
            const std::uint8_t now = hit ? *seen : static_cast<std::uint8_t>(suppressed);
            const std::uint32_t is_kept = __ballot_sync(kWholeWarp, now == kept);
            waiting = __ballot_sync(kWholeWarp, now == undecided);
            if (is_kept != 0 && !told) {
                publish(state, i, suppressed);
                told = true;
            }
            // The owner is the first kept one: known once nobody before it is undecided.
            if (is_kept != 0 && (waiting == 0 || __ffs(is_kept) < __ffs(waiting))) {
                owner = static_cast<std::int32_t>(base) + __ffs(is_kept) - 1;
                break;
            }
            if (waiting == 0) break;
        }
    }
    if (!told) publish(state, i, kept);
    if (lane == 0) {
        if (owner >= 0) atomicAdd(&scratch.hits[owner], 1U);
        if (task.owner != nullptr) {
            task.owner[mine.index] = owner >= 0 ? static_cast<std::int32_t>(scratch.index[owner])
                                     : told     ? -1
                                                : static_cast<std::int32_t>(mine.index);
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
            write_kept(task, total + before + __popc(votes & ((1U << lane) - 1)), load_box(scratch.boxes, i),
                       scratch.scores[i], static_cast<std::int32_t>(__ldcg(&scratch.hits[i])), scratch.index[i]);
        }
        total += all;
    }
    if (Cluster::rank() == 0 && threadIdx.x == 0) *task.kept.count = DetectionCount{total, invalid};
}

template <PairPath path>
__device__ void run(const NmsTask& task, const SmallNmsScratch& scratch, const NmsRuleSet& rules, std::uint32_t capacity) {
    extern __shared__ __align__(16) unsigned char memory[];
    const std::uint32_t n = stored_count(task.raw);
    if (n > capacity) return;  // the same in all blocks of the cluster
    const std::uint32_t slices = Cluster::size();
    const std::uint32_t slice = (capacity + slices - 1) / slices;
    const std::uint32_t used = (n + slices - 1) / slices;  // of each slice, so that all blocks have work
    const Shared s(memory, slices, slice);

    for (std::uint32_t i = threadIdx.x * 4; i < round_up(n, 4); i += kThreads * 4) {
        *reinterpret_cast<std::uint32_t*>(s.state + i) = 0;
    }
    Cluster::sync();  // every block runs before anybody writes to its memory
    sort_slice(task, s, n, used);
    Cluster::sync();
    rank_and_store(task, scratch, s, n, used);
    std::uint32_t invalid = 0;
    for (std::uint32_t b = 0; b < slices; ++b) invalid += s.invalid[b];
    const std::uint32_t valid = n - invalid;
    Cluster::sync();
    for (std::uint32_t i = threadIdx.x / 32 * slices + Cluster::rank(); i < valid; i += kWarps * slices) {
        decide<path>(task, rules, scratch, s.state, i);
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
    while (Shared::bytes(cluster, static_cast<std::uint32_t>(capacity) / cluster) > device.shared_memory) capacity /= 2;
    return capacity;
}

SmallNmsPlan plan_small_nms(const DeviceInfo& device, std::int32_t capacity, std::int32_t frames) {
    SmallNmsPlan plan;
    plan.capacity = std::max(capacity, 1);
    const auto bytes = [&](std::int32_t cluster) {
        const auto blocks = static_cast<std::uint32_t>(cluster);
        return Shared::bytes(blocks, (static_cast<std::uint32_t>(plan.capacity) + blocks - 1) / blocks);
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
