#include "gpu/cnn/point_depth.h"

namespace throng::gpu {

bool point_depth_fits(int channels_in, int channels_out) {
    return (channels_in == 16 || channels_in == 32 || channels_in == 64) && channels_out % kChannelStep == 0;
}

PointDepthTile point_depth_tile(std::int64_t pixels, int channels_in, int channels_out, const TileLimits& limits) {
    const auto fills = [&](int height, int channels) {
        return channels_out % channels == 0 &&
               pixels / (kTileWidth * height) * (channels_out / channels) >= limits.multiprocessors;
    };
    constexpr std::size_t kHighTile = 76U << 10;  // bytes, in 32 bits
    const bool high = limits.shared_memory >= kHighTile;
    if (high && channels_in == 16 && fills(8, 64)) return {8, 64};
    if (channels_in < 64) return {8, channels_out % 32 == 0 ? 32 : 16};
    if (high && fills(8, 64)) return {8, 64};
    if (high && fills(8, 32)) return {8, 32};
    if (fills(4, 32)) return {4, 32};
    return {4, 16};
}

}  // namespace throng::gpu
