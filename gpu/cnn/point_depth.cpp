#include "gpu/cnn/point_depth.h"

namespace throng::gpu {

bool point_depth_fits(int channels_in, int channels_out) {
    return (channels_in == 16 || channels_in == 32 || channels_in == 64) && channels_out % kChannelStep == 0;
}

PointDepthTile point_depth_tile(std::int64_t pixels, int channels_in, int channels_out, const TileLimits& limits) {
    const auto blocks = [&](int width, int channels) { return pixels / (width * 8) * (channels_out / channels); };
    if (channels_in < 64) return {16, channels_out % 32 == 0 ? 32 : 16};
    const std::int64_t enough = limits.multiprocessors;
    constexpr std::size_t kWideTile = 76U << 10;  // bytes, in 32 bits
    const bool wide = limits.shared_memory >= kWideTile;
    if (wide && channels_out % 64 == 0 && blocks(16, 64) >= enough) return {16, 64};
    if (wide && channels_out % 32 == 0 && blocks(16, 32) >= enough) return {16, 32};
    if (channels_out % 32 == 0 && blocks(8, 32) >= enough) return {8, 32};
    return {8, 16};
}

}  // namespace throng::gpu
