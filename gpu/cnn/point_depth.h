// YuNet's unit in one launch: a pointwise convolution, then a depthwise 3 x 3 convolution (W. Wu, H. Peng, S. Yu, 2023,
// figure 2). Optionally adds an upsampled map before, and applies activation and 2 x 2 maxima after.
#pragma once

#include "gpu/cnn/launch.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

// The work for one map. All maps have the same precision.
struct PointDepthTask {
    Map in;
    Map up;  // added to `in`, each pixel to 2 x 2 pixels; null: nothing to add
    PointWeights point;
    DepthWeights depth;
    bool relu = false;
    Map out;     // null: only `pooled` is written
    Map pooled;  // 2 x 2 maxima, half as wide and high, rounded down; null: not written
};

inline constexpr int kMaxMerge = 3;
inline constexpr int kTileWidth = 16;

// Up to kMaxMerge independent maps with equal channels, in one launch.
struct PointDepthLaunch {
    PointDepthTask task[kMaxMerge];
    int first_tile[kMaxMerge + 1] = {};  // per task, then the number of tiles
    int tiles_across[kMaxMerge] = {};
};

// Returns true if a kernel exists: for 16, 32 and 64 input channels, and multiples of 16 output channels.
[[nodiscard]] bool point_depth_fits(int channels_in, int channels_out);

// The pixels and channels per block.
struct PointDepthTile {
    int height = 8;  // by kTileWidth pixels
    int channels = 16;
};

// Returns the largest tile that fits the device's shared memory and still yields enough blocks for its multiprocessors.
// pixels: of all maps and images.
[[nodiscard]] PointDepthTile point_depth_tile(std::int64_t pixels, int channels_in, int channels_out,
                                              const TileLimits& limits);

// images: number in the batch.
void launch_point_depth_fp32(const PointDepthTask* tasks, int count, int images, const PointDepthTile& tile,
                             const LaunchChain& chain);
void launch_point_depth_fp16(const PointDepthTask* tasks, int count, int images, const PointDepthTile& tile,
                             const LaunchChain& chain);

}  // namespace throng::gpu
