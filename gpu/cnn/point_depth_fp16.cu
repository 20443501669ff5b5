#include "gpu/cnn/point_depth.cuh"

namespace throng::gpu {

void launch_point_depth_fp16(const PointDepthTask* tasks, int count, int images, const PointDepthTile& tile,
                             const LaunchChain& chain) {
    launch_point_depth_in<__half>(tasks, count, images, tile, chain);
}

}  // namespace throng::gpu
