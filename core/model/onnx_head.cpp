#include "core/model/onnx_head.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "core/algo/cnn_boxes.h"
#include "core/base/error.h"

namespace throng {
namespace {

[[noreturn]] void fail(const OnnxGraph& graph, const std::string& problem, const std::string& advice = {}) {
    throw Error(ErrorKind::input, problem, graph.file, advice);
}

const OnnxValue* output(const OnnxGraph& graph, const OnnxNetwork& built, const std::string& name) {
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
        if (graph.outputs[i].name == name) return &built.outputs[i];
    }
    return nullptr;
}

bool has_output(const OnnxGraph& graph, std::string_view name) {
    return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                       [&](const OnnxValueInfo& info) { return info.name == name; });
}

std::string shape_text(const OnnxValueInfo& info) {
    if (!info.has_shape) return "[?]";
    std::vector<std::string> dims;
    for (const std::int64_t dim : info.shape) dims.push_back(dim < 0 ? "?" : std::to_string(dim));
    return fmt::format("[{}]", fmt::join(dims, ", "));
}

// Guesses the kind of model from its typical outputs; empty if unknown.
std::string guess_kind(const OnnxGraph& graph) {
    const std::vector<OnnxValueInfo>& outputs = graph.outputs;
    if (has_output(graph, "loc") && has_output(graph, "conf") && has_output(graph, "iou")) {
        return "a YuNet of 2022, without the outputs cls, obj, bbox and kps";
    }
    const bool scrfd = std::any_of(outputs.begin(), outputs.end(),
                                   [](const OnnxValueInfo& o) { return o.name.rfind("score_", 0) == 0; });
    if (scrfd) return "SCRFD, a face detector of another family";
    if (outputs.size() != 1 || !outputs.front().has_shape) return {};
    const std::vector<std::int64_t>& shape = outputs.front().shape;
    if (shape.size() == 2 && (shape[1] == 128 || shape[1] == 256 || shape[1] == 512)) {
        return fmt::format("a face recognizer with embeddings of {} numbers", shape[1]);
    }
    if (shape.size() == 2 && shape[1] > 1) return fmt::format("an image classifier with {} classes", shape[1]);
    if (shape.size() == 3) return "a detector such as YOLO or DETR";
    if (shape.size() == 4) return "an image-to-image network, such as a segmentation";
    return {};
}

// YuNet
// -----------------------------------------------------------------------------------------------------------------

// Returns 8 for "cls_8"; nothing for another name.
std::optional<std::int32_t> stride_of(const std::string& name, std::string_view beginning) {
    if (name.rfind(beginning, 0) != 0) return std::nullopt;
    const std::string digits = name.substr(beginning.size());
    if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) {
        return std::nullopt;
    }
    return std::stoi(digits);
}

std::set<std::int32_t> yunet_strides(const OnnxGraph& graph) {
    std::set<std::int32_t> strides;
    for (const OnnxValueInfo& info : graph.outputs) {
        if (const auto stride = stride_of(info.name, "cls_")) strides.insert(*stride);
    }
    return strides;
}

// Returns the map that an output of YuNet comes from; -1 if there is no such output.
std::int32_t yunet_map(const OnnxGraph& graph, const OnnxNetwork& built, const std::string& name, std::int64_t columns,
                       MapFunction function) {
    const OnnxValue* value = output(graph, built, name);
    if (value == nullptr) return -1;
    const auto* rows = std::get_if<RowsValue>(value);
    if (rows == nullptr || rows->maps.size() != 1 || rows->columns != columns || rows->function != function) {
        fail(graph, fmt::format("its output {} does not have YuNet's layout: one row of {} per cell{}", name, columns,
                                function == MapFunction::sigmoid ? ", through a sigmoid" : ""));
    }
    return rows->maps.front();
}

void attach_yunet(const OnnxGraph& graph, OnnxNetwork& built) {
    Network& network = built.network;
    NetworkHead& head = network.head;
    head.family = HeadFamily::yunet;
    head.has_landmarks = true;
    for (const std::int32_t stride : yunet_strides(graph)) {
        const std::string end = "_" + std::to_string(stride);
        HeadLevel level;
        level.stride = stride;
        level.score = yunet_map(graph, built, "cls" + end, 1, MapFunction::sigmoid);
        level.objectness = yunet_map(graph, built, "obj" + end, 1, MapFunction::sigmoid);
        level.box = yunet_map(graph, built, "bbox" + end, 4, MapFunction::none);
        level.landmarks = yunet_map(graph, built, "kps" + end, 10, MapFunction::none);
        head.has_landmarks = head.has_landmarks && level.landmarks >= 0;
        head.levels.push_back(level);
    }
    // Blue first, samples unchanged.
    network.input.rgb = false;
    network.input.mean = {};
    network.input.scale = 1.0F;
}

// UltraFace
// -------------------------------------------------------------------------------------------------------------

// The author's priors (vision/ssd/config/fd_config.py, min_boxes), for files without the decoding.
const std::map<std::int32_t, std::vector<std::int32_t>> kUltraFacePriors = {
    {8, {10, 16, 24}}, {16, {32, 48}}, {32, {64, 96}}, {64, {128, 192, 256}}};
// Of SSD: also of RetinaFace.
constexpr float kCenterVariance = 0.1F;
constexpr float kSizeVariance = 0.2F;

const RowsValue& table_of(const OnnxGraph& graph, const OnnxValue& value, const std::string& name, std::int64_t columns,
                          MapFunction function, HeadFamily family) {
    const RowsValue* rows = std::get_if<RowsValue>(&value);
    if (const auto* formula = std::get_if<Formula>(&value)) rows = &(*formula)->table;
    if (rows == nullptr || rows->columns != columns || rows->function != function) {
        fail(graph, fmt::format("its output {} does not have {}'s layout: rows of {}{}", name, family_name(family),
                                columns, function == MapFunction::softmax ? " through a softmax" : ""));
    }
    return *rows;
}

// Returns the input pixels per cell, derived from the size of a map.
std::int32_t stride_of_map(const OnnxGraph& graph, const OnnxNetwork& built, std::int32_t map) {
    const MapSize size = built.sizes[static_cast<std::size_t>(map)];
    // Strides are powers of two. The size of a map that ends within a cell is rounded up.
    for (std::int32_t stride = 1; stride <= 1024; stride *= 2) {
        if ((built.width + stride - 1) / stride == size.width && (built.height + stride - 1) / stride == size.height) {
            return stride;
        }
    }
    fail(graph, fmt::format("its output maps of {}x{} cells do not fit an input of {}x{} pixels", size.width,
                            size.height, built.width, built.height));
}

// Returns the result of the file's own decoding for every row of the table: [rows][4] corners as fractions of the
// input.
std::vector<float> decode_in_file(const OnnxGraph& graph, const Formula& formula, const OnnxTensor& numbers) {
    OnnxTensor boxes = evaluate_formula(formula, numbers);
    if (boxes.is_integer || boxes.floats.size() != numbers.floats.size()) {
        fail(graph, "its output boxes does not have four numbers per row");
    }
    return std::move(boxes.floats);
}

// Determines priors and variances by running the file's own decoding on test numbers. Rows are in the order of levels,
// then cells, then priors.
class DecodingProbe {
public:
    DecodingProbe(const OnnxGraph& graph, const OnnxNetwork& built, const Formula& formula, NetworkHead& head)
        : graph_(graph), built_(built), formula_(formula), head_(head) {
        numbers_.shape = {1, formula->table.rows, 4};
        numbers_.floats.assign(static_cast<std::size_t>(formula->table.rows) * 4, 0.0F);
    }

    void run() {
        read_priors();
        read_variances();
        compare();
    }

private:
    [[noreturn]] void differs() const {
        fail(graph_, "decodes its boxes differently from UltraFace", "use the model as published by its author");
    }

    template <class Visit>
    void for_each_row(Visit visit) const {
        std::size_t row = 0;
        for (HeadLevel& level : head_.levels) {
            const MapSize size = built_.sizes[static_cast<std::size_t>(level.box)];
            for (std::int32_t y = 0; y < size.height; ++y) {
                for (std::int32_t x = 0; x < size.width; ++x) {
                    for (Prior& prior : level.priors) visit(row++, level, prior, x, y);
                }
            }
        }
    }

    // Converts corners as fractions of the input to a box in input pixels.
    [[nodiscard]] Box box_at(const std::vector<float>& corners, std::size_t row) const {
        const float* c = corners.data() + row * 4;
        const auto w = static_cast<float>(built_.width);
        const auto h = static_cast<float>(built_.height);
        return {c[0] * w, c[1] * h, (c[2] - c[0]) * w, (c[3] - c[1]) * h};
    }

    void read_priors() {
        const std::vector<float> corners = decode_in_file(graph_, formula_, numbers_);
        for_each_row([&](std::size_t row, HeadLevel&, Prior& prior, std::int32_t x, std::int32_t y) {
            const Box box = box_at(corners, row);
            if (x == 0 && y == 0) prior = {whole_pixels(box.w), whole_pixels(box.h)};
            const bool same = std::abs(box.w - prior.width) <= 0.01F * prior.width &&
                              std::abs(box.h - prior.height) <= 0.01F * prior.height;
            if (!same || !(prior.width > 0.0F && prior.height > 0.0F)) differs();
        });
    }

    // Sizes are whole pixels; rounds the file's fractions of the input.
    static float whole_pixels(float size) {
        return std::abs(size - std::round(size)) < 0.01F ? std::round(size) : size;
    }

    [[nodiscard]] CnnPitch pitch_of(const HeadLevel& level) const {
        const MapSize size = built_.sizes[static_cast<std::size_t>(level.box)];
        return {static_cast<float>(built_.width) / static_cast<float>(size.width),
                static_cast<float>(built_.height) / static_cast<float>(size.height)};
    }

    void read_variances() {
        std::fill(numbers_.floats.begin(), numbers_.floats.end(), 1.0F);
        const Box box = box_at(decode_in_file(graph_, formula_, numbers_), 0);
        const HeadLevel& level = head_.levels.front();
        const Prior prior = level.priors.front();
        const auto rounded = [](float value) { return std::round(value * 1e4F) / 1e4F; };
        head_.center_variance = rounded((box.x + box.w * 0.5F - 0.5F * pitch_of(level).x) / prior.width);
        head_.size_variance = rounded(std::log(box.w / prior.width));
        if (!std::isfinite(head_.center_variance) || !std::isfinite(head_.size_variance)) differs();
    }

    // Compares our decoding with the file's, for numbers that differ from row to row.
    void compare() {
        for (std::size_t i = 0; i < numbers_.floats.size(); ++i) {
            numbers_.floats[i] = std::sin(static_cast<float>(i) * 0.7F) * 2.0F;
        }
        const std::vector<float> corners = decode_in_file(graph_, formula_, numbers_);
        for_each_row([&](std::size_t row, const HeadLevel& level, const Prior& prior, std::int32_t x, std::int32_t y) {
            const float* n = numbers_.floats.data() + row * 4;
            const Box theirs = box_at(corners, row);
            const Box ours = ultraface_box(n[0], n[1], n[2], n[3], x, y, pitch_of(level), prior.width, prior.height,
                                           head_.center_variance, head_.size_variance);
            const float error = std::max({std::abs(theirs.x - ours.x), std::abs(theirs.y - ours.y),
                                          std::abs(theirs.w - ours.w), std::abs(theirs.h - ours.h)});
            if (!(error <= 0.05F)) differs();
        });
    }

    const OnnxGraph& graph_;
    const OnnxNetwork& built_;
    const Formula& formula_;
    NetworkHead& head_;
    OnnxTensor numbers_;
};

// Adds a level per pair of maps, with priors of unknown size.
void add_levels(const OnnxGraph& graph, const RowsValue& scores, const RowsValue& offsets, OnnxNetwork& built) {
    Network& network = built.network;
    NetworkHead& head = network.head;
    if (scores.maps.size() != offsets.maps.size() || scores.rows != offsets.rows) {
        fail(graph, "has different numbers of scores and boxes");
    }
    const auto channels = [&](std::int32_t map) { return network.tensors[static_cast<std::size_t>(map)].channels; };
    for (std::size_t i = 0; i < scores.maps.size(); ++i) {
        HeadLevel level;
        level.score = scores.maps[i];
        level.box = offsets.maps[i];
        level.stride = stride_of_map(graph, built, level.score);
        if (built.sizes[static_cast<std::size_t>(level.score)] != built.sizes[static_cast<std::size_t>(level.box)] ||
            channels(level.score) / 2 != channels(level.box) / 4) {
            fail(graph, "has scores and boxes with different layouts");
        }
        level.priors.resize(static_cast<std::size_t>(channels(level.score) / 2));
        head.levels.push_back(std::move(level));
    }
}

// Sets the priors and variances that the author trained with. max_width, max_height: limits of a prior.
void use_known_priors(const OnnxGraph& graph, const std::map<std::int32_t, std::vector<std::int32_t>>& priors,
                      std::int32_t max_width, std::int32_t max_height, NetworkHead& head) {
    head.center_variance = kCenterVariance;
    head.size_variance = kSizeVariance;
    for (HeadLevel& level : head.levels) {
        const auto known = priors.find(level.stride);
        if (known == priors.end() || known->second.size() != level.priors.size()) {
            fail(graph, fmt::format("has {} boxes per cell of {} pixels, but no decoding to derive their priors from",
                                    level.priors.size(), level.stride));
        }
        for (std::size_t i = 0; i < level.priors.size(); ++i) {
            level.priors[i] = {static_cast<float>(std::min(known->second[i], max_width)),
                               static_cast<float>(std::min(known->second[i], max_height))};
        }
    }
}

void attach_ultraface(const OnnxGraph& graph, OnnxNetwork& built) {
    Network& network = built.network;
    NetworkHead& head = network.head;
    head.family = HeadFamily::ultraface;
    const OnnxValue& boxes = *output(graph, built, "boxes");
    const OnnxValue& scores = *output(graph, built, "scores");
    add_levels(graph, table_of(graph, scores, "scores", 2, MapFunction::softmax, head.family),
               table_of(graph, boxes, "boxes", 4, MapFunction::none, head.family), built);
    if (const auto* formula = std::get_if<Formula>(&boxes)) {
        DecodingProbe(graph, built, *formula, head).run();
    } else {
        use_known_priors(graph, kUltraFacePriors, built.width, built.height, head);  // clipped, as in training
    }
    // Red first, (sample - 127) / 128.
    network.input.rgb = true;
    network.input.mean = {127.0F, 127.0F, 127.0F};
    network.input.scale = 1.0F / 128.0F;
}

// RetinaFace
// ----------------------------------------------------------------------------------------------------------------

// The author's priors (data/config.py, cfg_mnet). The decoding is not in the file.
const std::map<std::int32_t, std::vector<std::int32_t>> kRetinaFacePriors = {
    {8, {16, 32}}, {16, {64, 128}}, {32, {256, 512}}};

// Returns the output [1, rows, columns]; empty: there is none. Exporters give it different names.
std::string output_of_columns(const OnnxGraph& graph, std::int64_t columns) {
    for (const OnnxValueInfo& info : graph.outputs) {
        if (info.has_shape && info.shape.size() == 3 && info.shape[2] == columns) return info.name;
    }
    return {};
}

bool is_retinaface(const OnnxGraph& graph) {
    return graph.outputs.size() == 3 && !output_of_columns(graph, 4).empty() && !output_of_columns(graph, 2).empty() &&
           !output_of_columns(graph, 10).empty();
}

void attach_retinaface(const OnnxGraph& graph, OnnxNetwork& built) {
    NetworkHead& head = built.network.head;
    head.family = HeadFamily::retinaface;
    head.has_landmarks = true;
    const auto table = [&](std::int64_t columns, MapFunction function) -> const RowsValue& {
        const std::string name = output_of_columns(graph, columns);
        return table_of(graph, *output(graph, built, name), name, columns, function, head.family);
    };
    const RowsValue& points = table(10, MapFunction::none);
    const RowsValue& boxes = table(4, MapFunction::none);
    add_levels(graph, table(2, MapFunction::softmax), boxes, built);
    if (points.maps.size() != boxes.maps.size() || points.rows != boxes.rows) {
        fail(graph, "has different numbers of landmarks and boxes");
    }
    for (std::size_t i = 0; i < points.maps.size(); ++i) head.levels[i].landmarks = points.maps[i];
    constexpr std::int32_t kAnySize = 1 << 15;
    use_known_priors(graph, kRetinaFacePriors, kAnySize, kAnySize, head);
    // Blue first, minus the mean color of ImageNet.
    built.network.input.mean = {104.0F, 117.0F, 123.0F};
}

// YOLOX
// -----------------------------------------------------------------------------------------------------------------

// One output of rows, transposed: other detectors of the YOLO series end with another operator, and so does a YOLOX
// that decodes its boxes in the file.
bool is_yolox(const OnnxGraph& graph) {
    if (graph.outputs.size() != 1 || !graph.outputs.front().has_shape || graph.outputs.front().shape.size() != 3) {
        return false;
    }
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const OnnxNode& node) {
        return node.op() == "Transpose" && node.outputs().front() == graph.outputs.front().name;
    });
}

// Reduces the convolution that computes the scores of all classes to one of them.
void keep_class(const OnnxGraph& graph, std::int32_t object_class, std::int32_t scores, Network& network) {
    std::int32_t& classes = network.tensors[static_cast<std::size_t>(scores)].channels;
    if (object_class < 0 || object_class >= classes) {
        fail(graph, fmt::format("has {} classes, from 0 on; {} is none of them", classes, object_class));
    }
    if (classes == 1) return;
    NetworkLayer* writer = nullptr;
    for (NetworkLayer& layer : network.layers) {
        if (layer.output == scores) writer = &layer;
        if (std::find(layer.inputs.begin(), layer.inputs.end(), scores) != layer.inputs.end()) {
            fail(graph, fmt::format("reads the scores of its classes in {}; YOLOX does not", layer.name));
        }
    }
    if (writer == nullptr || writer->kind != LayerKind::convolution || writer->groups != 1) {
        fail(graph, "does not compute the scores of its classes by a convolution, as YOLOX does");
    }
    const auto keep = [&](std::vector<float>& values) {
        const auto count = static_cast<std::ptrdiff_t>(values.size()) / classes;
        const auto first = values.begin() + object_class * count;
        values = std::vector<float>(first, first + count);
    };
    keep(writer->weights);
    keep(writer->bias);
    classes = 1;
}

void attach_yolox(const OnnxGraph& graph, std::int32_t object_class, OnnxNetwork& built) {
    Network& network = built.network;
    network.head.family = HeadFamily::yolox;
    const auto* stack = std::get_if<StackValue>(&built.outputs.front());
    const auto channels = [&](const MapValue& map) {
        return network.tensors[static_cast<std::size_t>(map.tensor)].channels;
    };
    const auto fits = [&](const std::vector<MapValue>& maps) {
        return maps.size() == 3 && channels(maps[0]) == 4 && maps[0].function == MapFunction::none &&
               channels(maps[1]) == 1 && maps[1].function == MapFunction::sigmoid &&
               channels(maps[2]) == channels(stack->levels.front().back()) && maps[2].function == MapFunction::sigmoid;
    };
    if (stack == nullptr || stack->layout != StackValue::Layout::rows ||
        !std::all_of(stack->levels.begin(), stack->levels.end(), fits)) {
        fail(graph, fmt::format("its output {} does not have YOLOX's layout: per cell four numbers of the box, then "
                                "objectness and classes, each through a sigmoid",
                                graph.outputs.front().name));
    }
    for (const std::vector<MapValue>& maps : stack->levels) {
        HeadLevel level;
        level.box = maps[0].tensor;
        level.objectness = maps[1].tensor;
        level.score = maps[2].tensor;
        level.stride = stride_of_map(graph, built, level.score);
        network.head.levels.push_back(level);
    }
    // The maps of two levels differ, unless the file is damaged: their strides do.
    for (const HeadLevel& level : network.head.levels) keep_class(graph, object_class, level.score, network);
    // Blue first, samples unchanged, gray around the frame.
    network.input.padding = 114.0F;
}

}  // namespace

HeadFamily recognize_family(const OnnxGraph& graph) {
    const std::set<std::int32_t> strides = yunet_strides(graph);
    const bool yunet = !strides.empty() && std::all_of(strides.begin(), strides.end(), [&](std::int32_t stride) {
        const std::string end = "_" + std::to_string(stride);
        return has_output(graph, "obj" + end) && has_output(graph, "bbox" + end);
    });
    if (yunet) return HeadFamily::yunet;
    if (graph.outputs.size() == 2 && has_output(graph, "scores") && has_output(graph, "boxes")) {
        return HeadFamily::ultraface;
    }
    if (is_yolox(graph)) return HeadFamily::yolox;
    if (is_retinaface(graph)) return HeadFamily::retinaface;
    std::vector<std::string> outputs;
    for (const OnnxValueInfo& info : graph.outputs) outputs.push_back(info.name + " " + shape_text(info));
    if (outputs.size() > 6) outputs.resize(6);
    const std::string guess = guess_kind(graph);
    fail(graph,
         fmt::format("is a model for another task: its outputs are {}{}{}", fmt::join(outputs, ", "),
                     guess.empty() ? "" : "; it looks like ", guess),
         "use a YuNet (outputs cls_8, obj_8, bbox_8, kps_8, ...), UltraFace (scores, boxes), RetinaFace (rows of 4, 2 "
         "and 10, not decoded) or YOLOX model (one output, boxes not decoded); `throng models` lists the recommended "
         "ones");
}

void attach_head(const OnnxGraph& graph, HeadFamily family, std::int32_t object_class, OnnxNetwork& built) {
    switch (family) {
        case HeadFamily::yunet: attach_yunet(graph, built); break;
        case HeadFamily::ultraface: attach_ultraface(graph, built); break;
        case HeadFamily::yolox: attach_yolox(graph, object_class, built); break;
        case HeadFamily::retinaface: attach_retinaface(graph, built); break;
    }
    // The positions of cells must match the decoding.
    for (const HeadLevel& level : built.network.head.levels) {
        for (const std::int32_t map : {level.score, level.objectness, level.box, level.landmarks}) {
            if (map >= 0 && stride_of_map(graph, built, map) != level.stride) {
                fail(graph, fmt::format("its outputs for cells of {} pixels come from maps with another stride",
                                        level.stride));
            }
        }
    }
}

}  // namespace throng
