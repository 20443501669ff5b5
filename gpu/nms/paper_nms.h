// The paper's two kernels as published: D. Oro, C. Fernandez, X. Martorell, J. Hernando, Work-efficient parallel
// non-maximum suppression kernels, The Computer Journal 65(4), 2022 (arXiv 2502.00535), section 3. The baseline of the
// fast engines. Names are the paper's:
//   D      the detections, in any order, with their scores s
//   D_max  how many a frame may hold
//   B      [D_max][D_max] B_ij is 0 where j suppresses i, otherwise 1
//   V      [D_max] V_i is 1 where i is kept
//   theta  the overlap from which j suppresses i
//   k      the steps in which a block reduces its row of B
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// Device memory of a frame. Grows with the square of D_max.
struct PaperNmsScratch {
    std::uint8_t* B = nullptr;
    std::uint8_t* V = nullptr;
    std::uint32_t* hits = nullptr;
    std::int32_t D_max = 0;
    std::int32_t k = 0;
};

class PaperNms {
public:
    // D_max is a multiple of k, so that a block of D_max / k threads reduces a row in k steps. Throws Error(usage) if
    // the capacity needs more than 1024 threads.
    PaperNms(std::int32_t capacity, std::int32_t k);

    // Call in this order; they enqueue only. MapKernel, after B was filled with 1.
    void launch_map(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;
    // ReduceKernel.
    void launch_reduce(StreamView stream) const;
    // Writes the kept detections in the order of precedes, with their hits. Not part of the paper, and timed separately.
    void launch_compact(const NmsTask& task, const NmsRuleSet& rules, StreamView stream) const;

    [[nodiscard]] const PaperNmsScratch& scratch() const { return scratch_; }

private:
    PaperNmsScratch scratch_;
    DeviceBuffer<std::byte> memory_;
};

}  // namespace throng::gpu
