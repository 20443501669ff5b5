#include "gpu/cnn/network_run.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/model/map_layout.h"
#include "gpu/cnn/plain_layers.h"
#include "gpu/cnn/point_depth.h"
#include "gpu/cnn/stem.h"
#include "gpu/cnn/tile_convolution.h"
#include "gpu/runtime/launch.cuh"

namespace throng::gpu {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

NetworkRun::NetworkRun(const Network& network, const Steps& steps, Precision precision, const DeviceInfo& device,
                       int width, int height, int images, bool native, StreamView stream)
    : network_(&network), steps_(&steps), precision_(precision), device_(device), images_(images) {
    first_group_ = native && begins_with_stem() ? 1 : 0;
    lay_out_maps(width, height, stream);
}

// Tests if the first step is a stem and nothing else reads the network's input.
bool NetworkRun::begins_with_stem() const {
    const int input = network_->input.tensor;
    std::ptrdiff_t readers = 0;
    for (const StepGroup& group : steps_->groups) {
        readers += std::count_if(group.begin(), group.end(), [&](const Step& step) {
            return step.in == input || step.up == input || step.more == input;
        });
    }
    return readers == 1 && steps_->groups.front().front().kind == StepKind::stem;
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
    const auto end = static_cast<int>(steps_->groups.size());
    for (int g = 0; g < end; ++g) {
        for (const Step& step : steps_->groups[at(g)]) {
            for (const int tensor : {step.in, step.up, step.more, step.out, step.pooled}) live(tensor, g);
        }
    }
    for (const Step& head : steps_->heads) live(head.in, end);
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

StepTask NetworkRun::task_of(const Step& step) const {
    return {step,
            map(step.in),
            map_or_none(step.up),
            map_or_none(step.more),
            map_or_none(step.out),
            map_or_none(step.pooled)};
}

void NetworkRun::enqueue_input(PreprocessTask frames, int images, StreamView stream) const {
    const LaunchChain chain(stream, false);  // the first kernel waits for all earlier work
    if (first_group_ == 1) {
        return launch_stem(task_of(steps_->groups.front().front()), frames, images, precision_, chain);
    }
    frames.out = input();
    launch_preprocess(frames, images, precision_, chain);
}

void NetworkRun::enqueue_layers(int images, StreamView stream, bool overlap) const {
    for (auto group = steps_->groups.begin() + first_group_; group != steps_->groups.end(); ++group) {
        launch(*group, images, stream, overlap);
    }
}

void NetworkRun::launch(const StepGroup& group, int images, StreamView stream, bool overlap) const {
    StepTask tasks[kMaxConvolutions];
    std::transform(group.begin(), group.end(), tasks, [&](const Step& step) { return task_of(step); });
    const auto count = static_cast<int>(group.size());
    // Kernels that load weights before they read a map gain from an early start; others would only occupy
    // multiprocessors.
    const LaunchChain early(stream, overlap && device_.has_dependent_launch());
    switch (tasks[0].kind) {
        case StepKind::stem: return launch_stem(tasks[0], {}, images, precision_, early);
        case StepKind::point_depth: return launch_point_depth(tasks, count, images, precision_, device_, early);
        case StepKind::tile_convolution:
            return launch_tile_convolutions(tasks, count, images, precision_, device_, early);
        case StepKind::convolution:
        case StepKind::pool:
        case StepKind::sum: return launch_plain(tasks[0], images, precision_, LaunchChain(stream, false));
    }
}

const StepGroup& NetworkRun::enqueue_launch(int l, StreamView stream) const {
    const StepGroup& group = steps_->groups[at(first_group_ + l)];
    launch(group, images_, stream, false);
    return group;
}

void NetworkRun::enqueue_boxes(const BoxSink& sink, int images, StreamView stream, bool overlap) const {
    const LaunchChain chain(stream, overlap && device_.has_dependent_launch());
    const NetworkHead& head = network_->head;
    if (!steps_->heads.empty()) {
        YunetHeads heads;
        heads.sink = sink;
        heads.has_landmarks = head.has_landmarks;
        for (const Step& step : steps_->heads) heads.head[heads.count++] = task_of(step);
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
