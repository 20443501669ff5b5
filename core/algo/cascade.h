// A boosted cascade over an integral image: its memory layout and the evaluation of one candidate window. CPU and GPU
// share this code. Sources: P. Viola and M. Jones, Robust Real-Time Face Detection (IJCV 2004); R. Lienhart and J.
// Maydt, An Extended Set of Haar-like Features (ICIP 2002) for tilted features; T. Ahonen et al., Face Description with
// Local Binary Patterns (PAMI 2006). The arithmetic is that of OpenCV 4's CascadeClassifier, so that both accept the
// same windows.
//
// Exact definition; everything must be compiled without contraction (-ffp-contract=off, --fmad=false):
//   integral   uint32, wraps around. Entry (x, y) is the sum over the pixels left of x and above y. Only differences
//              are used, so an integral may start at any row: a window's result does not depend on it.
//   rectangle  four entries, wrapping, read as int32 (a window has at most kMaxWindow pixels, so its sum fits).
//   norm       of the window without its outermost pixels, area a: n = a * squares - sum * sum in float64 (exact),
//              norm = float(1 / sqrt(n)). A window with n <= 0 or a * norm >= 0.1 is flat: rejected, "before stage 0".
//   Haar value float32: v = (w0 * s0 + w1 * s1) + w2 * s2, sums converted to float32; the last term only if w2 != 0;
//              then v * norm. A node goes left if the value < its threshold.
//   LBP value  8 bits, one per neighbor of the center block, set if the neighbor's sum >= the center's (signed int32).
//              A node goes left if the bit of the value is set in its subset.
//   stage      float64 sum of float32 leaves in the order of the trees; rejected if sum < threshold.
//   score      see stage_margin.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/algo/host_device.h"

namespace throng {

enum class CascadeKind : std::uint8_t { haar, lbp };

inline constexpr int kHaarRects = 3;
inline constexpr int kLbpWords = 8;  // 256 values, one bit per value
// Maximum area. The sum of squares of a larger window does not fit 31 bits.
inline constexpr int kMaxWindow = 33000;  // pixels

// A rectangle in pixels of the window. A tilted one has its top corner at (x, y); its sides go w pixels down to the
// right and h pixels down to the left.
struct CascadeRect {
    std::int16_t x, y, w, h;
};

struct HaarFeature {
    CascadeRect rect[kHaarRects];  // rect[2] has no extent where weight[2] is 0
    float weight[kHaarRects];
    std::int32_t tilted;  // 0 or 1
};

// The top left block of 3 x 3 blocks of equal size.
struct LbpFeature {
    CascadeRect block;
};

// left, right: index of a later node of the same tree if > 0, otherwise leaf number -left or -right of the tree.
struct CascadeNode {
    std::int32_t feature;
    float threshold;  // Haar; LBP has a subset of kLbpWords words per node instead
    std::int32_t left, right;
};

struct CascadeTree {
    std::int32_t first_node, node_count;  // node_count + 1 leaves
    std::int32_t first_leaf;
};

struct alignas(16) CascadeStage {  // kernels load it at once
    std::int32_t first_tree, tree_count;
    float threshold;
};

// Non-owning; addresses are of host or device memory.
struct CascadeView {
    CascadeKind kind = CascadeKind::haar;
    std::int32_t window_width = 0, window_height = 0;
    std::int32_t stage_count = 0;
    const CascadeStage* stages = nullptr;
    const CascadeTree* trees = nullptr;
    const CascadeNode* nodes = nullptr;
    const float* leaves = nullptr;
    const HaarFeature* haar = nullptr;       // kind haar
    const LbpFeature* lbp = nullptr;         // kind lbp
    const std::uint32_t* subsets = nullptr;  // kind lbp: [node][kLbpWords]
};

// Integral images of one pyramid level, with the origin at a window's top left corner. pitch is in entries.
struct WindowSums {
    const std::uint32_t* sum = nullptr;
    const std::uint32_t* squares = nullptr;  // Haar
    const std::uint32_t* tilted =
        nullptr;  // Haar with tilted features; entry (x, y): the pixels of the cone above (x, y)
    std::ptrdiff_t pitch = 0;
};

// Returns the sum over a rectangle from its corners: top left, top right, bottom left, bottom right. For a tilted one:
// top, left, right, bottom.
TH_HD std::int32_t corner_sum(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return static_cast<std::int32_t>(a - b - c + d);
}

TH_HD std::int32_t rect_sum(const std::uint32_t* sums, std::ptrdiff_t pitch, int x, int y, int w, int h) {
    const std::uint32_t* top = sums + y * pitch + x;
    const std::uint32_t* bottom = top + h * pitch;
    return corner_sum(top[0], top[w], bottom[0], bottom[w]);
}

TH_HD std::int32_t tilted_sum(const std::uint32_t* sums, std::ptrdiff_t pitch, CascadeRect r) {
    const std::uint32_t* top = sums + r.y * pitch + r.x;
    return corner_sum(top[0], top[r.h * pitch - r.h], top[r.w * pitch + r.w], top[(r.w + r.h) * pitch + r.w - r.h]);
}

// Returns the factor that makes feature values independent of contrast, or 0 for a flat window.
TH_HD float window_norm(int area, std::int32_t sum, std::int32_t squares) {
    const double n = static_cast<double>(area) * squares - static_cast<double>(sum) * sum;
    if (!(n > 0.0)) return 0.0F;
    const float norm = static_cast<float>(1.0 / sqrt(n));
    return static_cast<double>(area) * static_cast<double>(norm) < 1e-1 ? norm : 0.0F;
}

TH_HD float haar_value(const float* weight, std::int32_t s0, std::int32_t s1, std::int32_t s2, float norm) {
    float value = weight[0] * static_cast<float>(s0) + weight[1] * static_cast<float>(s1);
    if (weight[2] != 0.0F) value += weight[2] * static_cast<float>(s2);
    return value * norm;
}

TH_HD float haar_feature(const HaarFeature& f, const WindowSums& at, float norm) {
    std::int32_t s[kHaarRects] = {0, 0, 0};
    for (int i = 0; i < kHaarRects; ++i) {
        const CascadeRect r = f.rect[i];
        if (f.weight[i] == 0.0F) continue;
        s[i] = f.tilted != 0 ? tilted_sum(at.tilted, at.pitch, r) : rect_sum(at.sum, at.pitch, r.x, r.y, r.w, r.h);
    }
    return haar_value(f.weight, s[0], s[1], s[2], norm);
}

// Returns the LBP code. Bits follow the neighbors clockwise from the top left, most significant bit first.
TH_HD int lbp_code(const LbpFeature& f, const WindowSums& at) {
    constexpr int kAround[8][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    const CascadeRect b = f.block;
    const std::int32_t center = rect_sum(at.sum, at.pitch, b.x + b.w, b.y + b.h, b.w, b.h);
    int code = 0;
    for (int i = 0; i < 8; ++i) {
        const std::int32_t neighbor =
            rect_sum(at.sum, at.pitch, b.x + kAround[i][0] * b.w, b.y + kAround[i][1] * b.h, b.w, b.h);
        code = 2 * code + (neighbor >= center ? 1 : 0);
    }
    return code;
}

// Evaluates one tree and returns the value of its leaf.
TH_HD float tree_value(const CascadeView& model, const CascadeTree& tree, const WindowSums& at, float norm) {
    int child = 0;
    do {
        const int index = tree.first_node + child;
        const CascadeNode& node = model.nodes[index];
        bool left = false;
        if (model.kind == CascadeKind::haar) {
            left = haar_feature(model.haar[node.feature], at, norm) < node.threshold;
        } else {
            const int code = lbp_code(model.lbp[node.feature], at);
            left = (model.subsets[index * kLbpWords + (code >> 5)] >> (code & 31) & 1U) != 0;
        }
        child = left ? node.left : node.right;
    } while (child > 0);
    return model.leaves[tree.first_leaf - child];
}

TH_HD double stage_sum(const CascadeView& model, const CascadeStage& stage, const WindowSums& at, float norm) {
    double sum = 0.0;
    for (int t = 0; t < stage.tree_count; ++t) {
        sum += static_cast<double>(tree_value(model, model.trees[stage.first_tree + t], at, norm));
    }
    return sum;
}

// Result of the cascade for one window.
struct WindowResult {
    std::int32_t stages_passed = -1;  // -1: flat, rejected before stage 0; stage_count: accepted
    float score = 0;                  // of an accepted window
};

// Returns the norm of the window at `at`: 0 for a flat window, always 1 for LBP, which needs no norm.
TH_HD float norm_at(const CascadeView& model, const WindowSums& at) {
    if (model.kind != CascadeKind::haar) return 1.0F;
    const int w = model.window_width - 2;
    const int h = model.window_height - 2;
    return window_norm(w * h, rect_sum(at.sum, at.pitch, 1, 1, w, h), rect_sum(at.squares, at.pitch, 1, 1, w, h));
}

// Returns the contribution of a stage to the score of an accepted window: sum - threshold in the later half of the
// stages, otherwise 0. Contributions are added in float64 in the order of the stages, then rounded to float32. Early
// stages have few trees and discriminate less. A score over all stages, or over the last one alone, ranks the windows
// of photographs worse.
TH_HD double stage_margin(int stage, int stage_count, double sum, float threshold) {
    return stage >= stage_count / 2 ? sum - static_cast<double>(threshold) : 0.0;
}

TH_HD WindowResult evaluate_window(const CascadeView& model, const WindowSums& at) {
    const float norm = norm_at(model, at);
    if (norm == 0.0F) return {};
    WindowResult result;
    double score = 0.0;
    for (int s = 0; s < model.stage_count; ++s) {
        const CascadeStage& stage = model.stages[s];
        const double sum = stage_sum(model, stage, at, norm);
        result.stages_passed = s;
        if (sum < static_cast<double>(stage.threshold)) return result;
        score += stage_margin(s, model.stage_count, sum, stage.threshold);
    }
    result.stages_passed = model.stage_count;
    result.score = static_cast<float>(score);
    return result;
}

}  // namespace throng
