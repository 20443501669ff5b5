// The blocks of a launch that processes several maps.
#pragma once

#include "core/algo/host_device.h"
#include "gpu/cnn/step.h"

namespace throng::gpu {

// Assigns the blocks to up to kMax tasks, one after the other.
template <int kMax>
class TaskBlocks {
public:
    TaskBlocks() = default;
    // blocks_of(i): number of blocks of task i < count.
    template <typename Count>
    TaskBlocks(int count, Count blocks_of) {
        for (int i = 0; i < kMax; ++i) first_[i + 1] = first_[i] + (i < count ? static_cast<int>(blocks_of(i)) : 0);
    }

    [[nodiscard]] unsigned total() const { return static_cast<unsigned>(first_[kMax]); }
    [[nodiscard]] TH_HD int task_of(int block) const {
        int task = 0;
        for (int i = 1; i < kMax; ++i) task += block >= first_[i] ? 1 : 0;
        return task;
    }
    [[nodiscard]] TH_HD int first(int task) const { return first_[task]; }

private:
    int first_[kMax + 1] = {};
};

// A map is cut into tiles of equal size, row by row.
TH_HD int tiles_across(const Map& map, int tile_width) {
    return (map.width + tile_width - 1) / tile_width;
}
TH_HD int tile_count(const Map& map, int tile_width, int tile_height) {
    return tiles_across(map, tile_width) * ((map.height + tile_height - 1) / tile_height);
}

}  // namespace throng::gpu
