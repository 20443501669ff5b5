// Brings the kept detections of a frame into the order of precedes and writes them: each is filed by its score when it
// is found, which leaves few to compare it with.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

struct LaunchChain;
struct GridHeader;

// A kept detection on its way out.
struct alignas(32) KeptEntry {
    Box box;
    float score;           // as it is written
    std::uint32_t index;   // in the raw buffer
    std::uint32_t record;  // where its hits are counted; no two have the same
    std::uint32_t bucket;  // as its score tells; the one in kLeads precedes all others whatever its score
};
static_assert(sizeof(KeptEntry) == 32);

// What is filed of a kept record.
struct alignas(8) FiledRecord {
    std::uint32_t before;  // 1 + the record filed before in the same bucket, if any
    std::uint32_t entry;
};

// Addresses of device memory. Entries come in any order. Buckets are equal parts of the range of scores, or of their
// ratios.
struct KeptOrder {
    static constexpr std::uint32_t kLeads = 0;
    static constexpr std::uint32_t kGroup = 128;  // buckets that are summed up
    static constexpr std::uint32_t kMaxBuckets = 1U << 18;

    KeptEntry* entries;         // [capacity]
    float* scores;              // [capacity] of the entries, in a row
    FiledRecord* filed;         // [capacity] by record
    std::uint32_t* last;        // [buckets] 1 + the record filed last, where the bucket is not empty
    std::uint32_t* count;       // entries; 0 before each frame, as the next three
    std::uint32_t* group_sums;  // [buckets / kGroup] filed
    std::uint32_t* sums;        // [buckets] filed
    std::uint32_t* records;     // [capacity / 32, rounded up to a multiple of 4] bits: records that have an entry
    std::uint32_t buckets;      // power of two
    bool by_score;              // precedes tells the order of all entries, and all stay
    const GridHeader* header;   // tells the range of scores and the number of invalid detections
    const std::uint32_t* hits;  // by record; null: 1 each
    std::int32_t min_hits;      // above 1: entries are filed when all hits are counted
    std::uint32_t least;        // frames with fewer raw detections are left alone
};

class KeptOrderStorage {
public:
    KeptOrderStorage() = default;
    // Enqueues the clearing of links.
    KeptOrderStorage(std::int32_t capacity, StreamView stream);
    // header: of the frame's grid. by_score: no bucket is kLeads, and none is made of products.
    [[nodiscard]] KeptOrder view(const GridHeader* header, const std::uint32_t* hits, std::int32_t min_hits,
                                 bool by_score, std::uint32_t least) const;
    // What must be 0 before each frame.
    [[nodiscard]] std::uint32_t* cleared() const noexcept { return cleared_.data(); }
    [[nodiscard]] std::uint32_t cleared_words() const noexcept { return static_cast<std::uint32_t>(cleared_.size()); }
    [[nodiscard]] std::size_t bytes() const;

private:
    std::uint32_t buckets_ = 0;
    std::uint32_t record_words_ = 0;
    DeviceBuffer<KeptEntry> entries_;
    DeviceBuffer<float> scores_;
    DeviceBuffer<FiledRecord> filed_;
    DeviceBuffer<std::uint32_t> last_;
    DeviceBuffer<std::uint32_t> cleared_;
};

// Enqueues the ordering and writing of task.kept and its count. share: raw detections of which about one is kept.
void launch_kept_order(const KeptOrder& order, const NmsTask& task, std::int32_t share, const LaunchChain& chain);

}  // namespace throng::gpu
