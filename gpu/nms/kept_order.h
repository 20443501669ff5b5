// Brings the kept detections of a frame into the order of precedes and writes them.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// A kept detection on its way out.
struct KeptEntry {
    Box box;
    float score;           // as it is written
    std::uint32_t index;   // in the raw buffer
    std::uint32_t record;  // where its hits are counted
    std::uint32_t leads;   // 1: precedes all others whatever its score
};
static_assert(sizeof(KeptEntry) == 32);

// Addresses of device memory. Entries come in any order.
struct KeptList {
    KeptEntry* entries;          // [capacity]
    const std::uint32_t* count;  // how many
    const std::uint32_t* invalid;
    const std::uint32_t* hits;  // by record; null: 1 each
    std::uint32_t least;        // frames with fewer raw detections are left alone
};

class KeptOrderStorage {
public:
    KeptOrderStorage() = default;
    explicit KeptOrderStorage(std::int32_t capacity);
    [[nodiscard]] KeptEntry* entries() const noexcept { return entries_.data(); }
    // Enqueues the ordering, writing and counting of task.kept, whose count must be 0 before.
    void launch(const KeptList& list, const NmsTask& task, std::int32_t min_hits, StreamView stream) const;
    [[nodiscard]] std::size_t bytes() const;

private:
    std::int32_t capacity_ = 0;
    DeviceBuffer<KeptEntry> entries_;
    DeviceBuffer<std::uint32_t> buckets_;  // counts, then starts; only for capacities that need them
    DeviceBuffer<std::uint32_t> slots_;
    DeviceBuffer<std::uint32_t> sorted_;  // entries by bucket
};

}  // namespace throng::gpu
