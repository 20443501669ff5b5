// Evaluation of stages with one thread per window, with one interface for both kinds of features. The arithmetic is that
// of core/algo/cascade.h; only the access to the entries differs.
#pragma once

#include <cuda_runtime.h>

#include <cstring>

#include "core/algo/cascade.h"
#include "gpu/cascade/device_cascade.h"

namespace throng::gpu {

// Loads a structure of whole 16-byte quads through the read-only cache.
template <typename T>
__device__ T load_quads(const T* from) {
    static_assert(sizeof(T) % sizeof(int4) == 0);
    int4 quads[sizeof(T) / sizeof(int4)];
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(T) / sizeof(int4)); ++i)
        quads[i] = __ldg(reinterpret_cast<const int4*>(from) + i);
    T value;
    memcpy(&value, quads, sizeof(T));
    return value;
}

// Tests if an outcome is a later node of the tree, and extracts its number.
__device__ inline bool is_child(float outcome) {
    return isnan(outcome);
}
__device__ inline int child_of(float outcome) {
    return static_cast<int>(__float_as_uint(outcome) & kChildMask);
}

// Returns the leaf of the tree, where test(k) returns the outcome at node k. kNodes as in
// DeviceCascade::nodes_per_tree.
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
    const DeviceStage stage = load_quads(c.stages + s);
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
__device__ inline bool subset_has(const std::uint32_t* subset, int code) {
    return (__ldg(subset + (code >> 5)) >> (code & 31) & 1U) != 0;
}

// Like lbp_code, from the 4 x 4 corners of the 3 x 3 blocks, each read once.
template <typename Entry>
__device__ int lbp_code_of(const Entry& entry) {
    std::uint32_t corner[4][4];
#pragma unroll
    for (int y = 0; y < 4; ++y) {
#pragma unroll
        for (int x = 0; x < 4; ++x) corner[y][x] = entry(x, y);
    }
    const auto block = [&](int x, int y) {
        return corner_sum(corner[y][x], corner[y][x + 1], corner[y + 1][x], corner[y + 1][x + 1]);
    };
    const std::int32_t center = block(1, 1);
    const auto bit = [&](int x, int y, int shift) { return block(x, y) >= center ? 1 << shift : 0; };
    return bit(0, 0, 7) | bit(1, 0, 6) | bit(2, 0, 5) | bit(2, 1, 4) | bit(2, 2, 3) | bit(1, 2, 2) | bit(0, 2, 1) |
           bit(0, 1, 0);
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
            const int code = lbp_code_of([&](int x, int y) { return __ldg(corner + x * offsets.y + y * offsets.z); });
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
        const float threshold = __ldg(&c.stages[s].threshold);
        if (sum < static_cast<double>(threshold)) return false;
        margin += stage_margin(s, c.geometry.stage_count, sum, threshold);
    }
    return true;
}

}  // namespace throng::gpu
