// A further condition on the pairs of an engine, for arrays of a caller: groups whose boxes never suppress each other, the
// IoU of given corners instead of the rule's overlap, and an order of equal scores.
#pragma once

#include <cstdint>

namespace throng::gpu {

// Addresses are in device memory; entries by index in the raw buffer.
struct PairGate {
    const void* class_ids = nullptr;  // null: one class
    const void* image_ids = nullptr;  // null: one image
    bool ids_are_int64 = true;        // otherwise int32
    // [][4] x1, y1, x2, y2, aligned to 16 bytes. Not null: j suppresses i if the IoU of their corners is `least` or
    // more, as torchvision computes it. The boxes of the raw buffer must then contain the corners' boxes, and the
    // rules' smallest_overlap must be below every IoU of such boxes that suppresses: they only limit the search.
    const void* corners = nullptr;
    bool corners_are_double = false;
    double least = 0;
    // Not null: of equal scores the smaller key precedes, then the smaller index. The grid engine only.
    const std::uint64_t* order = nullptr;

    [[nodiscard]] bool active() const { return class_ids != nullptr || image_ids != nullptr || corners != nullptr; }
};

}  // namespace throng::gpu
