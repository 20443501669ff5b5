// Evaluation of stages with one thread per window, with one interface for both kinds of features. The arithmetic is that
// of core/algo/cascade.h; only the access to the entries differs.
#pragma once

#include <cuda_runtime.h>

#include <cstring>

#include "core/algo/cascade.h"
#include "gpu/cascade/device_cascade.h"

namespace throng::gpu {

// Returns a structure of whole 16-byte quads, where quad(i) loads one.
template <typename T, typename Quad>
__device__ T from_quads(const Quad& quad) {
    static_assert(sizeof(T) % sizeof(int4) == 0);
    int4 quads[sizeof(T) / sizeof(int4)];
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(T) / sizeof(int4)); ++i) quads[i] = quad(i);
    T value;
    memcpy(&value, quads, sizeof(T));
    return value;
}

// Loads it through the read-only cache.
template <typename T>
__device__ T load_quads(const T* from) {
    return from_quads<T>([from](int i) { return __ldg(reinterpret_cast<const int4*>(from) + i); });
}

// Copies it from shared memory.
template <typename T>
__device__ T copy_quads(const T& from) {
    return from_quads<T>([&from](int i) { return reinterpret_cast<const int4*>(&from)[i]; });
}

// Tests if an outcome is a later node of the tree, and extracts its number.
__device__ inline bool is_child(float outcome) {
    return isnan(outcome);
}
__device__ inline int child_of(float outcome) {
    return static_cast<int>(__float_as_uint(outcome) & kChildMask);
}

// Returns the leaf of the tree, where test(k) returns the outcome at node k. kNodes as
// CascadeTables::nodes_per_tree.
template <int kNodes, typename Test>
__device__ float tree_leaf(const Test& test) {
    if constexpr (kNodes == 1) {
        return test(0);
    } else if constexpr (kNodes == 2) {
        // Evaluates both at once: in almost every warp some lane needs the second node, and its reads need not wait for
        // the first.
        const float first = test(0);
        const float second = test(1);
        return is_child(first) ? second : first;
    } else {
        float outcome = test(0);
        while (is_child(outcome)) outcome = test(child_of(outcome));
        return outcome;
    }
}

// float64 sum of the leaves of a stage, in the order of its trees.
template <int kNodes, typename Node>
__device__ double sum_trees(const CascadeTables& c, int s, const Node& node) {
    const CascadeStage stage = load_quads(c.geometry.stages + s);
    double sum = 0.0;
    for (int t = stage.first_tree; t < stage.first_tree + stage.tree_count; ++t) {
        const int first = kNodes != 0 ? t * kNodes : __ldg(c.first_node + t);
        sum += static_cast<double>(tree_leaf<kNodes>([&](int k) { return node(first + k); }));
    }
    return sum;
}

// Compares a node's value with its threshold. `at` points to the window's corner in the plane of sums.
__device__ inline bool haar_below(const HaarNode& n, const std::uint32_t* at, float norm) {
    const auto sum = [&](int r) {
        return corner_sum(__ldg(at + n.corner[4 * r]), __ldg(at + n.corner[4 * r + 1]), __ldg(at + n.corner[4 * r + 2]),
                          __ldg(at + n.corner[4 * r + 3]));
    };
    const std::int32_t third = n.weight[2] != 0.0F ? sum(2) : 0;
    return haar_value(n.weight, sum(0), sum(1), third, norm) < n.threshold;
}

template <int kNodes>
struct HaarOffsets {
    static __device__ double stage_sum(const CascadeTables& c, const PyramidView&, int s, const std::uint32_t* at,
                                       float norm) {
        return sum_trees<kNodes>(c, s, [&](int i) {
            const HaarNode n = load_quads(c.haar + i);
            return haar_below(n, at, norm) ? n.outcome[0] : n.outcome[1];
        });
    }
};

// Tests one of the 256 bits of the subset.
__device__ inline bool subset_has(const std::uint32_t* subset, std::uint32_t code) {
    return (__ldg(subset + code / 32) >> code % 32 & 1U) != 0;
}

// Like lbp_code, from the 4 x 4 corners of the 3 x 3 blocks, each read once. bit_for(center) returns a function that
// compares the sum of a neighbor with that of the center block, and returns the bit of that neighbor.
template <typename Entry, typename BitFor>
__device__ std::uint32_t lbp_bits(const Entry& entry, const BitFor& bit_for) {
    std::uint32_t corner[4][4];
#pragma unroll
    for (int y = 0; y < 4; ++y) {
#pragma unroll
        for (int x = 0; x < 4; ++x) corner[y][x] = entry(x, y);
    }
    const auto block = [&](int x, int y) {
        return corner_sum(corner[y][x], corner[y][x + 1], corner[y + 1][x], corner[y + 1][x + 1]);
    };
    const auto bit = bit_for(block(1, 1));
    return bit(block(0, 0), 7) | bit(block(1, 0), 6) | bit(block(2, 0), 5) | bit(block(2, 1), 4) | bit(block(2, 2), 3) |
           bit(block(1, 2), 2) | bit(block(0, 2), 1) | bit(block(0, 1), 0);
}

template <int kNodes>
struct LbpOffsets {
    static __device__ double stage_sum(const CascadeTables& c, const PyramidView&, int s, const std::uint32_t* at,
                                       float) {
        return sum_trees<kNodes>(c, s, [&](int i) {
            const LbpNode* node = c.lbp + i;
            const int4 offsets = __ldg(reinterpret_cast<const int4*>(node));
            const float2 outcome = __ldg(reinterpret_cast<const float2*>(node->outcome));
            const std::uint32_t* corner = at + offsets.x;
            const std::uint32_t code =
                lbp_bits([&](int x, int y) { return __ldg(corner + x * offsets.y + y * offsets.z); },
                         [](std::int32_t center) {
                             return [center](std::int32_t sum, int shift) { return sum >= center ? 1U << shift : 0U; };
                         });
            return subset_has(node->subset, code) ? outcome.x : outcome.y;
        });
    }
};

// Equals window_norm, but divides only if rounding to float32 needs it.
__device__ inline float fast_window_norm(int area, std::int32_t sum, std::int32_t squares) {
    const std::int64_t n = std::int64_t{area} * squares - std::int64_t{sum} * sum;
    if (n <= 0) return 0.0F;
    const auto variance = static_cast<double>(n);  // exact
    // rsqrt differs from the rounded 1 / sqrt by less than 2^-50. So both round to the same float32, except near the
    // middle between two of them.
    const double root = rsqrt(variance);
    auto norm = static_cast<float>(root * (1.0 - 0x1p-50));
    if (norm != static_cast<float>(root * (1.0 + 0x1p-50))) norm = static_cast<float>(1.0 / sqrt(variance));
    return static_cast<double>(area) * static_cast<double>(norm) < 1e-1 ? norm : 0.0F;
}

// As norm_at in core/algo/cascade.h.
__device__ inline float norm_of(const CascadeTables& c, const PyramidView& p, const std::uint32_t* at) {
    if (c.geometry.kind != CascadeKind::haar) return 1.0F;
    const int w = c.geometry.window_width - 2;
    const int h = c.geometry.window_height - 2;
    return fast_window_norm(w * h, rect_sum(at, p.pitch, 1, 1, w, h), rect_sum(at + p.squares, p.pitch, 1, 1, w, h));
}

// Evaluates stages [first, last) and adds up their margins. Returns false if the window is rejected.
template <typename Features>
__device__ bool passes(const CascadeTables& c, const PyramidView& p, int first, int last, const std::uint32_t* at,
                       float norm, double& margin) {
    for (int s = first; s < last; ++s) {
        const double sum = Features::stage_sum(c, p, s, at, norm);
        const float threshold = __ldg(&c.geometry.stages[s].threshold);
        if (sum < static_cast<double>(threshold)) return false;
        margin += stage_margin(s, c.geometry.stage_count, sum, threshold);
    }
    return true;
}

// Calls use with the instance of Haar or Lbp for the model: for 1 or 2 nodes per tree, or 0 for any number.
template <template <int> class Haar, template <int> class Lbp, typename Use>
void select_features(const CascadeTables& cascade, const Use& use) {
    const bool single = cascade.nodes_per_tree == 1;
    if (cascade.geometry.kind == CascadeKind::lbp) return single ? use(Lbp<1>{}) : use(Lbp<0>{});
    if (single) return use(Haar<1>{});
    cascade.nodes_per_tree == 2 ? use(Haar<2>{}) : use(Haar<0>{});
}

}  // namespace throng::gpu
