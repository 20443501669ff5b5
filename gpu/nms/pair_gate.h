// A further condition on the pairs of an engine, for arrays of a caller: groups whose boxes never suppress each other, the
// IoU of given corners instead of the rule's overlap, and an order of equal scores. All but groups: the grid engine only.
#pragma once

#include <cstdint>

namespace throng::gpu {

// Addresses are in device memory; entries by index in the raw buffer.
struct PairGate {
    const void* class_ids = nullptr;  // null: one class
    const void* image_ids = nullptr;  // null: one image
    bool ids_are_int64 = true;        // otherwise int32
    // The boxes of the raw buffer are x1, y1, x2, y2, and valid. One with x2 < x1 overlaps none; it lies between them.
    bool boxes_are_corners = false;
    // [][4] x1, y1, x2, y2, aligned to 16 bytes. Not null: j suppresses i if the IoU of their corners is `least` or
    // more, as torchvision computes it. The boxes of the raw buffer must then contain the corners' boxes, and the
    // rules' theta must be below the IoU of the boxes of every pair that suppresses, if no box is much larger.
    const double* corners = nullptr;
    double least = 0;
    // Not null: of equal scores the smaller key precedes, then the smaller index. Without corners, equal scores have
    // equal keys.
    const std::uint64_t* order = nullptr;

    [[nodiscard]] bool active() const { return class_ids != nullptr || image_ids != nullptr || corners != nullptr; }
};

}  // namespace throng::gpu
