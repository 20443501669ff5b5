// The paper's two kernels as published: D. Oro et al., Work-efficient parallel non-maximum suppression kernels, section
// 3. The baseline of the fast engines.
#pragma once

#include <cstdint>

#include "gpu/nms/nms_task.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

// Device memory for frames of up to d_max detections. Grows with the square of d_max.
struct PaperNmsScratch {
    std::uint8_t* matrix = nullptr;  // B, [d_max][d_max]: 1 unless column j suppresses row i
    std::uint8_t* vector = nullptr;  // V, [d_max]: 1 for kept
    std::int32_t d_max = 0;
};

// Returns D_max for a capacity: a multiple of the step k times a warp, so that D_max / k threads reduce a row in k
// steps, with at most 1024 threads.
[[nodiscard]] std::int32_t paper_d_max(std::int32_t capacity, std::int32_t k);

// Fills B with 1 and computes it with one thread per pair (i, j), in 2-D blocks.
void launch_paper_map(const PaperNmsScratch& scratch, const NmsTask& task, const NmsRuleSet& rules, StreamView stream);

// Computes V_i as the AND of row i: block i, D_max / k threads, k steps.
void launch_paper_reduce(const PaperNmsScratch& scratch, std::int32_t k, StreamView stream);

// Writes the kept detections in the order of precedes, with their hits. Not part of the paper, and timed separately.
void launch_paper_compact(const PaperNmsScratch& scratch, const NmsTask& task, const NmsRuleSet& rules,
                          std::uint32_t* d_hits, StreamView stream);

}  // namespace throng::gpu
