// A cascade in device memory, laid out for the kernels.
#pragma once

#include <array>
#include <cstddef>
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

// The tail uses one warp per pair of windows: their sums are in shared memory (pairs.cuh), (width + 1) words per row,
// followed by the tilted ones. Nodes of the same rank in neighboring trees are adjacent in memory.
struct alignas(16) TailHaarNode {                    // three quads of 16 bytes
    static constexpr std::uint16_t kLarge = 0x8000;  // in corner[0]: a sum may exceed 16 bits
    std::uint16_t corner[12];
    float weight[3];
    float threshold;
    float outcome[2];
};
struct alignas(16) TailLbpNode {  // one quad
    std::uint16_t corner, across, down, pad;
    float outcome[2];
};

// Addresses in device memory.
struct CascadeTables {
    CascadeView geometry;  // as core/algo/cascade.h
    const HaarNode* haar = nullptr;
    const LbpNode* lbp = nullptr;
    const std::int32_t* first_node = nullptr;  // [tree]
    const std::uint32_t* tail = nullptr;  // quad q of the node of rank k of tree t: 4 words at (k quads + q) trees + t
    const std::uint32_t* tail_subsets = nullptr;  // LBP: kLbpWords words at k trees + t
    std::int32_t nodes_per_tree = 0;              // 1 or 2 if every tree has that many; 0 if they differ or have more
    std::int32_t tree_count = 0;
    std::int32_t tail_entries = 0;  // per window, of sums in shared memory; 0: no tail for this model
    std::int32_t tail_pitch = 0;
    bool tilted = false;
    bool exact = false;  // sums of leaves are exact, so that their order is irrelevant
};

// Returns the offsets of the four corners of a rectangle in the order of corner_sum. entry(x, y): that of an entry.
template <typename Entry>
std::array<std::int64_t, 4> rectangle_corners(CascadeRect r, bool tilted, const Entry& entry) {
    if (tilted) {
        return {entry(r.x, r.y), entry(r.x - r.h, r.y + r.h), entry(r.x + r.w, r.y + r.w),
                entry(r.x + r.w - r.h, r.y + r.w + r.h)};
    }
    return {entry(r.x, r.y), entry(r.x + r.w, r.y), entry(r.x, r.y + r.h), entry(r.x + r.w, r.y + r.h)};
}

class DeviceCascade {
public:
    // Uploads the model, which check_model must have accepted; waits for the stream.
    DeviceCascade(const CascadeModel& model, StreamView stream);

    // Converts the nodes for integral images of this pitch. Waits for the stream.
    void set_pitch(const PyramidView& pyramid, StreamView stream);

    [[nodiscard]] const CascadeModel& model() const { return model_; }
    [[nodiscard]] const CascadeTables& tables() const { return tables_; }

private:
    void build_tail(StreamView stream);
    // Returns the address of a copy, which this object keeps.
    template <typename T>
    const T* upload(const std::vector<T>& values, StreamView stream);

    CascadeModel model_;
    CascadeTables tables_;
    std::vector<DeviceBuffer<std::byte>> tables_of_model_;
    DeviceBuffer<HaarNode> haar_;  // for the current pitch
    DeviceBuffer<LbpNode> lbp_;
};

}  // namespace throng::gpu
