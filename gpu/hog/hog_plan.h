// Everything that depends on the frame size: the levels in device memory, the work units of each block of threads, and
// memory for gradients and blocks. Nothing is allocated after its construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/algo/hog_levels.h"
#include "gpu/frame/atlas.h"
#include "gpu/hog/hog_launch.h"
#include "gpu/runtime/device_buffer.h"

namespace throng::gpu {

// Levels that share one launch of each kernel. All groups reuse the same memory.
struct HogGroup {
    std::size_t first = 0, last = 0;  // levels [first, last)
    std::array<HogUnits, kHogKernels.size()> units;
    int histogram_rows = 0;  // rows of blocks per unit
};

class HogPlan {
public:
    // Waits for the stream. multiprocessors: of the device, so that small images are split into enough units. Throws
    // Error(unavailable) if there is not enough memory.
    HogPlan(ImageSize frame, const DetectorParams& params, const HogOptions& options, int multiprocessors,
            StreamView stream);

    [[nodiscard]] ImageSize frame() const { return frame_; }
    // Returns true if no window fits.
    [[nodiscard]] bool empty() const { return levels_.empty(); }
    [[nodiscard]] const std::vector<HogDeviceLevel>& levels() const { return levels_; }
    [[nodiscard]] const std::vector<HogGroup>& groups() const { return groups_; }
    // Everything except the model's tables.
    [[nodiscard]] HogTables tables() const;
    [[nodiscard]] std::int64_t window_count() const;
    // Returns the bytes of device memory.
    [[nodiscard]] std::size_t memory() const;

private:
    ImageSize frame_;
    bool half_;
    std::vector<HogDeviceLevel> levels_;
    std::vector<HogGroup> groups_;
    std::size_t plane_ = 0;  // bytes of the magnitudes, equal to those of the orientations
    DeviceBuffer<HogDeviceLevel> d_levels_;
    DeviceBuffer<ResizeTap> d_taps_;
    DeviceBuffer<HogUnit> d_units_;
    DeviceBuffer<std::byte> d_gradients_;
    DeviceBuffer<float> d_blocks_;
    DeviceBuffer<std::byte> d_values_;  // 16 bits only
};

}  // namespace throng::gpu
