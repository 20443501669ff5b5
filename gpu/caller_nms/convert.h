// Conversion between a caller's arrays and the buffers of the engines.
#pragma once

#include "core/detect/detection_buffer.h"
#include "gpu/caller_nms/caller_nms.h"
#include "gpu/nms/nms_task.h"
#include "gpu/runtime/device_buffer.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {

// Arrays that the conversion to the input of an engine writes. Null: not wanted.
struct EngineInput {
    DetectionSpan raw;
    double* corners = nullptr;       // float64 in torchvision's mode: as PairGate needs them; boxes then contain them
    std::uint64_t* order = nullptr;  // as in PairGate; in torchvision's mode always
    ClearedWords clear;              // what the conversion also sets to 0
};

void launch_engine_input(const CallerNmsTask& task, const EngineInput& to, const LaunchChain& chain);

// Orders kept detections by image.
class ImageSort {
public:
    explicit ImageSort(std::int32_t size);
    // Returns their positions by image, in an array of this object.
    [[nodiscard]] const std::uint32_t* launch(const CallerNmsTask& task, const DetectionSpan& kept,
                                              const LaunchChain& chain, StreamView stream) const;

private:
    DeviceBuffer<std::uint64_t> keys_[2];  // CUB reads and writes the pairs by turns
    DeviceBuffer<std::uint32_t> values_[2];
    DeviceBuffer<std::byte> temporary_;
};
// Writes the caller's results. The mask must be 0 before. order: of ImageSort, or null.
void launch_results(const CallerNmsTask& task, const DetectionSpan& kept, const std::uint32_t* order,
                    const LaunchChain& chain);

// The least Real above theta, so that IoU > theta is IoU >= the result.
template <typename Real>
[[nodiscard]] Real least_above(double theta);

}  // namespace throng::gpu
