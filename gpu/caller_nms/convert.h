// Conversion between a caller's arrays and the buffers of the engines.
#pragma once

#include "core/detect/detection_buffer.h"
#include "gpu/caller_nms/caller_nms.h"
#include "gpu/nms/pair_gate.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {

// Arrays of `size` entries in the workspace, for sorting by rank or image. CUB reads and writes the pairs by turns.
struct SortArrays {
    std::uint64_t* keys[2] = {};
    std::uint32_t* values[2] = {};
    void* temporary = nullptr;
    std::size_t temporary_bytes = 0;
};
[[nodiscard]] std::size_t sort_temporary_bytes(std::int32_t size);

// Arrays that the conversion to the input of an engine writes. Null: not wanted.
struct EngineInput {
    DetectionSpan raw;
    std::int64_t* class_ids = nullptr;  // for int32 ids
    std::int64_t* image_ids = nullptr;
    void* corners = nullptr;               // torchvision's mode: as PairGate needs them; boxes then contain them
    std::uint32_t* coarse = nullptr;       // set to 1 if a box is much larger than its corners say
    std::uint32_t* farthest = nullptr;     // with ids and corners: bits of the largest coordinate, as float
    const std::uint32_t* order = nullptr;  // by rank; null: scores are the caller's, otherwise they descend with rank
};

// Sorts the boxes by descending score and index. Returns the indices by rank, one of sort.values. farthest: as above.
[[nodiscard]] const std::uint32_t* launch_rank_sort(const CallerNmsTask& task, const SortArrays& sort,
                                                    std::uint32_t* farthest, const LaunchChain& chain,
                                                    StreamView stream);
void launch_engine_input(const CallerNmsTask& task, const EngineInput& to, const LaunchChain& chain);

// Orders kept detections by image. Returns their positions, one of sort.values.
[[nodiscard]] const std::uint32_t* launch_image_sort(const CallerNmsTask& task, const DetectionSpan& kept,
                                                     const SortArrays& sort, const LaunchChain& chain,
                                                     StreamView stream);
// Writes the caller's results. The mask must be 0 before. order: of launch_image_sort, or null.
void launch_results(const CallerNmsTask& task, const DetectionSpan& kept, const std::uint32_t* order,
                    const LaunchChain& chain);

// The least Real above theta, so that IoU > theta is IoU >= the result.
template <typename Real>
[[nodiscard]] Real least_above(double theta);

}  // namespace throng::gpu
