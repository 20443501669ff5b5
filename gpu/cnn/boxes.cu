#include "gpu/cnn/box_sink.cuh"
#include "gpu/cnn/elements.cuh"
#include "gpu/cnn/heads.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

constexpr int kThreads = 128;

// Decodes one cell's box per thread.
template <typename T>
__global__ void __launch_bounds__(kThreads) boxes_kernel(const __grid_constant__ BoxMaps maps) {
    const int block = static_cast<int>(blockIdx.x);
    const int image = static_cast<int>(blockIdx.z);
    const int which = maps.blocks.task_of(block);
    const BoxLevel& level = maps.level[which];
    start_kernel();
    const std::int64_t index = static_cast<std::int64_t>(block - maps.blocks.first(which)) * kThreads + threadIdx.x;
    const int box_of_cell = static_cast<int>(index % level.boxes_per_cell);
    const std::int64_t cell = index / level.boxes_per_cell;
    if (cell >= static_cast<std::int64_t>(level.score.width) * level.score.height) return;
    const int x = static_cast<int>(cell % level.score.width);
    const int y = static_cast<int>(cell / level.score.width);
    const auto value = [&](const Map& map, int channel) {
        return static_cast<float>(*Image<const T>(map, image, channel).at(x, y));
    };
    if (maps.family == HeadFamily::yunet || maps.family == HeadFamily::yolox) {
        const float score_logit = value(level.score, 0);
        const float object_logit = value(level.objectness, 0);
        const float score = maps.family == HeadFamily::yunet ? yunet_score(score_logit, object_logit)
                                                             : yolox_score(score_logit, object_logit);
        if (!(score >= maps.sink.threshold)) return;
        const Box box = yunet_box(value(level.box, 0), value(level.box, 1), value(level.box, 2), value(level.box, 3), x,
                                  y, level.stride);
        put_box(maps.sink, image, box, score, level.landmarks.data != nullptr,
                [&](int i) { return yunet_landmark(value(level.landmarks, i), i % 2 == 0 ? x : y, level.stride); });
        return;
    }
    const float score = ultraface_score(value(level.score, 2 * box_of_cell), value(level.score, 2 * box_of_cell + 1));
    if (!(score >= maps.sink.threshold)) return;
    const int first = 4 * box_of_cell;
    const Prior prior = level.priors[box_of_cell];
    const Box box = ultraface_box(value(level.box, first), value(level.box, first + 1), value(level.box, first + 2),
                                  value(level.box, first + 3), x, y, level.pitch, prior.width, prior.height,
                                  maps.center_variance, maps.size_variance);
    put_box(maps.sink, image, box, score, level.landmarks.data != nullptr, [&](int i) {
        const float offset = value(level.landmarks, 10 * box_of_cell + i);
        return i % 2 == 0 ? prior_landmark(offset, x, level.pitch.x, prior.width, maps.center_variance)
                          : prior_landmark(offset, y, level.pitch.y, prior.height, maps.center_variance);
    });
}

}  // namespace

void launch_boxes(const BoxMaps& maps, int images, Precision precision, const LaunchChain& chain) {
    BoxMaps launch = maps;
    launch.blocks = {maps.count, [&](int i) {
                         const Map& map = maps.level[i].score;
                         return blocks_for(std::int64_t{map.width} * map.height * maps.level[i].boxes_per_cell,
                                           kThreads);
                     }};
    const LaunchSize shape{dim3(launch.blocks.total(), 1, static_cast<unsigned>(images)), dim3(kThreads), 0};
    chain.launch("boxes_kernel", precision == Precision::fp32 ? boxes_kernel<float> : boxes_kernel<__half>, shape,
                 launch);
}

}  // namespace throng::gpu
