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
    out.scale = level.scale;
    out.box_width = level.box_width;
    out.box_height = level.box_height;
    out.width = level.width;
    out.height = level.height;
    out.cells = level.block_columns + 1;
    out.cell_rows = level.block_rows + 1;
    out.block_pitch = (level.block_columns + 3) / 4 * 4;
    out.columns = level.columns;
    out.rows = level.rows;
    const bool resized = level.width != frame.width || level.height != frame.height;
    out.taps_x = resized ? add_taps(frame.width, level.width, taps) : -1;
    out.taps_y = resized ? add_taps(frame.height, level.height, taps) : -1;
    return out;
}

std::int64_t pixel_count(const HogDeviceLevel& level) {
    return std::int64_t{level.cells} * level.cell_rows * kHogCell * kHogCell;
}

std::int64_t value_count(const HogDeviceLevel& level) {
    return std::int64_t{level.cell_rows - 1} * kHogBlockValues * level.block_pitch;
}

void add_units(std::size_t level, int width, int height, int step_x, int step_y, std::vector<HogUnit>& units) {
    for (int y = 0; y < height; y += step_y) {
        for (int x = 0; x < width; x += step_x) units.push_back({static_cast<std::int32_t>(level), x, y});
    }
}

}  // namespace

HogPlan::HogPlan(ImageSize frame, const DetectorParams& params, const HogOptions& options, int multiprocessors,
                 StreamView stream)
    : frame_(frame),
      half_(options.half),
      levels_(hog_levels(frame.width, frame.height, params.scale_factor, params.min_size, params.max_size)) {
    std::vector<ResizeTap> taps;
    std::int64_t pixels = 0;
    std::int64_t values = 0;
    std::int64_t max_pixels = 0;
    std::int64_t max_values = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
        HogDeviceLevel level = throng::gpu::device_level(levels_[i], frame, taps);
        const bool full = pixels + pixel_count(level) > kGroupPixels || !options.together;
        if (groups_.empty() || full) {
            groups_.emplace_back();
            groups_.back().first = i;
            pixels = values = 0;
        }
        groups_.back().last = i + 1;
        level.pixels = pixels;
        level.blocks = values;
        pixels += pixel_count(level);
        values += value_count(level);
        max_pixels = std::max(max_pixels, pixels);
        max_values = std::max(max_values, values);
        device_levels_.push_back(level);
    }

    std::vector<HogUnit> units;
    std::vector<std::size_t> starts;
    for (HogGroup& group : groups_) {
        const auto each = [&](auto add) {
            starts.push_back(units.size());
            for (std::size_t i = group.first; i < group.last; ++i) add(i, device_levels_[i]);
        };
        each([&](std::size_t i, const HogDeviceLevel& level) {
            add_units(i, level.cells * kHogCell, level.cell_rows * kHogCell, kGradientWidth,
                      options.several ? kGradientRows : kGradientRowsOfOne, units);
        });
        std::int64_t block_rows = 0;  // counted in unit widths
        for (std::size_t i = group.first; i < group.last; ++i) {
            const int across = (levels_[i].block_columns + kHistogramColumns - 1) / kHistogramColumns;
            block_rows += std::int64_t{across} * levels_[i].block_rows;
        }
        group.histogram_rows = histogram_rows(block_rows, multiprocessors);
        each([&](std::size_t i, const HogDeviceLevel& level) {
            add_units(i, level.cells - 1, level.cell_rows - 1, kHistogramColumns, group.histogram_rows, units);
        });
        each([&](std::size_t i, const HogDeviceLevel& level) {
            add_units(i, level.cells - 1, level.cell_rows - 1, kNormalizeColumns, kNormalizeRows, units);
        });
        each([&](std::size_t i, const HogDeviceLevel& level) {
            add_units(i, level.columns, level.rows, kSvmColumns, kSvmRows, units);
        });
    }
    starts.push_back(units.size());

    d_levels_ = uploaded(device_levels_, stream, "uploading the people detector's tables");
    d_taps_ = uploaded(taps, stream, "uploading the people detector's tables");
    d_units_ = uploaded(units, stream, "uploading the people detector's tables");
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        HogUnits* const kernels[] = {&groups_[g].gradient, &groups_[g].histogram, &groups_[g].normalize,
                                     &groups_[g].svm};
        for (std::size_t k = 0; k < 4; ++k) {
            const std::size_t first = starts[4 * g + k];
            *kernels[k] = {d_units_.data() + first, static_cast<std::int32_t>(starts[4 * g + k + 1] - first)};
        }
    }
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
