// Shared by the kernels of the matrix engine. Latency is most of the time of these kernels. So each first issues all
// loads whose addresses do not depend on the number of detections, up to the capacity, and discards what is beyond that
// number afterwards.
#pragma once

#include "gpu/nms/lane_group.cuh"
#include "gpu/nms/matrix_layout.h"
#include "gpu/nms/matrix_nms.h"
#include "gpu/nms/pair_test.cuh"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu::matrix {

constexpr std::uint32_t kMaxTiles = kMatrixLimit / kTile;
constexpr unsigned kThreads = 256;
constexpr unsigned kRowLanes = 8;              // that share a row
static_assert(kThreads / kRowLanes == kTile);  // a block has one tile of rows

__device__ __forceinline__ Box invalid_box() {
    return {0.0F, 0.0F, -1.0F, -1.0F};
}
__device__ __forceinline__ bool is_present(Box ranked) {
    return ranked.w > 0.0F;
}

__device__ __forceinline__ Candidate load_ranked(const MatrixScratch& scratch, std::uint32_t rank) {
    return {load_box(scratch.boxes, rank), scratch.scores[rank], scratch.source[rank]};
}

}  // namespace throng::gpu::matrix
