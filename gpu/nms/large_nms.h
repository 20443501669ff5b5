// The fast engine for any number of detections: time grows with the number of nearby pairs, memory linearly. Rules
// one-pass and greedy.
#pragma once

#include <cstdint>

#include "gpu/nms/box_grid.h"
#include "gpu/nms/kept_order.h"
#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// The suppressors of a record.
struct alignas(8) SuppressorHead {
    std::uint32_t first;  // precedes the others; 0xFFFFFFFF: none; the record itself: the list is truncated
    std::uint32_t count;
};

struct LargeNmsWork;

class LargeNms {
public:
    // Enqueues the clearing of scratch memory on the stream of the launches.
    LargeNms(const DeviceInfo& device, std::int32_t capacity, StreamView stream);

    // Call in this order. Frames with fewer than least detections are left untouched. All calls enqueue only and
    // allocate nothing. d_tests, if not null, is increased by the number of pairs whose overlap is computed.
    // launch_order enqueues the binning, of which other engines may launch a part.
    [[nodiscard]] GridBuild binning(const NmsRuleSet& rules, std::uint32_t least) const;
    void launch_order(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least, StreamView stream) const;
    void launch_map(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least, unsigned long long* d_tests,
                    StreamView stream) const;
    void launch_reduce(const NmsTask& task, const NmsRuleSet& rules, std::uint32_t least, unsigned long long* d_tests,
                       StreamView stream) const;

    [[nodiscard]] std::size_t bytes() const;

private:
    [[nodiscard]] LargeNmsWork make_work(const NmsRuleSet& rules, std::uint32_t least,
                                         unsigned long long* d_tests) const;
    // Returns enough blocks to keep every multiprocessor busy to the end; a block processes several shares in sequence.
    [[nodiscard]] unsigned most_blocks() const { return static_cast<unsigned>(device_.multiprocessors) * 32; }

    DeviceInfo device_;
    unsigned settle_blocks_ = 0;  // blocks that are resident at the same time
    BoxGridStorage grid_;
    KeptOrderStorage order_;
    DeviceBuffer<std::uint32_t> state_;  // by record, like the next arrays
    DeviceBuffer<SuppressorHead> heads_;
    DeviceBuffer<std::uint32_t> entries_;
    DeviceBuffer<std::uint32_t> hits_;
    DeviceBuffer<std::uint32_t> open_;
};

}  // namespace throng::gpu
