#include "gpu/cnn/steps.h"

#include <algorithm>

#include "core/base/error.h"
#include "gpu/cnn/heads.h"
#include "gpu/cnn/point_depth.h"
#include "gpu/cnn/simplify.h"
#include "gpu/cnn/stem.h"
#include "gpu/cnn/step_order.h"
#include "gpu/cnn/tile_convolution.h"
#include "gpu/cnn/weight_packing.h"

namespace throng::gpu {
namespace {

class StepMaker {
public:
    StepMaker(const Network& network, Precision precision, bool fused, std::size_t shared_memory, StreamView stream)
        : network_(fused ? simplified(network) : network),
          packing_(precision, stream),
          fused_(fused),
          stem_takes_unit_(stem_unit_bytes(precision) <= shared_memory),
          done_(network.layers.size()) {
        readers_.resize(network.tensors.size());
        writer_.assign(network.tensors.size(), -1);
        for (int l = 0; l < layer_count(); ++l) {
            for (const std::int32_t input : layer(l).inputs) readers_[index(input)].push_back(l);
            writer_[index(layer(l).output)] = l;
        }
        for (const HeadLevel& level : network.head.levels) {
            for (const std::int32_t map : {level.score, level.objectness, level.box, level.landmarks}) {
                if (map >= 0) readers_[index(map)].push_back(layer_count());
            }
        }
    }

    Steps make() {
        for (const int l : readers_[index(network_.input.tensor)]) {
            if (l < layer_count() && layer(l).kind == LayerKind::convolution) continue;
            throw Error(ErrorKind::unavailable, "the CUDA detector supports only networks that begin with convolutions",
                        network_.name, {"use %1", Setting{"backend", "cpu"}});
        }
        const NetworkHead& head = network_.head;
        const bool fits = head.levels.size() <= kMaxLevels &&
                          std::all_of(head.levels.begin(), head.levels.end(),
                                      [](const HeadLevel& level) { return level.priors.size() <= kMaxPriors; });
        if (!fits) {
            throw Error(ErrorKind::unavailable,
                        "the CUDA detector supports at most 4 strides with at most 4 boxes per cell", network_.name,
                        {"use %1", Setting{"backend", "cpu"}});
        }
        out_.aliases.resize(network_.tensors.size());
        out_.needs_zero_padding.resize(network_.tensors.size());
        alias_concatenations();
        if (fused_) {
            fuse_heads();
            fuse_upsampled_sums();
        }
        for (int l = 0; l < layer_count(); ++l) {
            if (done_[index(l)]) continue;
            if (!fused_ || !(fuse_stem(l) || fuse_point_depth(l) || fuse_convolution(l))) add_plain(l);
        }
        out_.groups = grouped(steps_, out_.aliases);
        out_.memory = packing_.take_memory();
        return std::move(out_);
    }

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] int layer_count() const { return static_cast<int>(network_.layers.size()); }
    [[nodiscard]] const NetworkLayer& layer(int l) const { return network_.layers[index(l)]; }
    [[nodiscard]] int channels(int tensor) const { return network_.tensors[index(tensor)].channels; }

    // Returns a step with the shape of layer l.
    [[nodiscard]] Step step_of(StepKind kind, int l) const {
        const NetworkLayer& at = layer(l);
        Step step;
        step.kind = kind;
        step.in = at.inputs.front();
        step.out = at.output;
        step.activation = at.activation;
        step.kernel = at.kernel;
        step.stride = at.stride;
        step.padding = at.padding;
        step.dilation = at.dilation;
        step.factor = at.factor;
        step.channels = padded_channels(channels(at.output));
        return step;
    }
    // Returns the only layer that reads the tensor, or -1.
    [[nodiscard]] int only_reader(int tensor) const {
        const std::vector<int>& readers = readers_[index(tensor)];
        return readers.size() == 1 && readers.front() < layer_count() ? readers.front() : -1;
    }
    [[nodiscard]] bool is_point(int l) const {
        const NetworkLayer& at = layer(l);
        return at.kind == LayerKind::convolution && at.kernel == 1 && at.stride == 1 && at.padding == 0 &&
               at.groups == 1 && at.inputs.front() != network_.input.tensor;
    }
    [[nodiscard]] bool is_depth(int l) const {
        const NetworkLayer& at = layer(l);
        return at.kind == LayerKind::convolution && at.kernel == 3 && at.padding == 1 && at.dilation == 1 &&
               is_depthwise(at);
    }
    // The kernels of YuNet's stem and units have no other activations.
    [[nodiscard]] static bool is_plain(Activation activation) {
        return activation == Activation::none || activation == Activation::relu;
    }
    // Returns the depthwise layer that forms a unit with the pointwise layer l, or -1.
    [[nodiscard]] int depth_after(int l) const {
        if (!is_point(l) || layer(l).activation != Activation::none) return -1;
        const int next = only_reader(layer(l).output);
        const bool fits = next >= 0 && is_depth(next) && layer(next).stride == 1;
        return fits && is_plain(layer(next).activation) ? next : -1;
    }
    // Returns the 2 x 2 pool that reads the tensor, or -1.
    [[nodiscard]] int pool_after(int tensor) const {
        for (const int l : readers_[index(tensor)]) {
            if (l >= layer_count()) continue;
            const NetworkLayer& at = layer(l);
            if (at.kind == LayerKind::max_pool && at.kernel == 2 && at.stride == 2 && at.padding == 0 &&
                at.activation == Activation::none) {
                return l;
            }
        }
        return -1;
    }

    // Concatenations of tensors whose channels fill whole vectors need no copy: their inputs are written in place.
    void alias_concatenations() {
        for (const NetworkLayer& at : network_.layers) {
            if (at.kind != LayerKind::concat || at.activation != Activation::none) continue;
            const bool fits = std::all_of(at.inputs.begin(), at.inputs.end(), [&](std::int32_t t) {
                return channels(t) % kChannelStep == 0 && t != network_.input.tensor &&
                       out_.aliases[index(t)].whole < 0 && layer(writer_[index(t)]).kind != LayerKind::concat &&
                       std::count(at.inputs.begin(), at.inputs.end(), t) == 1;
            });
            if (!fits) continue;
            int first = 0;
            for (const std::int32_t t : at.inputs) {
                out_.aliases[index(t)] = {at.output, first};
                first += channels(t);
            }
            done_[static_cast<std::size_t>(&at - network_.layers.data())] = true;
        }
    }

    // YuNet's heads: per stride, four pairs of a pointwise and a depthwise layer that read one tensor.
    void fuse_heads() {
        const NetworkHead& head = network_.head;
        if (head.family != HeadFamily::yunet) return;
        StepGroup heads;
        std::vector<int> fused;
        for (const HeadLevel& level : head.levels) {
            std::vector<const NetworkLayer*> points;
            std::vector<const NetworkLayer*> depths;
            Step step;
            for (const std::int32_t map : {level.score, level.objectness, level.box, level.landmarks}) {
                if (map < 0) continue;
                const int depth = writer_[index(map)];
                if (depth < 0 || !is_depth(depth) || readers_[index(map)].size() != 1) return;
                const int point = writer_[index(layer(depth).inputs.front())];
                if (point < 0 || depth_after(point) != depth || layer(depth).activation != Activation::none) return;
                const int in = layer(point).inputs.front();
                if ((step.in >= 0 && step.in != in) || channels(in) != kHeadChannelsIn) return;
                step.in = in;
                points.push_back(&layer(point));
                depths.push_back(&layer(depth));
                fused.insert(fused.end(), {point, depth});
            }
            step.point = packing_.point(points);
            step.depth = packing_.plain(depths, 1);
            step.stride = level.stride;
            heads.push_back(step);
        }
        for (const int l : fused) done_[index(l)] = true;
        out_.heads = std::move(heads);
    }

    bool fuse_stem(int l) {
        const NetworkLayer& at = layer(l);
        const bool has_kernel = (at.kernel == 3 && at.padding == 1) || (at.kernel == 6 && at.padding == 2);
        if (at.kind != LayerKind::convolution || at.inputs.front() != network_.input.tensor || !has_kernel ||
            at.stride != 2 || at.dilation != 1 || at.groups != 1 || channels_out(at) > kStemChannels) {
            return false;
        }
        Step step = step_of(StepKind::stem, l);
        std::swap(step.first_activation, step.activation);
        const int point = only_reader(at.output);
        const int depth = point >= 0 ? depth_after(point) : -1;
        if (depth >= 0 && stem_takes_unit_ && at.kernel == 3 && is_plain(at.activation) &&
            channels_out(at) == kStemChannels && channels_out(layer(point)) == kStemChannels) {
            step.stem = packing_.stem(at, 1.0F);
            add_unit(step, point, depth);
        } else {
            step.stem = packing_.stem(at, weight_scale(at));
            steps_.push_back(step);
        }
        done_[index(l)] = true;
        return true;
    }

    // Adds a unit to the step, with the pool that follows.
    void add_unit(Step& step, int point, int depth) {
        step.point = packing_.point({&layer(point)});
        step.depth = packing_.plain({&layer(depth)}, 1);
        const int tensor = layer(depth).output;
        const int pool = pool_after(tensor);
        if (pool >= 0) {
            step.pooled = layer(pool).output;
            done_[index(pool)] = true;
        }
        step.out = pool < 0 || only_reader(tensor) < 0 ? tensor : -1;
        step.activation = layer(depth).activation;
        done_[index(point)] = done_[index(depth)] = true;
        steps_.push_back(step);
    }

    bool fuse_point_depth(int point) {
        const int depth = depth_after(point);
        if (depth < 0) return false;
        Step step = step_of(StepKind::point_depth, point);
        if (!point_depth_fits(padded_channels(channels(step.in)), padded_channels(channels(step.out)))) return false;
        read_terms(step, point);
        add_unit(step, point, depth);
        return true;
    }

    // A sum with an upsampled map becomes a part of the only unit or convolution that reads it.
    void fuse_upsampled_sums() {
        terms_.resize(network_.layers.size());
        for (int l = 0; l < layer_count(); ++l) {
            const NetworkLayer& at = layer(l);
            const int reader =
                at.kind == LayerKind::add && at.activation == Activation::none ? only_reader(at.output) : -1;
            if (reader < 0 || !is_dense(reader)) continue;
            const int writers[] = {writer_[index(at.inputs[0])], writer_[index(at.inputs[1])]};
            const bool first = is_doubling(writers[0]);
            if (first == is_doubling(writers[1])) continue;
            const int up = writers[first ? 0 : 1];
            terms_[index(reader)] = {at.inputs[first ? 1 : 0], layer(up).inputs.front()};
            done_[index(l)] = done_[index(up)] = true;
        }
    }
    // Tests if the layer doubles a map for one reader.
    [[nodiscard]] bool is_doubling(int l) const {
        return l >= 0 && layer(l).kind == LayerKind::upsample && layer(l).factor == 2 &&
               layer(l).activation == Activation::none && only_reader(layer(l).output) >= 0;
    }
    // Replaces the input of layer l by the terms of the sum that it includes, if any.
    void read_terms(Step& step, int l) const {
        const Terms& terms = terms_[index(l)];
        if (terms.in < 0) return;
        step.in = terms.in;
        step.up = terms.up;
    }

    // A convolution that is not depthwise and that a kernel on tensor cores computes.
    [[nodiscard]] bool is_dense(int l) const {
        const NetworkLayer& at = layer(l);
        return at.kind == LayerKind::convolution && at.inputs.front() != network_.input.tensor && !is_depthwise(at) &&
               tile_convolution_fits(at.kernel, at.stride, at.dilation);
    }
    [[nodiscard]] bool is_depthwise(const NetworkLayer& at) const {
        return at.groups == channels_out(at) && at.groups == channels(at.inputs.front()) &&
               at.inputs.front() != network_.input.tensor;
    }

    // Fuses a dense convolution, or a depthwise and a pointwise one, with a following sum.
    bool fuse_convolution(int l) {
        Step step = step_of(StepKind::tile_convolution, l);
        read_terms(step, l);
        int last = l;
        if (is_depth(l) && layer(l).stride <= 2) {
            last = only_reader(layer(l).output);
            if (last < 0 || !is_point(last)) return false;
            step.depth = packing_.plain({&layer(l)}, 1);
            step.first_activation = layer(l).activation;
        } else if (!is_dense(l)) {
            return false;
        }
        step.point = packing_.point({&layer(last)}, weight_scale(layer(last)));
        step.activation = layer(last).activation;
        step.out = layer(last).output;
        done_[index(l)] = done_[index(last)] = true;
        if (const int sum = sum_after(last); sum >= 0) {
            const std::vector<std::int32_t>& terms = layer(sum).inputs;
            step.more = terms.front() == step.out ? terms[1] : terms.front();
            step.out = layer(sum).output;
            step.sum_activation = layer(sum).activation;
            done_[index(sum)] = true;
        }
        steps_.push_back(step);
        return true;
    }

    // Returns the layer that adds another tensor to the output of layer l, which nothing else reads, or -1.
    [[nodiscard]] int sum_after(int l) const {
        const std::int32_t out = layer(l).output;
        const int sum = only_reader(out);
        if (sum < 0 || layer(sum).kind != LayerKind::add || done_[index(sum)]) return -1;
        const std::int32_t other = layer(sum).inputs[layer(sum).inputs.front() == out ? 1 : 0];
        return other != out && other != network_.input.tensor ? sum : -1;
    }

    void add_plain(int l) {
        const NetworkLayer& at = layer(l);
        Step step = step_of(at.kind == LayerKind::convolution ? StepKind::convolution
                            : at.kind == LayerKind::max_pool  ? StepKind::pool
                                                              : StepKind::sum,
                            l);
        done_[index(l)] = true;
        if (at.kind == LayerKind::concat) {
            out_.needs_zero_padding[index(at.output)] = true;
            for (const std::int32_t input : at.inputs) {
                step.in = input;
                step.channels = channels(input);
                steps_.push_back(step);
                step.first_channel += step.channels;
            }
            return;
        }
        if (at.kind == LayerKind::add) step.more = at.inputs[1];
        if (at.kind == LayerKind::convolution) {
            const int in = step.in == network_.input.tensor ? kInputChannels : padded_channels(channels(step.in));
            step.depthwise = is_depthwise(at);
            step.plain = packing_.plain({&at}, step.depthwise ? 1 : in);
        }
        steps_.push_back(step);
    }

    const Network network_;
    WeightPacking packing_;
    bool fused_, stem_takes_unit_;
    std::vector<bool> done_;                 // per layer: covered by a step
    std::vector<std::vector<int>> readers_;  // per tensor; the head counts as layer layer_count()
    std::vector<int> writer_;
    struct Terms {
        int in = -1, up = -1;
    };
    std::vector<Terms> terms_;  // per layer: of the sum that its step includes
    std::vector<Step> steps_;
    Steps out_;
};

}  // namespace

Steps make_steps(const Network& network, Precision precision, bool fused, std::size_t shared_memory,
                 StreamView stream) {
    return StepMaker(network, precision, fused, shared_memory, stream).make();
}

}  // namespace throng::gpu
