// A cascade laid out for the SIMD kernels: every feature as offsets from a window's corner into one block of sums.
//
// A worker's block holds the rows of a strip of one level: first all rows of the integral, then those of the squares,
// then those of the tilted integral. Each plane has `rows` x `pitch` entries. On levels with a step of 2, a row is
// stored as its even columns followed by its odd ones, so that neighboring windows always read neighboring entries.
//
// The same layout with lanes > 1 is a pack: the sums below `lanes` windows that are not neighbors, interleaved so that
// one load reads the same entry of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/cascade_model.h"

namespace throng {

struct SumsLayout {
    int step = 1;            // of the level
    int rows = 0;            // capacity
    std::int32_t pitch = 0;  // entries, even; a plane with a step of 2 has pitch / 2 per half
    int lanes = 1;

    [[nodiscard]] std::int32_t plane(int which) const {
        return which * rows * pitch * lanes;
    }  // 0 sum, 1 squares, 2 tilted
    [[nodiscard]] std::int32_t at(int x, int y) const {
        return (y * pitch + (step == 1 ? x : (x & 1) * (pitch / 2) + (x >> 1))) * lanes;
    }
};

struct HaarNode {
    std::int32_t corner[kHaarRects][4];  // unused rectangles: four times the same entry, so that the sum is 0
    float weight[kHaarRects];
    float threshold;
    std::int32_t left, right;  // as in CascadeNode
};

struct LbpNode {
    std::int32_t grid[16];  // the 4 x 4 corners of the 3 x 3 blocks, row by row
    std::uint32_t subset[kLbpWords];
    std::int32_t left, right;
};

struct CascadeProgram {
    CascadeKind kind = CascadeKind::haar;
    SumsLayout layout;
    std::vector<CascadeStage> stages;
    std::vector<CascadeTree> trees;
    std::vector<HaarNode> haar;  // indexed by CascadeTree::first_node
    std::vector<LbpNode> lbp;
    std::vector<float> leaves;
    std::vector<std::int32_t> nodes_in_stage;
    std::int32_t norm_corner[4] = {};  // in the sum plane; those of the squares lie plane(1) further
    std::int32_t norm_area = 0;
    float flat_norm = 0;  // a window with norm >= this is flat
};

// The programs for the windows of levels with one step: dense for windows in the block, packed for windows in a pack.
struct CascadePrograms {
    CascadeProgram dense, packed;
    int window_width = 0, window_height = 0;
    bool tilted = false;
};

// layout is the layout of the workers' blocks, lanes the number of windows in a pack.
[[nodiscard]] CascadePrograms compile_cascade(const CascadeModel& model, const SumsLayout& layout, int lanes);

}  // namespace throng
