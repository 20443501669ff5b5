// The last segment with one warp per window. The window's sums are copied to shared memory and each lane evaluates one
// tree of the stage. The leaves are added in the order of the trees, so that the sum equals that of one thread.
#include <cuda_runtime.h>

#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/evaluate.cuh"
#include "gpu/cascade/window_rules.cuh"

namespace throng::gpu {
namespace {

constexpr int kWarps = 4;
constexpr int kBlocksPerMultiprocessor = 16;

template <int kNodes>
struct TailHaar {
    static __device__ float leaf(const CascadeTables& c, int tree, const std::uint32_t* patch, float norm) {
        return tree_leaf<kNodes>([&](int k) {
            constexpr int kQuads = sizeof(TailHaarNode) / 16;
            int4 quads[kQuads];
#pragma unroll
            for (int q = 0; q < kQuads; ++q) {
                quads[q] = __ldg(reinterpret_cast<const int4*>(c.tail) +
                                 static_cast<std::int64_t>(k * kQuads + q) * c.tree_count + tree);
            }
            TailHaarNode n;
            memcpy(&n, quads, sizeof n);
            const auto sum = [&](int r) {
                return corner_sum(patch[n.corner[4 * r]], patch[n.corner[4 * r + 1]], patch[n.corner[4 * r + 2]],
                                  patch[n.corner[4 * r + 3]]);
            };
            return haar_value(n.weight, sum(0), sum(1), sum(2), norm) < n.threshold ? n.outcome[0] : n.outcome[1];
        });
    }
};

template <int kNodes>
struct TailLbp {
    static __device__ float leaf(const CascadeTables& c, int tree, const std::uint32_t* patch, float) {
        return tree_leaf<kNodes>([&](int k) {
            const std::int64_t at = static_cast<std::int64_t>(k) * c.tree_count + tree;
            const int4 quad = __ldg(reinterpret_cast<const int4*>(c.tail) + at);
            TailLbpNode n;
            memcpy(&n, &quad, sizeof n);
            const std::uint32_t* corner = patch + n.corner;
            const int code = lbp_code_of([&](int x, int y) { return corner[x * n.across + y * n.down]; });
            return subset_has(c.tail_subsets + at * kLbpWords, code) ? n.outcome[0] : n.outcome[1];
        });
    }
};

// A warp's part of shared memory.
struct WarpMemory {
    double* leaves;        // [32]
    std::uint32_t* patch;  // sums of the window, then its tilted ones
};

__device__ void load_patch(const CascadeTables& c, const WindowTask& task, const std::uint32_t* at,
                           std::uint32_t* patch) {
    const int pitch = c.tail_pitch;
    for (int i = threadIdx.x % 32; i < c.tail_entries; i += 32) {
        const int y = i / pitch;
        const std::int64_t offset = static_cast<std::int64_t>(y) * task.pyramid.pitch + (i - y * pitch);
        patch[i] = __ldg(at + offset);
        if (c.tilted) patch[c.tail_entries + i] = __ldg(at + task.pyramid.tilted + offset);
    }
    __syncwarp();
}

// Called by all lanes with the same arguments; all get the same result.
template <typename Leaf>
__device__ bool warp_passes(const CascadeTables& c, int first, int last, const WarpMemory& memory, float norm,
                            double& margin) {
    const int lane = threadIdx.x % 32;
    for (int s = first; s < last; ++s) {
        const DeviceStage stage = load_quads(c.stages + s);
        double sum = 0.0;
        for (int done = 0; done < stage.tree_count; done += 32) {
            const int trees = min(stage.tree_count - done, 32);
            double leaf = 0.0;
            if (lane < trees)
                leaf = static_cast<double>(Leaf::leaf(c, stage.first_tree + done + lane, memory.patch, norm));
            memory.leaves[lane] = leaf;
            __syncwarp();
            // Adds two at a time; entries after the last tree are 0 and change nothing.
            for (int t = 0; t < trees; t += 2) {
                const double2 two = *reinterpret_cast<const double2*>(memory.leaves + t);
                sum += two.x;
                sum += two.y;
            }
            __syncwarp();
        }
        if (sum < static_cast<double>(stage.threshold)) return false;
        margin += stage_margin(s, c.geometry.stage_count, sum, stage.threshold);
    }
    return true;
}

template <typename Leaf>
__device__ void evaluate(const CascadeTables& c, const WindowTask& task, const WarpMemory& memory, QueuedWindow window,
                         int first) {
    load_patch(c, task, task.pyramid.sums + window.at, memory.patch);
    if (warp_passes<Leaf>(c, first, c.geometry.stage_count, memory, window.norm, window.margin) &&
        threadIdx.x % 32 == 0) {
        report(task, window.at, window.margin);
    }
    __syncwarp();
}

template <typename Leaf>
__global__ void __launch_bounds__(kWarps * 32)
    tail_kernel(CascadeTables cascade, WindowTask task, WindowGroup group, Segment segment, int bytes_per_warp) {
    extern __shared__ __align__(16) unsigned char shared[];
    const int lane = threadIdx.x % 32;
    unsigned char* own = shared + threadIdx.x / 32 * bytes_per_warp;
    const WarpMemory memory{reinterpret_cast<double*>(own),
                            reinterpret_cast<std::uint32_t*>(own + 32 * sizeof(double))};
    const std::uint32_t warps = gridDim.x * kWarps;
    const std::uint32_t warp = blockIdx.x * kWarps + threadIdx.x / 32;

    const std::uint32_t count = min(group.counters->queued[segment.number - 1], segment.queue.capacity);
    for (std::uint32_t i = warp; i < count;) {
        evaluate<Leaf>(cascade, task, memory, load_quads(segment.queue.windows + i), segment.first);
        std::uint32_t next = 0;
        if (lane == 0) next = warps + atomicAdd(&group.counters->next, 1U);
        i = __shfl_sync(kWholeWarp, next, 0);
    }
    if (group.counters->spilled == 0) return;
    for (std::uint32_t word = group.first_word + warp; word < static_cast<std::uint32_t>(group.end_word);
         word += warps) {
        std::uint32_t bits = task.pending[word];
        __syncwarp();
        if (bits == 0) continue;
        if (lane == 0) task.pending[word] = 0;
        const WindowPosition first = position_of_word(task, static_cast<int>(word));
        for (; bits != 0; bits &= bits - 1) {
            const int column = first.column + __ffs(static_cast<int>(bits)) - 1;
            const std::uint32_t at = corner_entry(task, task.levels[first.level], column, first.row);
            evaluate<Leaf>(cascade, task, memory, {at, norm_of(cascade, task.pyramid, task.pyramid.sums + at), 0.0}, 0);
        }
    }
}

template <typename Leaf>
void launch(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task, const WindowGroup& group,
            const Segment& segment, StreamView stream) {
    const int planes = cascade.tilted ? 2 : 1;
    const int patch = cascade.tail_entries * planes * static_cast<int>(sizeof(std::uint32_t));
    const int bytes_per_warp = 32 * static_cast<int>(sizeof(double)) + (patch + 15) / 16 * 16;
    const int bytes = bytes_per_warp * kWarps;
    if (bytes > 48 << 10) {
        check_cuda(cudaFuncSetAttribute(tail_kernel<Leaf>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                   "setting the shared memory of tail_kernel");
    }
    tail_kernel<Leaf><<<choice.multiprocessors * kBlocksPerMultiprocessor, kWarps * 32, bytes, stream>>>(
        cascade, task, group, segment, bytes_per_warp);
    check_launch("tail_kernel", stream);
}

}  // namespace

void launch_tail(const KernelChoice& choice, const CascadeTables& cascade, const WindowTask& task,
                 const WindowGroup& group, const Segment& segment, StreamView stream) {
    const auto use = [&](auto leaf) { launch<decltype(leaf)>(choice, cascade, task, group, segment, stream); };
    if (choice.kind == CascadeKind::lbp) return choice.nodes_per_tree == 1 ? use(TailLbp<1>{}) : use(TailLbp<0>{});
    switch (choice.nodes_per_tree) {
        case 1: return use(TailHaar<1>{});
        case 2: return use(TailHaar<2>{});
        default: return use(TailHaar<0>{});
    }
}

}  // namespace throng::gpu
