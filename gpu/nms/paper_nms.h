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

namespace throng::gpu {

// Device memory of a frame. Grows with the square of D_max.
struct PaperNmsScratch {
    std::uint8_t* B = nullptr;
    std::uint8_t* V = nullptr;
    std::int32_t D_max = 0;
};

// Returns D_max for a capacity: a multiple of k, so that a block of D_max / k threads, at most 1024, reduces a row in k
// steps.
[[nodiscard]] std::int32_t paper_d_max(std::int32_t capacity, std::int32_t k);

// Enqueues MapKernel, after B was filled with 1.
void launch_paper_map(const PaperNmsScratch& scratch, const NmsTask& task, const NmsRuleSet& rules, StreamView stream);

// Enqueues ReduceKernel.
void launch_paper_reduce(const PaperNmsScratch& scratch, std::int32_t k, StreamView stream);

// Writes the kept detections in the order of precedes, with their hits. Not part of the paper, and timed separately.
void launch_paper_compact(const PaperNmsScratch& scratch, const NmsTask& task, const NmsRuleSet& rules,
                          std::uint32_t* d_hits, StreamView stream);

}  // namespace throng::gpu
