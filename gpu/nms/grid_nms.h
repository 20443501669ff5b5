// The grid engine: one-pass and greedy for any number of detections. Time grows with the number of nearby pairs, memory
// linearly.
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
    std::uint32_t first;  // precedes the others; 0xFFFFFFFF: none
    std::uint32_t count;  // a list of more than SuppressorLists::kRoom is truncated
};

struct GridNmsWork;

class GridNms {
public:
    // Enqueues the clearing of scratch memory on the stream of the launches.
    GridNms(const DeviceInfo& device, std::int32_t capacity, StreamView stream);

    // Call in this order. All calls enqueue only and allocate nothing. d_tests, if not null, is increased by the number
    // of pairs whose overlap is computed.
    void launch_order(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;
    void launch_map(const NmsTask& task, const NmsRuleSet& rules, unsigned long long* d_tests, StreamView stream) const;
    void launch_reduce(const NmsTask& task, const NmsRuleSet& rules, unsigned long long* d_tests,
                       StreamView stream) const;

    // A word in device memory: see CudaNms::coarse_flag.
    [[nodiscard]] std::uint32_t* coarse_flag() const { return grid_.coarse_flag(); }

private:
    [[nodiscard]] GridNmsWork make_work(const NmsRuleSet& rules, unsigned long long* d_tests) const;
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
