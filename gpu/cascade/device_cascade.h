// A cascade in device memory, laid out for the kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/cascade_model.h"
#include "gpu/frame/pyramid.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// The result at a node: its leaf's value or, encoded as a NaN with the number in the low bits, a later node of the
// tree.
inline constexpr std::uint32_t kChildBits = 0x7FC00000U;
inline constexpr std::uint32_t kChildMask = 0x003FFFFFU;

struct alignas(16) HaarNode {
    std::int32_t corner[12];  // offsets in entries from the window's corner; rectangle r starts at 4 r, in the order of
                              // corner_sum
    float weight[3];
    float threshold;
    float outcome[2];  // [0] if the value < threshold, else [1]
    std::int32_t pad[2];
};

struct alignas(16) LbpNode {
    std::int32_t corner;  // of the first block
    std::int32_t across;  // entries from a block to its right neighbor,
    std::int32_t down;    // and to the one below
    std::int32_t pad0;
    float outcome[2];  // [0] if the code is in the subset, else [1]
    std::int32_t pad1[2];
    std::uint32_t subset[kLbpWords];
};

// For sums in shared memory. The tail uses one warp per window: the window's sums are in shared memory, (width + 1)
// entries per row, followed by the tilted ones. Nodes of the same rank in neighboring trees are adjacent in memory.
struct alignas(16) TailHaarNode {  // three quads of 16 bytes
    std::uint16_t corner[12];
    float weight[3];
    float threshold;
    float outcome[2];
};
struct alignas(16) TailLbpNode {  // one quad
    std::uint16_t corner, across, down, pad;
    float outcome[2];
};

struct DeviceStage {
    std::int32_t first_tree, tree_count;
    float threshold;
    std::int32_t pad;
};

// Addresses in device memory.
struct CascadeTables {
    CascadeView geometry;  // as core/algo/cascade.h
    const DeviceStage* stages = nullptr;
    const HaarNode* haar = nullptr;
    const LbpNode* lbp = nullptr;
    const std::int32_t* first_node = nullptr;  // [tree]
    const std::uint32_t* tail = nullptr;  // quad q of the node of rank k of tree t: 4 words at (k quads + q) trees + t
    const std::uint32_t* tail_subsets = nullptr;  // LBP: kLbpWords words at k trees + t
    std::int32_t tree_count = 0;
    // For blocks whose windows' sums are in shared memory, with the tilted sums tile_entries after the others.
    const TailHaarNode* tile_haar = nullptr;  // in the order of haar
    const LbpNode* tile_lbp = nullptr;        // in the order of lbp
    std::int32_t tile_pitch = 0;
    std::int32_t tile_entries = 0;  // 0: they do not fit
    std::int32_t tail_entries = 0;  // per window, of sums in shared memory; 0: no tail for this model
    std::int32_t tail_pitch = 0;
    bool tilted = false;
};

class DeviceCascade {
public:
    // Uploads the model, which check_model must have accepted; waits for the stream.
    DeviceCascade(const CascadeModel& model, StreamView stream);

    // Converts the nodes for integral images of this pitch, and for blocks of windows at most `max_step` pixels apart.
    // Waits for the stream.
    void set_pitch(const PyramidView& pyramid, int max_step, StreamView stream);

    [[nodiscard]] const CascadeModel& model() const { return model_; }
    [[nodiscard]] const CascadeTables& tables() const { return tables_; }
    // Returns 1 or 2 if every tree has that many nodes; 0 if they differ or have more.
    [[nodiscard]] int nodes_per_tree() const { return nodes_per_tree_; }

private:
    void build_tail(StreamView stream);
    void set_tile(int max_step);

    CascadeModel model_;
    CascadeTables tables_;
    int nodes_per_tree_ = 0;
    DeviceBuffer<CascadeStage> geometry_stages_;
    DeviceBuffer<CascadeTree> geometry_trees_;
    DeviceBuffer<CascadeNode> geometry_nodes_;
    DeviceBuffer<float> leaves_;
    DeviceBuffer<HaarFeature> haar_features_;
    DeviceBuffer<LbpFeature> lbp_features_;
    DeviceBuffer<std::uint32_t> subsets_;
    DeviceBuffer<DeviceStage> stages_;
    DeviceBuffer<HaarNode> haar_;
    DeviceBuffer<LbpNode> lbp_;
    DeviceBuffer<TailHaarNode> tile_haar_;
    DeviceBuffer<LbpNode> tile_lbp_;
    DeviceBuffer<std::int32_t> first_node_;
    DeviceBuffer<std::uint32_t> tail_;
    DeviceBuffer<std::uint32_t> tail_subsets_;
};

}  // namespace throng::gpu
