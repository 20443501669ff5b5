// YuNet's unit in one launch: a pointwise convolution, then a depthwise one of 3 x 3 (W. Wu, H. Peng, S. Yu, 2023,
// figure 2), with what stands before it (an upsampled map that is added) and behind it (activation, maxima of 2 x 2).
#pragma once

#include "gpu/cnn/chain.h"
#include "gpu/cnn/map.h"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

// One map's work. All maps have the same precision.
struct PointDepthTask {
    Map in;
    Map up;  // added to `in`, every pixel of it to 2 x 2; null: nothing to add
    PointWeights point;
    DepthWeights depth;
    bool relu = false;
    Map out;     // null: only `pooled` is requested
    Map pooled;  // half as wide and high, rounded down: the maxima; null: not requested
};

inline constexpr int kMaxMerge = 3;

// Up to kMaxMerge maps that do not depend on one another, of equal channels, in one launch.
struct PointDepthLaunch {
    PointDepthTask task[kMaxMerge];
    int first_tile[kMaxMerge + 1] = {};  // of each task, then the number of tiles
    int tiles_across[kMaxMerge] = {};
};

// The kernels exist for 16, 32 and 64 channels in, and multiples of 16 out.
[[nodiscard]] bool point_depth_fits(int channels_in, int channels_out);

// The pixels and channels a block works on.
struct PointDepthTile {
    int width = 16;  // by 8 pixels
    int channels = 16;
};

// The largest tile that fits the device's shared memory and still gives its multiprocessors enough blocks. pixels: of
// all maps and images.
[[nodiscard]] PointDepthTile point_depth_tile(std::int64_t pixels, int channels_in, int channels_out,
                                              const TileLimits& limits);

// images: of the batch.
void launch_point_depth_fp32(const PointDepthTask* tasks, int count, int images, const PointDepthTile& tile,
                             const Chain& chain);
void launch_point_depth_fp16(const PointDepthTask* tasks, int count, int images, const PointDepthTile& tile,
                             const Chain& chain);

}  // namespace throng::gpu
