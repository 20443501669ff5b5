#include "gpu/cascade/window_plan.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "gpu/cascade/first_stages.h"

namespace throng::gpu {
namespace {

// A queue holds this share of the windows until a frame needs more.
constexpr std::int64_t kWindowsPerQueued = 16;

std::vector<ImageSize> image_sizes(const std::vector<CascadeLevel>& levels) {
    std::vector<ImageSize> sizes;
    for (const CascadeLevel& level : levels) sizes.push_back({level.width, level.height});
    return sizes;
}

}  // namespace

WindowPlan::WindowPlan(ImageSize frame, const PyramidPlanes& planes, const std::vector<CascadeLevel>& levels,
                       bool pairs, std::int64_t reserved, StreamView stream)
    : frame_(frame), pyramid_(frame, image_sizes(levels), planes, stream) {
    std::vector<WindowTile> tiles;
    std::int32_t words = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const CascadeLevel& level = levels[i];
        const AtlasRegion& region = pyramid_.atlas().regions[i];
        const int row_words = (level.columns + 31) / 32;
        levels_.push_back(
            {level, pyramid_.atlas().origin(region), region.x, region.y, region.shelf_end, row_words, words});
        words += row_words * level.rows;
        max_step_ = std::max(max_step_, static_cast<std::int32_t>(level.step));
        window_count_ += static_cast<std::int64_t>(level.columns) * level.rows;

        first_tile_.push_back(static_cast<std::int32_t>(tiles.size()));
        const bool beside = pairs && level.step == 1;
        const int across = beside ? 2 * kTileColumns : kTileColumns;
        const int down = !pairs ? kTileRows : beside ? kPairRows : 2 * kPairRows;
        for (int row = 0; row < level.rows; row += down) {
            for (int column = 0; column < level.columns; column += across)
                tiles.push_back({static_cast<std::int32_t>(i), column, row});
        }
    }
    first_tile_.push_back(static_cast<std::int32_t>(tiles.size()));
    if (levels_.empty()) return;
    d_levels_ = uploaded(levels_, stream, "uploading the plan of windows");
    d_tiles_ = uploaded(tiles, stream, "uploading the plan of windows");
    bits_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(words));
    fill_bytes(bits_, 0, stream);
    counters_ = DeviceBuffer<QueueCounters>(1);
    fill_bytes(counters_, 0, stream);
    queued_ = DeviceBuffer<QueuedWindow>(
        static_cast<std::size_t>(std::min(window_count_, std::max(reserved, window_count_ / kWindowsPerQueued))));
    check_cuda(cudaStreamSynchronize(stream), "uploading the plan of windows");
}

WindowTask WindowPlan::task(const DetectionSpan& raw, bool rows_only) const {
    WindowTask task;
    task.pyramid = pyramid_.view();
    task.rows_only = rows_only;
    task.levels = d_levels_.data();
    task.level_count = static_cast<std::int32_t>(levels_.size());
    task.frame_width = frame_.width;
    task.frame_height = frame_.height;
    task.fell = bits_.data();
    task.raw = raw;
    return task;
}

WindowTiles WindowPlan::tiles(LevelRange levels) const {
    const std::int32_t first = first_tile_[static_cast<std::size_t>(levels.first)];
    return {d_tiles_.data() + first, first_tile_[static_cast<std::size_t>(levels.last)] - first, max_step_};
}

WindowQueue WindowPlan::queue() const {
    return {queued_.data(), counters_.data(), static_cast<std::uint32_t>(queued_.size())};
}

ClearWords WindowPlan::clear(const DetectionSpan& raw) const {
    ClearWords clear;
    clear.words = reinterpret_cast<std::uint32_t*>(counters_.data());
    clear.count = static_cast<int>(counters_.bytes() / sizeof(std::uint32_t));
    clear.more = reinterpret_cast<std::uint32_t*>(raw.count);
    clear.more_count = sizeof(DetectionCount) / sizeof(std::uint32_t);
    return clear;
}

std::size_t WindowPlan::memory() const {
    return d_levels_.bytes() + d_tiles_.bytes() + bits_.bytes() + counters_.bytes() + queued_.bytes() +
           pyramid_.memory();
}

}  // namespace throng::gpu
