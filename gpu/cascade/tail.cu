// The last segment with one warp per pair of windows from the queue. Their sums are copied to shared memory, and each
// lane evaluates one tree of the stage for both. The leaves are added in parallel if their sums are exact, otherwise in
// the order of the trees, so that a sum equals that of one thread.
#include <cuda_runtime.h>

#include <climits>

#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/evaluate.cuh"
#include "gpu/cascade/pairs.cuh"
#include "gpu/cascade/window_rules.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kWarps = 4;

// A warp's part of shared memory.
struct WarpMemory {
    double* leaves;        // [2][32]
    std::uint32_t* words;  // sums of the pair as in pairs.cuh, then the tilted ones
};

// Returns the leaves of both windows in a tree, where test(k) returns the outcomes at node k. kNodes as
// CascadeTables::nodes_per_tree.
template <int kNodes, typename Test>
__device__ float2 pair_leaves(const Test& test) {
    float2 outcome = test(0);
    if constexpr (kNodes == 2) {
        const float2 second = test(1);
        if (is_child(outcome.x)) outcome.x = second.x;
        if (is_child(outcome.y)) outcome.y = second.y;
    } else if constexpr (kNodes == 0) {
        // Children come later than their parents, so the lower of two nodes is evaluated first.
        while (is_child(outcome.x) || is_child(outcome.y)) {
            const int first = is_child(outcome.x) ? child_of(outcome.x) : INT_MAX;
            const int second = is_child(outcome.y) ? child_of(outcome.y) : INT_MAX;
            const float2 next = test(min(first, second));
            if (first <= second) outcome.x = next.x;
            if (second <= first) outcome.y = next.y;
        }
    }
    return outcome;
}

// Compares the values of a node with its threshold, where the sum of a rectangle may exceed 16 bits.
__device__ PairTest large_below(const CascadeTables& c, int tree, int k, float threshold, const std::uint32_t* words,
                                float2 norm) {
    const CascadeNode& node = c.geometry.nodes[c.geometry.trees[tree].first_node + k];
    const HaarFeature& feature = c.geometry.haar[node.feature];
    const bool tilted = feature.tilted != 0;
    if (tilted) words += c.tail_entries;
    int2 sums[kHaarRects] = {};
    for (int r = 0; r < kHaarRects; ++r) {
        if (feature.weight[r] == 0.0F) continue;
        sums[r] = large_pair_sums(feature.rect[r], tilted, [&](int x, int y) { return words[y * c.tail_pitch + x]; });
    }
    return {haar_value(feature.weight, sums[0].x, sums[1].x, sums[2].x, norm.x) < threshold,
            haar_value(feature.weight, sums[0].y, sums[1].y, sums[2].y, norm.y) < threshold};
}

// Loads the node of rank k of a tree.
template <typename Node>
__device__ Node tail_node(const CascadeTables& c, int tree, int k) {
    constexpr int kQuads = sizeof(Node) / sizeof(int4);
    return from_quads<Node>([&](int q) {
        return __ldg(reinterpret_cast<const int4*>(c.tail) + static_cast<std::int64_t>(k * kQuads + q) * c.tree_count +
                     tree);
    });
}

template <int kNodes>
struct TailHaar {
    static __device__ float2 leaves(const CascadeTables& c, int tree, const std::uint32_t* words, float2 norm) {
        return pair_leaves<kNodes>([&](int k) {
            const auto n = tail_node<TailHaarNode>(c, tree, k);
            PairTest below{};
            if ((n.corner[0] & TailHaarNode::kLarge) != 0) {
                below = large_below(c, tree, k, n.threshold, words, norm);
            } else {
                // An unused third rectangle sums to 0, which changes nothing.
                below = pair_below(n.weight, n.threshold, true, norm, [&](int r) {
                    return static_cast<std::uint32_t>(corner_sum(words[n.corner[4 * r]], words[n.corner[4 * r + 1]],
                                                                 words[n.corner[4 * r + 2]],
                                                                 words[n.corner[4 * r + 3]]));
                });
            }
            return float2{below.first ? n.outcome[0] : n.outcome[1], below.second ? n.outcome[0] : n.outcome[1]};
        });
    }
};

template <int kNodes>
struct TailLbp {
    static __device__ float2 leaves(const CascadeTables& c, int tree, const std::uint32_t* words, float2) {
        return pair_leaves<kNodes>([&](int k) {
            const auto n = tail_node<TailLbpNode>(c, tree, k);
            const std::uint32_t* corner = words + n.corner;
            const std::uint32_t codes = pair_lbp_codes([&](int x, int y) { return corner[x * n.across + y * n.down]; });
            const std::uint32_t* subset =
                c.tail_subsets + (static_cast<std::int64_t>(k) * c.tree_count + tree) * kLbpWords;
            return float2{subset_has(subset, codes & 0xFFFFU) ? n.outcome[0] : n.outcome[1],
                          subset_has(subset, codes >> 16) ? n.outcome[0] : n.outcome[1]};
        });
    }
};

// Copies the sums of both windows to shared memory.
__device__ void load_pair(const CascadeTables& c, const WindowTask& task, const QueuedWindow& first,
                          const QueuedWindow& second, std::uint32_t* words) {
    const int pitch = c.tail_pitch;
    const int rows = c.geometry.window_height + 1;
    const std::uint32_t* sums = task.pyramid.sums;
    for (int x = threadIdx.x % 32; x < pitch; x += 32) {
        const auto load_plane = [&](std::int64_t plane, std::uint32_t* to) {
            load_column(
                rows, task.rows_only,
                [&](int y) {
                    const std::int64_t at = plane + static_cast<std::int64_t>(y) * task.pyramid.pitch + x;
                    return pack_pair(__ldg(sums + first.at + at), __ldg(sums + second.at + at));
                },
                [&](int y, std::uint32_t word) { to[y * pitch + x] = word; });
        };
        load_plane(0, words);
        if (c.tilted) load_plane(task.pyramid.tilted, words + c.tail_entries);
    }
    __syncwarp();
}

// Returns the sum over the lanes: of x in the lower half of the warp, of y in the upper half.
__device__ double sum_halves(double x, double y) {
    const bool upper = threadIdx.x % 32 >= 16;
    double own = (upper ? y : x) + __shfl_xor_sync(kWholeWarp, upper ? x : y, 16);
    for (int step = 8; step > 0; step /= 2) own += __shfl_xor_sync(kWholeWarp, own, step);
    return own;
}

// Adds the same to a sum, in the order of the lanes. Lanes from `count` on have no leaf.
__device__ double add_in_order(double sum, float2 leaf, int count, const WarpMemory& memory) {
    const int lane = threadIdx.x % 32;
    memory.leaves[lane] = static_cast<double>(leaf.x);
    memory.leaves[32 + lane] = static_cast<double>(leaf.y);
    __syncwarp();
    for (int t = 0; t < count; ++t) sum += memory.leaves[lane / 16 * 32 + t];
    __syncwarp();
    return sum;
}

// Evaluates stages from `first` on for the windows of a pair with a bit in alive. Returns the bits of those that pass
// all. The lower half of the warp holds the margin of the first window, the upper half that of the second one.
template <typename Leaf>
__device__ unsigned passing(const CascadeTables& c, int first, unsigned alive, const WarpMemory& memory, float2 norm,
                            double& margin) {
    const int lane = threadIdx.x % 32;
    for (int s = first; s < c.geometry.stage_count; ++s) {
        const CascadeStage stage = load_quads(c.geometry.stages + s);
        double2 sums{};
        double sum = 0.0;
        for (int done = 0; done < stage.tree_count; done += 32) {
            const int trees = min(stage.tree_count - done, 32);
            float2 leaf{};
            if (lane < trees) leaf = Leaf::leaves(c, stage.first_tree + done + lane, memory.words, norm);
            if (c.exact) {
                sums.x += static_cast<double>(leaf.x);
                sums.y += static_cast<double>(leaf.y);
            } else {
                sum = add_in_order(sum, leaf, trees, memory);
            }
        }
        if (c.exact) sum = sum_halves(sums.x, sums.y);
        const unsigned passed = __ballot_sync(kWholeWarp, !(sum < static_cast<double>(stage.threshold)));
        alive &= (passed & 1U) | (passed >> 15 & 2U);
        if (alive == 0) break;
        margin += stage_margin(s, c.geometry.stage_count, sum, stage.threshold);
    }
    return alive;
}

// Evaluates two windows from stage `stage` on; alive: a bit for each of them.
template <typename Leaf>
__device__ void evaluate(const CascadeTables& c, const WindowTask& task, const WarpMemory& memory, QueuedWindow first,
                         QueuedWindow second, unsigned alive, int stage) {
    load_pair(c, task, first, second, memory.words);
    const int lane = threadIdx.x % 32;
    double margin = lane < 16 ? first.margin : second.margin;
    alive = passing<Leaf>(c, stage, alive, memory, {first.norm, second.norm}, margin);
    if (lane == 0 && (alive & 1U) != 0) report(task, {first.at, first.norm, margin});
    if (lane == 16 && (alive & 2U) != 0) report(task, {second.at, second.norm, margin});
    __syncwarp();
}

template <typename Leaf>
__global__ void __launch_bounds__(kWarps * 32)
    tail_kernel(CascadeTables cascade, WindowTask task, WindowQueue queue, int first, int bytes_per_warp) {
    extern __shared__ __align__(16) unsigned char shared[];
    const int lane = threadIdx.x % 32;
    unsigned char* own = shared + threadIdx.x / 32 * bytes_per_warp;
    const WarpMemory memory{reinterpret_cast<double*>(own),
                            reinterpret_cast<std::uint32_t*>(own + 64 * sizeof(double))};
    const std::uint32_t warps = gridDim.x * kWarps;
    const std::uint32_t warp = blockIdx.x * kWarps + threadIdx.x / 32;

    const std::uint32_t count = queue_length(queue);
    for (std::uint32_t i = warp; 2 * i < count;) {
        const bool both = 2 * i + 1 < count;
        const QueuedWindow* windows = queue.windows + 2 * i;
        evaluate<Leaf>(cascade, task, memory, load_quads(windows), load_quads(windows + (both ? 1 : 0)), both ? 3U : 1U,
                       first);
        std::uint32_t next = 0;
        if (lane == 0) next = warps + atomicAdd(&queue.counters->taken, 1U);
        i = __shfl_sync(kWholeWarp, next, 0);
    }
}

std::size_t bytes_per_warp(const CascadeTables& cascade) {
    const std::size_t words = static_cast<std::size_t>(cascade.tail_entries) * (cascade.tilted ? 2 : 1);
    return 64 * sizeof(double) + (words * sizeof(std::uint32_t) + 15) / 16 * 16;
}

}  // namespace

bool has_tail(const CascadeTables& cascade, std::size_t shared_memory) {
    return cascade.tail_entries > 0 && bytes_per_warp(cascade) * kWarps <= shared_memory;
}

void launch_tail(const CascadeLaunch& work, const WindowQueue& queue, int first) {
    const CascadeTables& cascade = work.cascade;
    const std::size_t bytes = bytes_per_warp(cascade) * kWarps;
    select_features<TailHaar, TailLbp>(cascade, [&](auto leaf) {
        const auto kernel = tail_kernel<decltype(leaf)>;
        const int blocks = work.multiprocessors * blocks_per_multiprocessor("tail_kernel", kernel, kWarps * 32, bytes);
        LaunchChain(work.stream, false)
            .launch("tail_kernel", kernel, LaunchSize{blocks, kWarps * 32, bytes}, cascade, work.task, queue, first,
                    static_cast<int>(bytes / kWarps));
    });
}

}  // namespace throng::gpu
