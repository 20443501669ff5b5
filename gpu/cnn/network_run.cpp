#include "gpu/cnn/network_run.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/model/map_layout.h"
#include "gpu/cnn/plain_layers.h"
#include "gpu/cnn/point_depth.h"
#include "gpu/cnn/preprocess.h"
#include "gpu/cnn/step_order.h"
#include "gpu/cnn/tile_convolution.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

std::size_t shared_memory_of_multiprocessor(const DeviceInfo& device) {
    int bytes = 0;
    check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device.index),
               "cudaDeviceGetAttribute");
    return static_cast<std::size_t>(bytes);
}

}  // namespace

NetworkRun::NetworkRun(const Network& network, const Steps& steps, Precision precision, const DeviceInfo& device,
                       int width, int height, int images, bool native, StreamView stream)
    : network_(&network),
      steps_(&steps),
      precision_(precision),
      limits_{device.multiprocessors, device.shared_memory, shared_memory_of_multiprocessor(device)},
      can_overlap_(device.has_dependent_launch()),
      images_(images) {
    group_steps();
    first_group_ = native && begins_with_stem() ? 1 : 0;
    lay_out_maps(width, height, stream);
}

// Tests if the first step is a stem and nothing else reads the network's input.
bool NetworkRun::begins_with_stem() const {
    const auto reads_input = [&](const Step& step) { return step.in == network_->input.tensor; };
    const Step& first = steps_->steps.front();
    return (first.kind == StepKind::stem || first.kind == StepKind::stem_unit) && reads_input(first) &&
           std::none_of(steps_->steps.begin() + 1, steps_->steps.end(), reads_input);
}

// Consecutive units or convolutions that do not read each other's output share a launch: the heads of all strides.
void NetworkRun::group_steps() {
    const std::vector<Step>& steps = steps_->steps;
    for (int s = 0; s < static_cast<int>(steps.size()); ++s) {
        const Step& step = steps[at(s)];
        if (!groups_.empty() && groups_.back().count < max_merge(step)) {
            const auto first = steps.begin() + groups_.back().first;
            if (std::all_of(first, steps.begin() + s,
                            [&](const Step& other) { return can_merge(other, step, steps_->aliases); })) {
                ++groups_.back().count;
                continue;
            }
        }
        groups_.push_back({s, 1});
    }
}

void NetworkRun::lay_out_maps(int width, int height, StreamView stream) {
    const std::vector<MapSize> sizes = resolve_sizes(*network_, width, height);
    const auto tensors = static_cast<int>(sizes.size());
    const std::size_t element = precision_ == Precision::fp32 ? 4 : 2;
    const auto own = [&](int tensor) {
        const int whole = steps_->aliases[at(tensor)].whole;
        return whole >= 0 ? whole : tensor;
    };

    // Lifetimes, in group indices.
    std::vector<MapLife> lives(at(tensors), MapLife{0, 1 << 30, -1});
    const auto live = [&](int tensor, int when) {
        if (tensor < 0 || (tensor == network_->input.tensor && first_group_ == 1)) return;  // the stem reads frames
        MapLife& life = lives[at(own(tensor))];
        life.first = std::min(life.first, when);
        life.last = std::max(life.last, when);
    };
    live(network_->input.tensor, -1);
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
        for (int s = groups_[at(g)].first; s < groups_[at(g)].first + groups_[at(g)].count; ++s) {
            const Step& step = steps_->steps[at(s)];
            for (const int tensor : {step.in, step.up, step.more, step.out, step.pooled}) live(tensor, g);
        }
    }
    const auto end = static_cast<int>(groups_.size());
    for (const HeadStep& head : steps_->heads) live(head.in, end);
    if (steps_->heads.empty()) {
        for (const HeadLevel& level : network_->head.levels) {
            for (const int map : {level.score, level.objectness, level.box, level.landmarks}) live(map, end);
        }
    }

    maps_.resize(at(tensors));
    for (int t = 0; t < tensors; ++t) {
        const int channels = network_->tensors[at(t)].channels;
        Map& map = maps_[at(t)];
        map.width = sizes[at(t)].width;
        map.height = sizes[at(t)].height;
        map.channels = t == network_->input.tensor ? kInputChannels : padded_channels(channels);
        map.pitch = map.channels;
        map.image = std::int64_t{map.width} * map.height * map.pitch;
        if (map.image > std::numeric_limits<std::int32_t>::max()) {
            throw Error(ErrorKind::unavailable,
                        "an input of " + std::to_string(width) + "x" + std::to_string(height) +
                            " pixels is too large for the CUDA detector",
                        network_->name, {"raise %1", Setting{"min_size"}});
        }
        if (lives[at(t)].last < lives[at(t)].first) continue;  // internal to a kernel, or part of another tensor
        lives[at(t)].bytes = static_cast<std::size_t>(map.image) * at(images_) * element;
        if (steps_->needs_zero_padding[at(t)]) lives[at(t)].first = -1, lives[at(t)].last = end;
    }
    const MapLayout layout = lay_out(lives);
    memory_ = DeviceBuffer<std::byte>(layout.bytes);
    fill_bytes(memory_, 0, stream);
    for (int t = 0; t < tensors; ++t) {
        if (lives[at(t)].bytes != 0) maps_[at(t)].data = memory_.data() + layout.offsets[at(t)];
    }
    for (int t = 0; t < tensors; ++t) {
        const TensorAlias alias = steps_->aliases[at(t)];
        if (alias.whole < 0) continue;
        const Map& whole = maps_[at(alias.whole)];
        maps_[at(t)].data = static_cast<std::byte*>(whole.data) + at(alias.first_channel) * element;
        maps_[at(t)].pitch = whole.pitch;
        maps_[at(t)].image = whole.image;
    }
}

Map NetworkRun::map_or_none(int tensor) const {
    return tensor >= 0 ? map(tensor) : Map{};
}

StemTask NetworkRun::stem_task(const Step& step) const {
    return {map(step.in), map_or_none(step.out), map_or_none(step.pooled), steps_->stems[at(step.stem)]};
}

void NetworkRun::enqueue_input(PreprocessTask frames, int images, StreamView stream) const {
    const LaunchChain chain(stream, false);  // the first kernel waits for all earlier work
    if (first_group_ == 1) return launch_stem(stem_task(steps_->steps.front()), frames, images, precision_, chain);
    frames.out = input();
    launch_preprocess(frames, images, precision_, chain);
}

void NetworkRun::enqueue_layers(int images, StreamView stream, bool overlap) const {
    for (auto group = groups_.begin() + first_group_; group != groups_.end(); ++group) {
        launch(*group, images, stream, overlap && can_overlap_ && prefetches(*group));
    }
}

// Kernels that load weights before they read a map gain from an early start; others would only occupy multiprocessors.
bool NetworkRun::prefetches(const Group& group) const {
    const StepKind kind = steps_->steps[at(group.first)].kind;
    return kind == StepKind::stem || kind == StepKind::stem_unit || kind == StepKind::point_depth ||
           kind == StepKind::tile_convolution;
}

void NetworkRun::launch(const Group& group, int images, StreamView stream, bool overlap) const {
    const LaunchChain chain(stream, overlap);
    const Step& step = steps_->steps[at(group.first)];
    switch (step.kind) {
        case StepKind::stem:
        case StepKind::stem_unit: return launch_stem(stem_task(step), {}, images, precision_, chain);
        case StepKind::point_depth: {
            PointDepthTask tasks[kMaxMerge];
            std::int64_t pixels = 0;
            for (int i = 0; i < group.count; ++i) {
                const Step& each = steps_->steps[at(group.first + i)];
                tasks[i] = {map(each.in),
                            map_or_none(each.up),
                            each.point,
                            each.depth,
                            each.activation == Activation::relu,
                            map_or_none(each.out),
                            map_or_none(each.pooled)};
                pixels += std::int64_t{tasks[i].in.width} * tasks[i].in.height * images;
            }
            const PointDepthTile tile = point_depth_tile(pixels, step.point.in, step.point.out, limits_);
            const auto launch_kernel =
                precision_ == Precision::fp32 ? launch_point_depth_fp32 : launch_point_depth_fp16;
            return launch_kernel(tasks, group.count, images, tile, chain);
        }
        case StepKind::tile_convolution: {
            TileConvolution tasks[kMaxConvolutions];
            for (int i = 0; i < group.count; ++i) {
                const Step& each = steps_->steps[at(group.first + i)];
                tasks[i] = {map(each.in),
                            map_or_none(each.up),
                            each.depth,
                            each.depth_activation,
                            each.point,
                            each.kernel,
                            each.stride,
                            each.padding,
                            each.dilation,
                            each.activation,
                            map_or_none(each.more),
                            each.sum_activation,
                            map(each.out)};
            }
            return launch_tile_convolutions(tasks, group.count, images, precision_, limits_, chain);
        }
        case StepKind::plain_convolution:
            return launch_plain(PlainConvolution{map(step.in), map(step.out), step.plain, step.kernel, step.stride,
                                                 step.padding, step.dilation, step.depthwise, step.activation},
                                images, precision_, chain);
        case StepKind::pool:
            return launch_plain(
                PlainPool{map(step.in), map(step.out), step.kernel, step.stride, step.padding, step.activation}, images,
                precision_, chain);
        case StepKind::sum:
            return launch_plain(PlainSum{map(step.in), map_or_none(step.more), map(step.out), step.factor_in,
                                         step.factor_more, step.channels, step.first_channel, step.activation},
                                images, precision_, chain);
    }
}

std::span<const Step> NetworkRun::enqueue_launch(int l, StreamView stream) const {
    const Group& group = groups_[at(first_group_ + l)];
    launch(group, images_, stream, false);
    return {&steps_->steps[at(group.first)], at(group.count)};
}

void NetworkRun::enqueue_boxes(const BoxSink& sink, int images, StreamView stream, bool overlap) const {
    const LaunchChain chain(stream, overlap && can_overlap_);
    const NetworkHead& head = network_->head;
    if (!steps_->heads.empty()) {
        YunetHeads heads;
        heads.sink = sink;
        heads.has_landmarks = head.has_landmarks;
        for (const HeadStep& step : steps_->heads) {
            heads.head[heads.count++] = {map(step.in), step.point, step.depth, step.stride};
        }
        launch_yunet_heads(heads, images, precision_, chain);
        return;
    }
    BoxMaps maps;
    maps.sink = sink;
    maps.family = head.family;
    maps.center_variance = head.center_variance;
    maps.size_variance = head.size_variance;
    for (const HeadLevel& level : head.levels) {
        BoxLevel& to = maps.level[maps.count++];
        to.score = map(level.score);
        to.objectness = map_or_none(level.objectness);
        to.box = map(level.box);
        to.landmarks = head.has_landmarks ? map_or_none(level.landmarks) : Map{};
        to.stride = static_cast<float>(level.stride);
        to.pitch = {static_cast<float>(input().width) / static_cast<float>(to.score.width),
                    static_cast<float>(input().height) / static_cast<float>(to.score.height)};
        to.boxes_per_cell = level.boxes_per_cell();
        std::copy(level.priors.begin(), level.priors.end(), to.priors);
    }
    launch_boxes(maps, images, precision_, chain);
}

}  // namespace throng::gpu
