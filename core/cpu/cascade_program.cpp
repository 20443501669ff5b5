#include "core/cpu/cascade_program.h"

#include <cmath>
#include <limits>

namespace throng {
namespace {

void set_corners(std::int32_t (&corner)[4], const SumsLayout& layout, CascadeRect r) {
    corner[0] = layout.at(r.x, r.y);
    corner[1] = layout.at(r.x + r.w, r.y);
    corner[2] = layout.at(r.x, r.y + r.h);
    corner[3] = layout.at(r.x + r.w, r.y + r.h);
}

void set_tilted_corners(std::int32_t (&corner)[4], const SumsLayout& layout, CascadeRect r) {
    const std::int32_t plane = layout.plane(2);
    corner[0] = plane + layout.at(r.x, r.y);
    corner[1] = plane + layout.at(r.x - r.h, r.y + r.h);
    corner[2] = plane + layout.at(r.x + r.w, r.y + r.w);
    corner[3] = plane + layout.at(r.x + r.w - r.h, r.y + r.w + r.h);
}

HaarNode compile_node(const HaarFeature& feature, const CascadeNode& node, const SumsLayout& layout) {
    HaarNode result{};
    for (int i = 0; i < kHaarRects; ++i) {
        result.weight[i] = feature.weight[i];
        if (feature.weight[i] == 0.0F) continue;
        feature.tilted != 0 ? set_tilted_corners(result.corner[i], layout, feature.rect[i])
                            : set_corners(result.corner[i], layout, feature.rect[i]);
    }
    result.threshold = node.threshold;
    result.left = node.left;
    result.right = node.right;
    return result;
}

LbpNode compile_node(const LbpFeature& feature, const CascadeNode& node, const std::uint32_t* subset,
                     const SumsLayout& layout) {
    LbpNode result{};
    for (int i = 0; i < 16; ++i) {
        result.grid[i] =
            layout.at(feature.block.x + i % 4 * feature.block.w, feature.block.y + i / 4 * feature.block.h);
    }
    for (int word = 0; word < kLbpWords; ++word) result.subset[word] = subset[word];
    result.left = node.left;
    result.right = node.right;
    return result;
}

// Returns the smallest float32 with area * norm >= 0.1 in float64: window_norm's flatness test as one comparison.
float smallest_flat_norm(int area) {
    const auto flat = [area](float norm) { return static_cast<double>(area) * static_cast<double>(norm) >= 1e-1; };
    constexpr float kUp = std::numeric_limits<float>::infinity();
    auto norm = static_cast<float>(1e-1 / area);
    while (flat(norm)) norm = std::nextafter(norm, 0.0F);
    while (!flat(norm)) norm = std::nextafter(norm, kUp);
    return norm;
}

CascadeProgram compile(const CascadeModel& model, const SumsLayout& layout) {
    CascadeProgram program;
    program.kind = model.kind;
    program.layout = layout;
    program.stages = model.stages;
    program.trees = model.trees;
    program.leaves = model.leaves;
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        const CascadeNode& node = model.nodes[i];
        const auto feature = static_cast<std::size_t>(node.feature);
        if (model.kind == CascadeKind::haar) {
            program.haar.push_back(compile_node(model.haar[feature], node, layout));
        } else {
            program.lbp.push_back(compile_node(model.lbp[feature], node, &model.subsets[i * kLbpWords], layout));
        }
    }
    for (const CascadeStage& stage : model.stages) {
        std::int32_t nodes = 0;
        const CascadeTree* tree = model.trees.data() + stage.first_tree;
        for (int t = 0; t < stage.tree_count; ++t) nodes += tree[t].node_count;
        program.nodes_in_stage.push_back(nodes);
    }
    const auto w = static_cast<std::int16_t>(model.window_width - 2);
    const auto h = static_cast<std::int16_t>(model.window_height - 2);
    set_corners(program.norm_corner, layout, {1, 1, w, h});
    program.norm_area = w * h;
    program.flat_norm = smallest_flat_norm(program.norm_area);
    return program;
}

}  // namespace

CascadePrograms compile_cascade(const CascadeModel& model, const SumsLayout& layout, int lanes) {
    SumsLayout pack;
    pack.step = layout.step;
    pack.rows = model.window_height + 1;
    pack.pitch = (model.window_width + 2) / 2 * 2;
    pack.lanes = lanes;
    return {compile(model, layout), compile(model, pack), model.window_width, model.window_height, model.has_tilted};
}

}  // namespace throng
