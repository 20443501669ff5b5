// Writes the kept detections of a frame in the order of precedes. Each is added to a bucket by its score when it is
// found, so that it is compared with few others.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

class LaunchChain;
struct SearchPlan;

// A kept detection before it is written.
struct alignas(16) KeptEntry {
    float score;           // final score
    std::uint32_t index;   // in the raw buffer
    std::uint32_t record;  // unique; index of its hit counter
    std::uint32_t bucket;  // determined by the score; the entry in kLeads precedes all others whatever its score
};

// An element of the list of a bucket, by record.
struct alignas(8) BucketLink {
    std::uint32_t next;  // 1 + the record added before this one, 0 for none
    std::uint32_t entry;
};

// Addresses in device memory. Entries are in any order. Buckets are equal parts of the range of scores, or of the
// ratios of scores.
struct KeptOrder {
    static constexpr std::uint32_t kLeads = 0;
    static constexpr std::uint32_t kGroup = 128;  // buckets per partial sum
    static constexpr std::uint32_t kMaxBuckets = 1U << 18;

    KeptEntry* entries;         // [capacity]
    BucketLink* links;          // [capacity] by record
    std::uint32_t* last;        // [buckets] 1 + the last record added, if the bucket is not empty
    std::uint32_t* sums;        // [buckets] records added; 0 before each frame, as the next two
    std::uint32_t* group_sums;  // [buckets / kGroup] records added
    std::uint32_t* count;       // entries
    std::uint32_t buckets;      // power of two
    const SearchPlan* plan;     // holds the range of scores and the number of invalid detections
    const std::uint32_t* hits;  // by record; null: 1 each
    std::int32_t min_hits;      // above 1: entries are added to buckets after all hits are counted
};

class KeptOrderStorage {
public:
    KeptOrderStorage() = default;
    // further: number of words for another use that must be 0 before each frame, too.
    explicit KeptOrderStorage(std::int32_t capacity, std::size_t further = 0);
    [[nodiscard]] KeptOrder view(const SearchPlan* plan, const std::uint32_t* hits, std::int32_t min_hits) const;
    // Must be 0 before each frame.
    [[nodiscard]] ClearedWords cleared() const { return {order_.sums, own_words() + further_}; }
    [[nodiscard]] std::uint32_t* further() const { return order_.sums + own_words(); }

private:
    [[nodiscard]] std::size_t own_words() const { return order_.buckets + order_.buckets / KeptOrder::kGroup + 4; }

    std::size_t further_ = 0;
    KeptOrder order_{};
    DeviceBuffer<std::byte> memory_;
};

// Enqueues the sorting and writing of task.kept and its count. share: number of raw detections per kept one,
// approximately.
void launch_kept_order(const KeptOrder& order, const NmsTask& task, std::int32_t share, const LaunchChain& chain);

}  // namespace throng::gpu
