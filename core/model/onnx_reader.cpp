#include "core/model/onnx_reader.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/detect/detector_kinds.h"
#include "core/model/model_finder.h"
#include "core/model/onnx_graph.h"
#include "core/model/onnx_head.h"
#include "core/model/onnx_values.h"

namespace throng {
namespace {

// Removes layers that no map of the head depends on, and renumbers the remaining tensors.
void drop_unused(Network& network) {
    std::vector<bool> needed(network.tensors.size(), false);
    const auto need = [&](std::int32_t tensor) {
        if (tensor >= 0) needed[static_cast<std::size_t>(tensor)] = true;
    };
    for (const HeadLevel& level : network.head.levels) {
        for (const std::int32_t map : {level.score, level.objectness, level.box, level.landmarks}) need(map);
    }
    for (auto layer = network.layers.rbegin(); layer != network.layers.rend(); ++layer) {
        if (!needed[static_cast<std::size_t>(layer->output)]) continue;
        for (const std::int32_t input : layer->inputs) need(input);
    }
    need(network.input.tensor);

    std::vector<std::int32_t> number(network.tensors.size(), -1);
    std::vector<NetworkTensor> tensors;
    for (std::size_t i = 0; i < needed.size(); ++i) {
        if (!needed[i]) continue;
        number[i] = static_cast<std::int32_t>(tensors.size());
        tensors.push_back(std::move(network.tensors[i]));
    }
    const auto renumber = [&](std::int32_t& tensor) {
        if (tensor >= 0) tensor = number[static_cast<std::size_t>(tensor)];
    };
    const auto unused = [&](const NetworkLayer& layer) { return !needed[static_cast<std::size_t>(layer.output)]; };
    network.layers.erase(std::remove_if(network.layers.begin(), network.layers.end(), unused), network.layers.end());
    for (NetworkLayer& layer : network.layers) {
        for (std::int32_t& input : layer.inputs) renumber(input);
        renumber(layer.output);
    }
    for (HeadLevel& level : network.head.levels) {
        for (std::int32_t* map : {&level.score, &level.objectness, &level.box, &level.landmarks}) renumber(*map);
    }
    renumber(network.input.tensor);
    network.tensors = std::move(tensors);
}

}  // namespace

Network parse_onnx(std::string_view bytes, const std::string& name, std::int32_t object_class) {
    const OnnxGraph graph = parse_onnx_graph(bytes, name);
    const HeadFamily family = recognize_family(graph);
    OnnxNetwork built = build_network(graph);
    attach_head(graph, family, object_class, built);
    drop_unused(built.network);
    check_network(built.network);
    // Check the size that engines will request, too.
    const std::int32_t multiple = input_multiple(built.network);
    static_cast<void>(resolve_sizes(built.network, multiple, multiple));
    return std::move(built.network);
}

Network read_onnx(const std::filesystem::path& file) {
    std::error_code failed;
    const std::uintmax_t size = std::filesystem::file_size(file, failed);  // fails for pipes
    if (failed) throw Error(ErrorKind::input, {"cannot be read: %1", failed.message().c_str()}, file.string());
    ReadOptions options;
    options.what = "detector";
    options.max_bytes = kMaxOnnxFile;
    const std::string bytes = read_file(file, options);
    if (bytes.size() != size) throw Error(ErrorKind::input, "cannot be read completely", file.string());
    return parse_onnx(bytes, file.string());
}

Network read_network(const DetectorParams& params) {
    Network network = read_onnx(find_model(params.model, params.kind));
    const DetectorKind& runs = detector_kind(detector_of_family(network.head.family));
    const DetectorKind& asked = detector_kind(params.kind);
    if (!asked.shares_models(runs)) {
        throw Error(ErrorKind::usage,
                    {"finds %1, not %2", std::string(runs.finds).c_str(), std::string(asked.finds).c_str()},
                    network.name,
                    {"use %1, or name a model of %2", Setting{"detector", std::string(runs.name)},
                     std::string(asked.finds).c_str()});
    }
    return network;
}

}  // namespace throng
