#include "gpu/cascade/window_plan.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "gpu/cascade/first_stages.h"

namespace throng::gpu {
namespace {

// A queue holds this share of the windows until a frame needs more.
constexpr std::int64_t kWindowsPerQueued = 16;

// Returns the levels to process, with the levels of the requested window sizes marked as reported.
std::vector<WindowLevel> choose_levels(ImageSize frame, const WindowShape& shape, const DetectorParams& params,
                                       bool first_useful_scale) {
    const auto levels_from = [&](int min_size) {
        return cascade_levels(frame.width, frame.height, shape.width, shape.height, params.scale_factor, min_size,
                              params.max_size);
    };
    std::vector<WindowLevel> levels;
    const auto add = [&levels](const CascadeLevel& level, bool reported) {
        WindowLevel entry{};
        entry.level = level;
        entry.reported = reported ? 1 : 0;
        levels.push_back(entry);
    };
    const std::vector<CascadeLevel> requested = levels_from(params.min_size);
    if (!first_useful_scale && !requested.empty()) {
        for (const CascadeLevel& level : levels_from(1)) {
            if (level.scale < requested.front().scale) add(level, false);
        }
    }
    for (const CascadeLevel& level : requested) add(level, true);
    return levels;
}

std::vector<ImageSize> image_sizes(const std::vector<WindowLevel>& levels) {
    std::vector<ImageSize> sizes;
    for (const WindowLevel& level : levels) sizes.push_back({level.level.width, level.level.height});
    return sizes;
}

}  // namespace

WindowPlan::WindowPlan(ImageSize frame, const WindowShape& shape, const DetectorParams& params,
                       const CascadeOptions& options, bool pairs, int queues, std::int64_t reserved, StreamView stream)
    : frame_(frame),
      shape_(shape),
      stride_(options.stride),
      min_share_(options.mask.min_share),
      levels_(choose_levels(frame, shape, params, options.first_useful_scale)),
      pyramid_(frame, image_sizes(levels_), {shape.squares, shape.tilted, options.mask.active() && !levels_.empty()},
               stream) {
    std::vector<WindowTile> tiles;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
        WindowLevel& entry = levels_[i];
        const AtlasRegion& region = pyramid_.atlas().regions[i];
        entry.origin = static_cast<std::int64_t>(region.y) * pyramid_.atlas().pitch + region.x;
        entry.x = region.x;
        entry.y = region.y;
        entry.shelf_end = region.shelf_end;
        entry.words = (entry.level.columns + 31) / 32;
        entry.first_word = word_count_;

        const auto number = static_cast<int>(i);
        if (groups_.empty() || options.scales != Scales::together) {
            Group group;
            group.levels = {number, number};
            group.windows.first_tile = static_cast<std::int32_t>(tiles.size());
            groups_.push_back(group);
        }
        const bool beside = pairs && entry.level.step == 1;
        const int columns = beside ? 2 * kTileColumns : kTileColumns;
        const int rows = !pairs ? kTileRows : beside ? kPairRows : 2 * kPairRows;
        for (int row = 0; row < entry.level.rows; row += rows) {
            for (int column = 0; column < entry.level.columns; column += columns)
                tiles.push_back({number, column, row});
        }
        word_count_ += entry.words * entry.level.rows;
        const std::int64_t count = static_cast<std::int64_t>(entry.level.columns) * entry.level.rows;
        window_count_ += count;

        Group& group = groups_.back();
        group.levels.last = number + 1;
        group.windows.end_tile = static_cast<std::int32_t>(tiles.size());
        group.window_count += count;
    }
    std::int64_t queued = 0;
    for (Group& group : groups_) {
        group.capacity = std::min(group.window_count, std::max(reserved, group.window_count / kWindowsPerQueued));
        group.first_queued = queued;
        queued += queues * group.capacity;
    }
    if (levels_.empty()) return;
    d_levels_ = uploaded(levels_, stream, "uploading the plan of windows");
    d_tiles_ = uploaded(tiles, stream, "uploading the plan of windows");
    bits_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(word_count_) * (stride_ > 1 ? 2 : 1));
    fill_bytes(bits_, 0, stream);
    counters_ = DeviceBuffer<GroupCounters>(groups_.size());
    fill_bytes(counters_, 0, stream);
    queued_ = DeviceBuffer<QueuedWindow>(static_cast<std::size_t>(queued));
    for (std::size_t g = 0; g < groups_.size(); ++g) groups_[g].windows.counters = counters_.data() + g;
    check_cuda(cudaStreamSynchronize(stream), "uploading the plan of windows");
}

QueuedWindow* WindowPlan::queue(int g, int turn) const {
    const Group& group = groups_[static_cast<std::size_t>(g)];
    return queued_.data() + group.first_queued + turn * group.capacity;
}

WindowTask WindowPlan::task() const {
    WindowTask task;
    task.pyramid = pyramid_.view();
    task.levels = d_levels_.data();
    task.level_count = static_cast<std::int32_t>(levels_.size());
    task.window_width = shape_.width;
    task.window_height = shape_.height;
    task.frame_width = frame_.width;
    task.frame_height = frame_.height;
    task.fell = bits_.data();
    task.requested = stride_ > 1 ? bits_.data() + word_count_ : nullptr;
    task.stride = stride_;
    task.min_share = min_share_;
    return task;
}

ClearWords WindowPlan::counters() const {
    ClearWords clear;
    clear.words = reinterpret_cast<std::uint32_t*>(counters_.data());
    clear.count = static_cast<int>(counters_.bytes() / sizeof(std::uint32_t));
    return clear;
}

int WindowPlan::max_step() const {
    int step = 1;
    for (const WindowLevel& level : levels_) step = std::max(step, static_cast<int>(level.level.step));
    return step;
}

std::size_t WindowPlan::memory() const {
    return d_levels_.bytes() + d_tiles_.bytes() + bits_.bytes() + counters_.bytes() + queued_.bytes() +
           pyramid_.memory();
}

}  // namespace throng::gpu
