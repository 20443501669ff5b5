#include "gpu/frame/pyramid.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "gpu/frame/pyramid_kernels.h"

namespace throng::gpu {
namespace {

std::size_t strips_of(int columns) {
    return static_cast<std::size_t>((columns + kStripColumns - 1) / kStripColumns);
}

// Appends the taps of one axis, padded to a multiple of 4 so that a thread may load four at once.
std::int32_t append_taps(std::vector<std::uint32_t>& taps, int source_size, int target_size) {
    const auto first = static_cast<std::int32_t>(taps.size());
    for (int i = 0; i < target_size; ++i) taps.push_back(pack_tap(resize_tap(i, source_size, target_size)));
    while (taps.size() % 4 != 0) taps.push_back(0);
    return first;
}

}  // namespace

Pyramid::Pyramid(ImageSize frame, const std::vector<ImageSize>& levels, const PyramidPlanes& planes, StreamView stream)
    : planes_(planes), atlas_(pack_atlas(levels)) {
    const int plane_count = 1 + (planes.squares ? 1 : 0) + (planes.tilted ? 1 : 0);
    if (atlas_.entries() * plane_count > std::numeric_limits<std::int32_t>::max() ||
        std::max(frame.width, frame.height) >= kPackedOffsets) {
        throw Error(
            ErrorKind::unavailable, "this frame is too large for the pyramid of the CUDA backend",
            std::to_string(frame.width) + "x" + std::to_string(frame.height),
            {"raise %1 or %2, or use %3", Setting{"min_size"}, Setting{"scale_factor"}, Setting{"backend", "cpu"}});
    }
    std::vector<std::uint32_t> taps;
    std::vector<std::int32_t> row_level;
    std::vector<std::int32_t> strip_level;
    std::vector<std::int32_t> slant_level;
    const auto next_level = [&] {
        PyramidLevel level{};
        level.first_row = static_cast<std::int32_t>(row_level.size());
        level.first_strip = static_cast<std::int32_t>(strip_level.size());
        level.first_slant = static_cast<std::int32_t>(slant_level.size());
        return level;
    };
    for (const AtlasRegion& region : atlas_.regions) {
        PyramidLevel level = next_level();
        level.width = region.width;
        level.height = region.height;
        level.origin = atlas_.origin(region);
        level.taps_x = append_taps(taps, frame.width, region.width);
        level.taps_y = append_taps(taps, frame.height, region.height);
        const auto number = static_cast<std::int32_t>(levels_.size());
        row_level.insert(row_level.end(), static_cast<std::size_t>(region.height), number);
        strip_level.insert(strip_level.end(), strips_of(region.width), number);
        slant_level.insert(slant_level.end(), strips_of(region.width + region.height), number);
        levels_.push_back(level);
    }
    levels_.push_back(next_level());

    entries_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(atlas_.entries() * plane_count));
    fill_bytes(entries_, 0, stream);  // first rows and columns stay 0
    if (levels.empty()) return;
    d_levels_ = uploaded(levels_, stream, "uploading the pyramid's tables");
    d_row_level_ = uploaded(row_level, stream, "uploading the pyramid's tables");
    d_strip_level_ = uploaded(strip_level, stream, "uploading the pyramid's tables");
    d_slant_level_ = uploaded(slant_level, stream, "uploading the pyramid's tables");
    d_taps_ = uploaded(taps, stream, "uploading the pyramid's tables");
    check_cuda(cudaStreamSynchronize(stream), "uploading the pyramid's tables");
}

PyramidView Pyramid::view() const {
    PyramidView view;
    view.sums = entries_.data();
    view.squares = planes_.squares ? atlas_.entries() : 0;
    view.tilted = planes_.tilted ? atlas_.entries() * (planes_.squares ? 2 : 1) : 0;
    view.pitch = atlas_.pitch;
    return view;
}

PyramidTables Pyramid::tables() const {
    return {view(),         d_levels_.data(), d_row_level_.data(), d_strip_level_.data(), d_slant_level_.data(),
            d_taps_.data(), entries_.data()};
}

void Pyramid::enqueue_rows(const DeviceImage& image, LevelRange range, const ClearWords& clear,
                           StreamView stream) const {
    launch_resize_rows(tables(), image, level(range.first).first_row, level(range.last).first_row, clear, stream);
}

void Pyramid::enqueue_columns(LevelRange range, StreamView stream) const {
    const PyramidLevel& first = level(range.first);
    const PyramidLevel& end = level(range.last);
    launch_sum_columns(tables(), first.first_strip, end.first_strip, planes_.squares ? 2 : 1, stream);
    if (planes_.tilted) launch_tilted_sums(tables(), first.first_slant, end.first_slant, stream);
}

}  // namespace throng::gpu
