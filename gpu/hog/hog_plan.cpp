#include "gpu/hog/hog_plan.h"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace throng::gpu {
namespace {

// Maximum pixels of the levels of a group. It limits the memory for gradients, 8 bytes per pixel.
constexpr std::int64_t kGroupPixels = std::int64_t{32} << 20;

// Rows of blocks per unit of the histogram: as many as possible while the device has enough units. A unit's first row
// of cells contributes only to the blocks below it, so taller units have less overhead.
constexpr int kMaxUnitRows = 8;
constexpr int kUnitsPerMultiprocessor = 3;

int histogram_rows(std::int64_t block_rows_of_units, int multiprocessors) {
    int rows = kMaxUnitRows;
    while (rows > 1 && block_rows_of_units < std::int64_t{rows} * kUnitsPerMultiprocessor * multiprocessors) rows /= 2;
    return rows;
}

std::int32_t add_taps(int source, int target, std::vector<ResizeTap>& taps) {
    const auto first = static_cast<std::int32_t>(taps.size());
    for (int i = 0; i < target; ++i) taps.push_back(resize_tap(i, source, target));
    return first;
}

HogDeviceLevel device_level(const HogLevel& level, ImageSize frame, std::vector<ResizeTap>& taps) {
    HogDeviceLevel out{};
    static_cast<HogLevel&>(out) = level;
    out.cells = level.block_columns + 1;
    out.cell_rows = level.block_rows + 1;
    out.block_pitch = (level.block_columns + 3) / 4 * 4;
    const bool resized = level.width != frame.width || level.height != frame.height;
    out.taps_x = resized ? add_taps(frame.width, level.width, taps) : -1;
    out.taps_y = resized ? add_taps(frame.height, level.height, taps) : -1;
    return out;
}

ImageSize pixels_of(const HogDeviceLevel& level) {
    return {level.cells * kHogCell, level.cell_rows * kHogCell};
}
ImageSize blocks_of(const HogDeviceLevel& level) {
    return {level.block_columns, level.block_rows};
}
ImageSize windows_of(const HogDeviceLevel& level) {
    return {level.columns, level.rows};
}

}  // namespace

HogPlan::HogPlan(ImageSize frame, const DetectorParams& params, const HogOptions& options, int multiprocessors,
                 StreamView stream)
    : frame_(frame), half_(options.half) {
    std::vector<ResizeTap> taps;
    std::int64_t pixels = 0;
    std::int64_t values = 0;
    std::int64_t max_pixels = 0;
    std::int64_t max_values = 0;
    for (const HogLevel& each :
         hog_levels(frame.width, frame.height, params.scale_factor, params.min_size, params.max_size)) {
        HogDeviceLevel level = device_level(each, frame, taps);
        const ImageSize covered = pixels_of(level);
        const std::int64_t own_pixels = std::int64_t{covered.width} * covered.height;
        const bool full = pixels + own_pixels > kGroupPixels || !options.together;
        if (groups_.empty() || full) {
            groups_.emplace_back();
            groups_.back().first = levels_.size();
            pixels = values = 0;
        }
        groups_.back().last = levels_.size() + 1;
        level.pixels = pixels;
        level.blocks = values;
        pixels += own_pixels;
        values += std::int64_t{level.block_rows} * kHogBlockValues * level.block_pitch;
        max_pixels = std::max(max_pixels, pixels);
        max_values = std::max(max_values, values);
        levels_.push_back(level);
    }

    std::vector<HogUnit> units;
    for (HogGroup& group : groups_) {
        // Divides the levels of the group into units of a kernel.
        const auto divide = [&](std::size_t kernel, ImageSize (*size_of)(const HogDeviceLevel&), int across, int down) {
            group.units[kernel].first = units.size();
            for (std::size_t i = group.first; i < group.last; ++i) {
                const ImageSize size = size_of(levels_[i]);
                for (int y = 0; y < size.height; y += down) {
                    for (int x = 0; x < size.width; x += across) units.push_back({static_cast<std::int32_t>(i), x, y});
                }
            }
            group.units[kernel].count = units.size() - group.units[kernel].first;
        };
        std::int64_t block_rows = 0;  // counted in unit widths
        for (std::size_t i = group.first; i < group.last; ++i) {
            const int across = (levels_[i].block_columns + kHistogramColumns - 1) / kHistogramColumns;
            block_rows += std::int64_t{across} * levels_[i].block_rows;
        }
        group.histogram_rows = histogram_rows(block_rows, multiprocessors);
        divide(0, pixels_of, kGradientWidth, options.several ? kGradientRows : kGradientRowsOfOne);
        divide(1, blocks_of, kHistogramColumns, group.histogram_rows);
        divide(2, blocks_of, kNormalizeColumns, kNormalizeRows);
        divide(3, windows_of, kSvmColumns, kSvmRows);
    }

    d_levels_ = uploaded(levels_, stream, "uploading the people detector's tables");
    d_taps_ = uploaded(taps, stream, "uploading the people detector's tables");
    d_units_ = uploaded(units, stream, "uploading the people detector's tables");
    plane_ = static_cast<std::size_t>(max_pixels) * (half_ ? 2 : 4);
    plane_ = (plane_ + 255) / 256 * 256;
    d_gradients_ = DeviceBuffer<std::byte>(2 * plane_);
    d_blocks_ = DeviceBuffer<float>(static_cast<std::size_t>(max_values));
    // Columns between the last block and the pitch are read; they belong to windows that do not exist.
    fill_bytes(d_blocks_, 0, stream);
    if (half_) {
        d_values_ = DeviceBuffer<std::byte>(static_cast<std::size_t>(max_values) * 2);
        fill_bytes(d_values_, 0, stream);
    }
    check_cuda(cudaStreamSynchronize(stream), "uploading the people detector's tables");
}

HogTables HogPlan::tables() const {
    HogTables tables;
    tables.levels = d_levels_.data();
    tables.taps = d_taps_.data();
    tables.units = d_units_.data();
    tables.magnitude = d_gradients_.data();
    tables.orientation = d_gradients_.data() + plane_;
    tables.blocks = d_blocks_.data();
    tables.values = half_ ? static_cast<void*>(d_values_.data()) : d_blocks_.data();
    return tables;
}

std::int64_t HogPlan::window_count() const {
    std::int64_t count = 0;
    for (const HogLevel& level : levels_) count += std::int64_t{level.columns} * level.rows;
    return count;
}

std::size_t HogPlan::memory() const {
    return d_levels_.bytes() + d_taps_.bytes() + d_units_.bytes() + d_gradients_.bytes() + d_blocks_.bytes() +
           d_values_.bytes();
}

}  // namespace throng::gpu
