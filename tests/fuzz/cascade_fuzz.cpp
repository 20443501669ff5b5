// Any cascade on any image: the detector of the CPU finds what the plain loops find, window by window, bit for bit.
#include <cstdint>

#include "core/base/error.h"
#include "core/cpu/cascade_detector.h"
#include "core/detect/null_recorder.h"
#include "tests/fuzz/input.h"
#include "tests/support/nms_run.h"
#include "tests/unit/cascade/reference.h"

namespace {

using namespace throng;

constexpr int kMaxSide = 12;  // of a window

CascadeRect take_rect(fuzz::Bytes& bytes, int width, int height) {
    CascadeRect rect{};
    rect.x = static_cast<std::int16_t>(bytes.take_in(0, width - 1));
    rect.y = static_cast<std::int16_t>(bytes.take_in(0, height - 1));
    rect.w = static_cast<std::int16_t>(bytes.take_in(1, width));
    rect.h = static_cast<std::int16_t>(bytes.take_in(1, height));
    return rect;
}

float take_number(fuzz::Bytes& bytes) {
    return static_cast<float>(bytes.take<std::int8_t>()) / 64;
}

void add_node(fuzz::Bytes& bytes, CascadeModel& model) {
    CascadeNode node{};
    node.threshold = take_number(bytes) / 2;
    node.left = bytes.take_in(-2, 2);
    node.right = bytes.take_in(-2, 2);
    if (model.kind == CascadeKind::haar) {
        node.feature = static_cast<std::int32_t>(model.haar.size());
        HaarFeature feature{};
        feature.tilted = bytes.take_in(0, 7) == 0 ? 1 : 0;
        for (int r = 0, rects = bytes.take_in(1, kHaarRects); r < rects; ++r) {
            feature.rect[r] = take_rect(bytes, model.window_width, model.window_height);
            feature.weight[r] = take_number(bytes);
        }
        model.has_tilted |= feature.tilted != 0;
        model.haar.push_back(feature);
    } else {
        node.feature = static_cast<std::int32_t>(model.lbp.size());
        model.lbp.push_back({take_rect(bytes, model.window_width / 3, model.window_height / 3)});
        for (int w = 0; w < kLbpWords; ++w) model.subsets.push_back(bytes.take<std::uint32_t>());
    }
    model.nodes.push_back(node);
}

// Indexes and rectangles may be out of range, which check_model rejects.
CascadeModel take_model(fuzz::Bytes& bytes) {
    CascadeModel model;
    model.name = "fuzz";
    model.kind = bytes.take_in(0, 1) == 0 ? CascadeKind::haar : CascadeKind::lbp;
    model.window_width = bytes.take_in(3, kMaxSide);
    model.window_height = bytes.take_in(3, kMaxSide);
    for (int s = 0, stages = bytes.take_in(1, 4); s < stages; ++s) {
        CascadeStage stage{static_cast<std::int32_t>(model.trees.size()), bytes.take_in(1, 3), take_number(bytes)};
        for (int t = 0; t < stage.tree_count; ++t) {
            const CascadeTree tree{static_cast<std::int32_t>(model.nodes.size()), bytes.take_in(1, 3),
                                   static_cast<std::int32_t>(model.leaves.size())};
            for (int n = 0; n < tree.node_count; ++n) add_node(bytes, model);
            if (tree.node_count == 1) model.nodes.back().left = 0;
            if (tree.node_count == 1) model.nodes.back().right = -1;
            for (int l = 0; l <= tree.node_count; ++l) model.leaves.push_back(take_number(bytes));
            model.trees.push_back(tree);
        }
        model.stages.push_back(stage);
    }
    return model;
}

test::GrayImage take_image(fuzz::Bytes& bytes) {
    test::GrayImage image;
    image.width = bytes.take_in(1, 3 * kMaxSide);
    image.height = bytes.take_in(1, 3 * kMaxSide);
    std::uint32_t noise = bytes.take<std::uint32_t>();
    for (int i = 0; i < image.width * image.height; ++i) {
        noise = noise * 1664525U + 1013904223U;
        image.pixels.push_back(static_cast<std::uint8_t>(bytes.size() > 0 ? bytes.take_byte() : noise >> 24U));
    }
    return image;
}

}  // namespace

TH_FUZZ(cascade) {
    fuzz::Bytes bytes(data, size);
    CascadeModel model = take_model(bytes);
    try {
        check_model(model);
    } catch (const Error& error) {
        fuzz::require(error.kind() == ErrorKind::input);
        return 0;
    }
    DetectorParams params;
    params.min_size = 1;
    params.scale_factor = 1.1F + static_cast<float>(bytes.take_in(0, 9)) / 10;
    const test::GrayImage image = take_image(bytes);
    const std::vector<test::ScoredBox> expected = test::reference_detections(model, image, params);

    CascadeDetector detector(std::move(model), params, 1);
    DetectionBuffer raw = make_host_buffer(static_cast<std::int32_t>(expected.size()) + 1);
    NullRecorder recorder;
    detector.enqueue(test::frame_of(image), raw, recorder);
    const DetectionSet found = test::detections_of(raw);
    fuzz::require(found.total == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        fuzz::require(test::ScoredBox{found.detections[i].box, found.detections[i].score} == expected[i]);
    }
    return 0;
}
