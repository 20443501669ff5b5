#include "core/model/network.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/error.h"

namespace throng {
namespace {

constexpr std::int32_t kMaxChannels = 4096;
constexpr std::size_t kMaxLayers = 4096;
constexpr std::size_t kMaxLevels = 8;
constexpr std::int32_t kMaxKernel = 15;
constexpr std::int32_t kMaxStride = 16;
constexpr std::int32_t kMaxPadding = 64;
constexpr std::int32_t kMaxFactor = 16;
constexpr std::int32_t kMaxHeadStride = 1024;
constexpr std::size_t kMaxPriors = 16;

class NetworkCheck {
public:
    explicit NetworkCheck(const Network& network) : network_(network) {}

    void run() {
        check_tensors();
        for (const NetworkLayer& layer : network_.layers) check_layer(layer);
        check_head();
    }

private:
    [[noreturn]] void fail(const std::string& where, const std::string& problem) const {
        throw Error(ErrorKind::input, problem, network_.name + ", " + where);
    }
    void require(bool holds, const std::string& where, const char* problem) const {
        if (!holds) fail(where, problem);
    }
    [[nodiscard]] std::int32_t channels(std::int32_t tensor) const {
        return network_.tensors[static_cast<std::size_t>(tensor)].channels;
    }
    [[nodiscard]] bool exists(std::int32_t tensor) const {
        return tensor >= 0 && static_cast<std::size_t>(tensor) < network_.tensors.size();
    }

    void check_tensors() {
        require(!network_.layers.empty(), "graph", "has no layers");
        require(network_.layers.size() <= kMaxLayers, "graph", "has too many layers");
        require(network_.tensors.size() == network_.layers.size() + 1, "graph", "tensors and layers do not match");
        for (const NetworkTensor& tensor : network_.tensors) {
            require(tensor.channels >= 1 && tensor.channels <= kMaxChannels, "tensor " + tensor.name,
                    "has a number of channels out of bounds");
        }
        require(exists(network_.input.tensor) && channels(network_.input.tensor) == 3, "input",
                "is not an image with three channels");
        written_.assign(network_.tensors.size(), false);
        written_[static_cast<std::size_t>(network_.input.tensor)] = true;
    }

    void check_layer(const NetworkLayer& layer) {
        const std::string where = "layer " + layer.name;
        require(!layer.inputs.empty() && exists(layer.output), where, "has no input or no output");
        for (const std::int32_t input : layer.inputs) {
            require(exists(input) && written_[static_cast<std::size_t>(input)], where,
                    "reads a tensor that no earlier layer writes");
        }
        require(!written_[static_cast<std::size_t>(layer.output)], where, "writes a tensor that is already written");
        written_[static_cast<std::size_t>(layer.output)] = true;

        const std::int32_t in = channels(layer.inputs.front());
        const std::int32_t out = channels(layer.output);
        switch (layer.kind) {
            case LayerKind::convolution: check_convolution(layer, where, in, out); return;
            case LayerKind::max_pool:
                check_window(layer, where);
                require(layer.inputs.size() == 1 && in == out, where, "changes the number of channels");
                require(layer.padding < layer.kernel, where, "has windows that lie entirely in the padding");
                return;
            case LayerKind::upsample:
                require(layer.inputs.size() == 1 && in == out, where, "changes the number of channels");
                require(layer.factor >= 1 && layer.factor <= kMaxFactor, where, "has a factor out of bounds");
                return;
            case LayerKind::add:
                require(layer.inputs.size() == 2 && in == out && channels(layer.inputs[1]) == out, where,
                        "adds tensors with different numbers of channels");
                return;
            case LayerKind::concat: {
                std::int64_t sum = 0;
                for (const std::int32_t input : layer.inputs) sum += channels(input);
                require(sum == out, where, "has a number of channels that does not match its inputs");
                return;
            }
        }
        fail(where, "is of an unknown kind");
    }

    void check_window(const NetworkLayer& layer, const std::string& where) const {
        require(layer.kernel >= 1 && layer.kernel <= kMaxKernel, where, "has a kernel size out of bounds");
        require(layer.stride >= 1 && layer.stride <= kMaxStride, where, "has a stride out of bounds");
        require(layer.padding >= 0 && layer.padding <= kMaxPadding, where, "has a padding out of bounds");
    }

    void check_convolution(const NetworkLayer& layer, const std::string& where, std::int32_t in,
                           std::int32_t out) const {
        check_window(layer, where);
        require(layer.inputs.size() == 1, where, "has more than one input");
        require(layer.dilation >= 1 && layer.dilation <= kMaxPadding, where, "has a dilation out of bounds");
        require(layer.groups >= 1 && in % layer.groups == 0 && out % layer.groups == 0, where,
                "has groups that do not divide its channels");
        const auto requested = static_cast<std::size_t>(out) * static_cast<std::size_t>(in / layer.groups) *
                               static_cast<std::size_t>(layer.kernel) * static_cast<std::size_t>(layer.kernel);
        require(layer.weights.size() == requested, where, "has weights that do not fit its channels");
        require(layer.bias.size() == static_cast<std::size_t>(out), where, "has a bias that does not fit its channels");
        const auto finite = [](float value) { return std::isfinite(value); };
        require(std::all_of(layer.weights.begin(), layer.weights.end(), finite) &&
                    std::all_of(layer.bias.begin(), layer.bias.end(), finite),
                where, "has a weight that is not finite");
    }

    void check_map(std::int32_t tensor, std::int64_t requested, const std::string& where) const {
        require(exists(tensor) && written_[static_cast<std::size_t>(tensor)], where,
                "refers to a map that no layer writes");
        require(channels(tensor) == requested, where, "refers to a map with the wrong number of channels");
    }

    void check_head() const {
        const NetworkHead& head = network_.head;
        require(!head.levels.empty() && head.levels.size() <= kMaxLevels, "head", "has no levels or too many");
        require(std::isfinite(head.center_variance) && std::isfinite(head.size_variance), "head",
                "has variances that are not finite");
        std::int32_t previous = 0;
        for (const HeadLevel& level : head.levels) {
            const std::string where = "head of stride " + std::to_string(level.stride);
            require(level.stride > previous && level.stride <= kMaxHeadStride, where, "is out of order");
            previous = level.stride;
            const bool one_box = !has_priors(head.family);
            const auto priors = static_cast<std::int64_t>(level.priors.size());
            require(one_box ? priors == 0 : priors >= 1 && level.priors.size() <= kMaxPriors, where,
                    "has a number of priors out of bounds");
            for (const Prior& prior : level.priors) {
                require(std::isfinite(prior.width) && prior.width > 0.0F && std::isfinite(prior.height) &&
                            prior.height > 0.0F,
                        where, "has an empty prior");
            }
            check_map(level.score, one_box ? 1 : 2 * priors, where + ", score");
            check_map(level.box, one_box ? 4 : 4 * priors, where + ", box");
            if (one_box) check_map(level.objectness, 1, where + ", objectness");
            if (head.has_landmarks) check_map(level.landmarks, one_box ? 10 : 10 * priors, where + ", landmarks");
        }
    }

    const Network& network_;
    std::vector<bool> written_;
};

}  // namespace

MapSize size_after(const NetworkLayer& layer, MapSize in) {
    const auto window = [&](std::int32_t extent) {
        const std::int64_t reach = std::int64_t{layer.dilation} * (layer.kernel - 1) + 1;
        const std::int64_t available = std::int64_t{extent} + 2 * std::int64_t{layer.padding} - reach;
        return available < 0 ? 0 : static_cast<std::int32_t>(available / layer.stride + 1);
    };
    switch (layer.kind) {
        case LayerKind::convolution:
        case LayerKind::max_pool: return {window(in.width), window(in.height)};
        case LayerKind::upsample: return {in.width * layer.factor, in.height * layer.factor};
        case LayerKind::add:
        case LayerKind::concat: break;
    }
    return in;
}

void check_network(const Network& network) {
    NetworkCheck(network).run();
}

std::vector<MapSize> resolve_sizes(const Network& network, std::int32_t width, std::int32_t height) {
    // Far beyond any image, and small enough that products of two fit into 64 bits.
    constexpr std::int32_t kMaxSide = 1 << 20;
    const auto fail = [&](const std::string& where, const std::string& problem) {
        throw Error(ErrorKind::input, problem, network.name + ", " + where,
                    {"use an input size that is a multiple of %1 pixels", input_multiple(network)});
    };
    std::vector<MapSize> sizes(network.tensors.size());
    sizes[static_cast<std::size_t>(network.input.tensor)] = {width, height};
    for (const NetworkLayer& layer : network.layers) {
        const MapSize in = sizes[static_cast<std::size_t>(layer.inputs.front())];
        for (const std::int32_t other : layer.inputs) {
            if (sizes[static_cast<std::size_t>(other)] != in) {
                fail("layer " + layer.name, "its inputs differ in size for an input of " + std::to_string(width) + "x" +
                                                std::to_string(height) + " pixels");
            }
        }
        const MapSize out = size_after(layer, in);
        if (out.width < 1 || out.height < 1 || out.width > kMaxSide || out.height > kMaxSide) {
            fail("layer " + layer.name, "has an empty or too large output for an input of " + std::to_string(width) +
                                            "x" + std::to_string(height) + " pixels");
        }
        sizes[static_cast<std::size_t>(layer.output)] = out;
    }
    for (const HeadLevel& level : network.head.levels) {
        for (const std::int32_t map : {level.objectness, level.box, level.landmarks}) {
            if (map >= 0 && sizes[static_cast<std::size_t>(map)] != sizes[static_cast<std::size_t>(level.score)]) {
                fail("head of stride " + std::to_string(level.stride), "has maps of different sizes");
            }
        }
    }
    return sizes;
}

std::int32_t input_multiple(const Network& network) {
    return network.head.levels.empty() ? 1 : network.head.levels.back().stride;
}

std::uint64_t multiply_adds(const Network& network, std::int32_t width, std::int32_t height) {
    const std::vector<MapSize> sizes = resolve_sizes(network, width, height);
    std::uint64_t sum = 0;
    for (const NetworkLayer& layer : network.layers) {
        const MapSize out = sizes[static_cast<std::size_t>(layer.output)];
        // Each weight is applied once per pixel of the output map.
        sum += layer.weights.size() * static_cast<std::uint64_t>(out.width) * static_cast<std::uint64_t>(out.height);
    }
    return sum;
}

std::string_view family_name(HeadFamily family) {
    switch (family) {
        case HeadFamily::yunet: return "YuNet";
        case HeadFamily::ultraface: return "UltraFace";
        case HeadFamily::yolox: return "YOLOX";
        case HeadFamily::retinaface: break;
    }
    return "RetinaFace";
}

DetectorId detector_of_family(HeadFamily family) {
    return family == HeadFamily::yolox ? DetectorId::person : DetectorId::cnn;
}

}  // namespace throng
