// Soft-NMS, linear and gaussian (N. Bodla et al., ICCV 2017), for any number of detections. The connected components of
// the overlap graph do not affect each other's scores, so they are processed concurrently, each in the rule's own
// order.
#pragma once

#include <cstdint>

#include "gpu/nms/box_grid.h"
#include "gpu/nms/kept_order.h"
#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

struct SoftSummary {
    unsigned long long best_key;  // key of the detection that precedes all others
    std::uint32_t first;          // 1 + its record, 0 while unknown
    std::uint32_t members;        // number of members stored so far
    std::uint32_t small;
    std::uint32_t large;
    std::uint32_t unused[2];
};

// Addresses in device memory, [capacity] each.
struct SoftScratch {
    SoftSummary* summary;
    std::uint32_t* links;    // by record: 1 + another of its component, 0 for a root
    std::uint32_t* sizes;    // by root
    std::uint32_t* slots;    // by record: index in its component
    std::uint32_t* starts;   // by root
    std::uint32_t* members;  // records, by component
    float* scores;           // current score, by member
    std::uint32_t* small;    // roots of components processed by one warp
    std::uint32_t* large;    // roots of components processed by one block
};

class SoftNms {
public:
    // Enqueues the clearing of scratch memory on the stream of the launches.
    SoftNms(const DeviceInfo& device, std::int32_t capacity, StreamView stream);

    // Finds the components. Enqueues only; allocates nothing. d_tests, if not null, is increased by the number of pairs
    // whose overlap is computed.
    // gate: groups only, and score_min must not be negative then.
    void launch_map(const NmsTask& task, const NmsParams& params, const PairGate& gate, unsigned long long* d_tests,
                    StreamView stream) const;
    // Processes the components and writes the picked detections in the order of picking.
    void launch_reduce(const NmsTask& task, const NmsParams& params, unsigned long long* d_tests,
                       StreamView stream) const;

private:
    [[nodiscard]] SoftScratch scratch() const;

    DeviceInfo device_;
    std::int32_t capacity_ = 0;
    BoxGridStorage grid_;
    KeptOrderStorage order_;
    DeviceBuffer<std::uint32_t> cleared_;  // summary, links and sizes: 0 before each frame
    DeviceBuffer<std::uint32_t> lists_;    // the other arrays of words
};

}  // namespace throng::gpu
