#include "gpu/cnn/steps.h"

#include <algorithm>

#include "core/base/error.h"
#include "gpu/cnn/point_depth.h"
#include "gpu/cnn/step_order.h"
#include "gpu/cnn/weight_packing.h"

namespace throng::gpu {
namespace {

class StepMaker {
public:
    StepMaker(const Network& network, Precision precision, bool fused, StreamView stream)
        : network_(network), packing_(precision, stream), fused_(fused), done_(network.layers.size()) {
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
        if (fused_) fuse_heads();
        for (int l = 0; l < layer_count(); ++l) {
            if (done_[index(l)]) continue;
            if (fused_ && (fuse_stem(l) || fuse_sum_point_depth(l) || fuse_point_depth(l, -1, -1) ||
                           fuse_depth_point(l) || fuse_convolution_sum(l) || postpone(l))) {
                continue;
            }
            add_plain(l);
        }
        out_.steps = ordered_for_merging(out_.steps, out_.aliases);
        out_.memory = packing_.take_memory();
        return std::move(out_);
    }

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] int layer_count() const { return static_cast<int>(network_.layers.size()); }
    [[nodiscard]] const NetworkLayer& layer(int l) const { return network_.layers[index(l)]; }
    [[nodiscard]] int channels(int tensor) const { return network_.tensors[index(tensor)].channels; }

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
               at.groups == channels_out(at) && at.groups == channels(at.inputs.front()) &&
               at.inputs.front() != network_.input.tensor;
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
        std::vector<HeadStep> heads;
        std::vector<int> fused;
        for (const HeadLevel& level : head.levels) {
            std::vector<const NetworkLayer*> points;
            std::vector<const NetworkLayer*> depths;
            HeadStep step;
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
            step.point = packing_.point(points, kHeadChannelsIn);
            step.depth = packing_.depth(depths);
            step.stride = static_cast<float>(level.stride);
            heads.push_back(step);
        }
        for (const int l : fused) done_[index(l)] = true;
        out_.heads = std::move(heads);
    }

    bool fuse_stem(int l) {
        const NetworkLayer& at = layer(l);
        if (at.kind != LayerKind::convolution || at.inputs.front() != network_.input.tensor || at.kernel != 3 ||
            at.stride != 2 || at.padding != 1 || at.dilation != 1 || at.groups != 1 || !is_plain(at.activation) ||
            channels_out(at) != kStemChannels) {
            return false;
        }
        Step step;
        step.in = at.inputs.front();
        step.stem = static_cast<int>(out_.stems.size());
        const int point = only_reader(at.output);
        const int depth = point >= 0 ? depth_after(point) : -1;
        if (depth >= 0 && channels_out(layer(point)) == kStemChannels) {
            step.kind = StepKind::stem_unit;
            out_.stems.push_back(packing_.stem(at, &layer(point), &layer(depth)));
            finish_unit(step, point, depth);
        } else {
            step.kind = StepKind::stem;
            step.out = at.output;
            out_.stems.push_back(packing_.stem(at, nullptr, nullptr));
            out_.steps.push_back(step);
        }
        done_[index(l)] = true;
        return true;
    }

    // Sets output, pool and bookkeeping of a unit that ends with the depthwise layer.
    void finish_unit(Step& step, int point, int depth) {
        const int tensor = layer(depth).output;
        const int pool = pool_after(tensor);
        if (pool >= 0) {
            step.pooled = layer(pool).output;
            done_[index(pool)] = true;
        }
        if (pool < 0 || only_reader(tensor) < 0) step.out = tensor;
        step.activation = layer(depth).activation;
        done_[index(point)] = done_[index(depth)] = true;
        out_.steps.push_back(step);
    }

    // in, more: replace the pointwise layer's input; -1: keep it.
    bool fuse_point_depth(int point, int in, int more) {
        const int depth = depth_after(point);
        if (depth < 0) return false;
        const NetworkLayer& at = layer(point);
        const int from = at.inputs.front();
        if (!point_depth_fits(padded_channels(channels(from)), padded_channels(channels_out(at)))) return false;
        Step step;
        step.kind = StepKind::point_depth;
        step.in = in >= 0 ? in : from;
        step.more = more;
        step.point = packing_.point({&at}, channels(from));
        step.depth = packing_.depth({&layer(depth)});
        finish_unit(step, point, depth);
        return true;
    }

    // Fuses a + upsample(b) that only a unit reads, at the position of the sum.
    bool fuse_sum_point_depth(int l) {
        const NetworkLayer& at = layer(l);
        if (at.kind != LayerKind::add || at.activation != Activation::none) return false;
        const int point = only_reader(at.output);
        if (point < 0 || depth_after(point) < 0) return false;
        for (int i = 0; i < 2; ++i) {
            const int up = writer_[index(at.inputs[index(i)])];
            if (up < 0 || !postpone(up)) continue;
            const int other = at.inputs[index(1 - i)];
            if (!fuse_point_depth(point, other, layer(up).inputs.front())) return false;
            done_[index(l)] = done_[index(up)] = true;
            return true;
        }
        return false;
    }
    [[nodiscard]] bool is_doubling(int l) const {
        return layer(l).kind == LayerKind::upsample && layer(l).factor == 2 && layer(l).activation == Activation::none;
    }

    // Tests if a later step covers the layer: an upsampling that is added in a unit, or a unit's pointwise layer.
    [[nodiscard]] bool postpone(int l) const {
        if (!is_doubling(l)) return false;
        const int sum = only_reader(layer(l).output);
        if (sum < 0 || layer(sum).kind != LayerKind::add || layer(sum).activation != Activation::none) return false;
        const std::vector<std::int32_t>& terms = layer(sum).inputs;
        const int other = writer_[index(terms.front() == layer(l).output ? terms[1] : terms.front())];
        if (other == l || (other >= 0 && is_doubling(other))) return false;
        const int point = only_reader(layer(sum).output);
        if (point < 0 || depth_after(point) < 0) return false;
        return point_depth_fits(padded_channels(channels(layer(point).inputs.front())),
                                padded_channels(channels_out(layer(point))));
    }

    bool fuse_depth_point(int l) {
        if (!is_depth(l) || layer(l).stride > 2) return false;
        const int point = only_reader(layer(l).output);
        if (point < 0 || !is_point(point)) return false;
        Step step;
        step.kind = StepKind::depth_point;
        step.in = layer(l).inputs.front();
        step.stride = layer(l).stride;
        step.depth = packing_.depth({&layer(l)});
        step.depth_activation = layer(l).activation;
        step.point = packing_.point({&layer(point)}, channels_out(layer(l)));
        step.activation = layer(point).activation;
        step.out = layer(point).output;
        done_[index(l)] = done_[index(point)] = true;
        out_.steps.push_back(step);
        return true;
    }

    // Fuses a convolution whose only reader adds it to an existing tensor.
    bool fuse_convolution_sum(int l) {
        const NetworkLayer& at = layer(l);
        if (at.kind != LayerKind::convolution || at.activation != Activation::none) return false;
        const int sum = only_reader(at.output);
        if (sum < 0 || layer(sum).kind != LayerKind::add || done_[index(sum)]) return false;
        const std::int32_t other = layer(sum).inputs[layer(sum).inputs.front() == at.output ? 1 : 0];
        const int writer = writer_[index(other)];
        if (other == at.output || other == network_.input.tensor || writer >= l || postpone(writer)) return false;
        Step step = convolution(l);
        step.more = other;
        step.out = layer(sum).output;
        step.activation = layer(sum).activation;
        done_[index(l)] = done_[index(sum)] = true;
        out_.steps.push_back(step);
        return true;
    }

    Step convolution(int l) {
        const NetworkLayer& at = layer(l);
        const int in = at.inputs.front();
        Step step;
        step.kind = StepKind::convolution;
        step.in = in;
        step.out = at.output;
        step.kernel = at.kernel;
        step.stride = at.stride;
        step.padding = at.padding;
        step.dilation = at.dilation;
        step.activation = at.activation;
        step.depthwise = at.groups == channels_out(at) && at.groups == channels(in) && in != network_.input.tensor;
        step.plain = packing_.plain(at, in == network_.input.tensor ? kInputChannels : padded_channels(channels(in)),
                                    step.depthwise);
        return step;
    }

    void add_plain(int l) {
        const NetworkLayer& at = layer(l);
        Step step;
        step.in = at.inputs.front();
        step.out = at.output;
        step.activation = at.activation;
        step.channels = padded_channels(channels(at.output));
        switch (at.kind) {
            case LayerKind::convolution: step = convolution(l); break;
            case LayerKind::max_pool:
                step.kind = StepKind::pool;
                step.kernel = at.kernel;
                step.stride = at.stride;
                step.padding = at.padding;
                break;
            case LayerKind::upsample:
                step.kind = StepKind::sum;
                step.factor_in = at.factor;
                break;
            case LayerKind::add:
                step.kind = StepKind::sum;
                step.more = at.inputs[1];
                break;
            case LayerKind::concat:
                step.kind = StepKind::sum;
                out_.needs_zero_padding[index(at.output)] = true;
                for (std::size_t i = 0; i < at.inputs.size(); ++i) {
                    step.in = at.inputs[i];
                    step.channels = channels(step.in);
                    if (i + 1 < at.inputs.size()) out_.steps.push_back(step);
                    if (i + 1 < at.inputs.size()) step.first_channel += step.channels;
                }
                break;
        }
        out_.steps.push_back(step);
        done_[index(l)] = true;
    }

    const Network& network_;
    WeightPacking packing_;
    bool fused_;
    std::vector<bool> done_;                 // per layer: covered by a step
    std::vector<std::vector<int>> readers_;  // per tensor; the head counts as layer layer_count()
    std::vector<int> writer_;
    Steps out_;
};

}  // namespace

Steps make_steps(const Network& network, Precision precision, bool fused, StreamView stream) {
    return StepMaker(network, precision, fused, stream).make();
}

}  // namespace throng::gpu
