// The stages of the first segment in device memory, for pairs of windows whose sums share the words of a tile in shared
// memory (pairs.cuh).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/model/cascade_model.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// A block has 32 x kPairRows pairs of neighboring windows. Those of a row are two pixels apart: where windows are one
// pixel apart, a pair lies side by side; where they are two pixels apart, one above the other. So both kinds of levels
// read the same offsets in a tile. In each row the even columns are followed by the odd ones: the lanes of a warp read
// neighboring words.
inline constexpr int kPairRows = 16;
inline constexpr int kTilePairs = 32 * kPairRows;

// A Haar node is a sum over edges, weighted pairs of corners. A rectangle has two. Two adjacent rectangles have three,
// because they share corners.
inline constexpr int kPairEdges = 6;

struct PairLayout {
    std::int32_t pitch = 0;    // words per row
    std::int32_t odd = 0;      // of the first odd column in a row
    std::int32_t columns = 0;  // pixels across, with the last corner
    std::int32_t window_height = 0;
    std::int32_t tilted = 0;  // words from a sum to the tilted one; 0: the model has none

    // Returns the word of an entry of the tile.
    [[nodiscard]] constexpr int word(int x, int y) const { return y * pitch + x % 2 * odd + x / 2; }
    // Pixels from a row of pairs to the next, and rows of a tile, for windows `step` pixels apart.
    [[nodiscard]] static constexpr int row_step(int step) { return step == 1 ? 1 : 2 * step; }
    [[nodiscard]] constexpr int rows(int step) const { return (kPairRows - 1) * row_step(step) + window_height + 1; }
    [[nodiscard]] constexpr std::uint32_t bytes(int step) const {
        return static_cast<std::uint32_t>((rows(step) * pitch + tilted) * static_cast<int>(sizeof(std::uint32_t)));
    }
};

// Trees of the first stages, whole 16-byte quads each. Leaves are multiples of the smallest unit (leaf_unit).
template <int kNodes>
struct alignas(16) PairHaarTree {
    std::uint32_t corner[kNodes][4];  // edge 0 to 3: bytes from the pair's corner in the tile, two in a word
    std::int8_t weight[kNodes][kPairEdges];
    std::uint8_t deepens;  // two nodes: 1 if a value of the root < threshold leads to the second node, else 0
    std::uint8_t apart;    // 1: values may exceed 16 bits, but the sums of rectangles, two edges each, do not
    float threshold[kNodes];
    // One node: the leaf of a value < threshold is first. Two nodes: the root's leaf is first.
    std::int64_t leaf[kNodes + 1];
    std::uint32_t more[kNodes][2];  // edges 4 and 5
};
struct alignas(16) PairLbpFeature {
    std::uint16_t column[4];  // the four columns of corners in the first row of blocks
    std::uint16_t down;       // bytes from a row of corners to the next
    std::int64_t leaf[2];     // the first if the code is in the subset
};
struct PairLbpTree {
    PairLbpFeature feature;
    std::uint32_t subset[kLbpWords];
};
struct alignas(16) PairStage {
    std::int64_t threshold;  // in units of the leaves
    std::int32_t first_tree, end_tree;
};

// Addresses in device memory.
struct PairTables {
    PairLayout layout;
    const PairStage* stages = nullptr;
    const void* trees = nullptr;  // PairHaarTree of the model's number of nodes, or PairLbpTree
    std::int32_t tree_quads = 0;  // of all trees
};

// The first stages of a model in device memory.
class FirstStages {
public:
    // Waits for the stream. stages: from 1 to max_stages.
    FirstStages(const CascadeModel& model, int stages, StreamView stream);

    // Returns the number of first stages that can be evaluated in pairs: they do not contribute to the score, and all
    // sums of rectangles fit 16 bits. 0 if a tree of the model has more than one node or, in Haar models, two, if sums
    // of leaves are not exact, or if a tile does not fit into shared memory.
    [[nodiscard]] static int max_stages(const CascadeModel& model);

    [[nodiscard]] const PairTables& tables() const { return tables_; }

private:
    PairTables tables_;
    DeviceBuffer<PairStage> stages_;
    DeviceBuffer<std::byte> trees_;
};

// Returns the exponent of the largest power of two that divides all leaves, if every sum of leaves in a stage is exact
// in float64. Then their order is irrelevant, and they can be added as integers.
[[nodiscard]] std::optional<int> leaf_unit(const CascadeModel& model);

// The largest rectangle whose sum is sure to fit 16 bits.
inline constexpr int kMaxPairArea = 257;  // pixels
// The same for an LBP block, whose sum must fit 15 bits.
inline constexpr int kMaxPairBlock = 128;  // pixels

// Tests if a rectangle of the feature exceeds kMaxPairArea.
[[nodiscard]] bool exceeds_pair_area(const HaarFeature& feature);
// Returns a feature of the same value for every window. If possible, a rectangle beyond kMaxPairArea is divided into
// two.
[[nodiscard]] HaarFeature pair_feature(const HaarFeature& feature);
// Tests if a block of the model exceeds kMaxPairBlock.
[[nodiscard]] bool exceeds_pair_block(const CascadeModel& model);

}  // namespace throng::gpu
