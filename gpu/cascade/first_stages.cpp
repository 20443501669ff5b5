#include "gpu/cascade/first_stages.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "gpu/cascade/device_cascade.h"

namespace throng::gpu {
namespace {

// Shared memory for a tile, whose offsets are 16-bit numbers, and the trees. Turing provides 64 KB for one block, every
// later architecture more.
constexpr std::uint32_t kMaxTile = 56U << 10;  // bytes

PairLayout make_layout(const CascadeModel& model) {
    PairLayout layout;
    layout.columns = 2 * 31 + model.window_width + 1;
    layout.odd = (layout.columns + 1) / 2;
    layout.pitch = 2 * layout.odd | 1;  // odd: rows start in different banks
    layout.window_height = model.window_height;
    layout.tilted = model.has_tilted ? layout.pitch * layout.rows(2) : 0;
    return layout;
}

std::int64_t in_units(float leaf, int unit) {
    return static_cast<std::int64_t>(std::ldexp(static_cast<double>(leaf), -unit));
}

std::int64_t byte_at(const PairLayout& layout, int x, int y) {
    return static_cast<std::int64_t>(sizeof(std::uint32_t)) * layout.word(x, y);
}

std::uint16_t short_at(const PairLayout& layout, int x, int y) {
    return static_cast<std::uint16_t>(byte_at(layout, x, y));
}

// How the value of a feature is computed for pairs.
enum class PairForm : std::uint8_t {
    whole,  // both values in one word
    apart,  // only the sums of its rectangles
    none,   // not in pairs
};

// Tests if the value of the feature fits 16 bits with its sign for every window, and is exact in float32. Then two
// values fit a word. The sums of its rectangles need not: a word wraps around.
bool fits_half(const HaarFeature& feature) {
    std::map<std::pair<int, int>, float> weights;  // of pixels
    float bound[2] = {};                           // sums of the negative and of the positive weights
    float total = 0;
    for (int r = 0; r < kHaarRects; ++r) {
        const CascadeRect rect = feature.rect[r];
        const float weight = feature.weight[r];
        if (weight == 0) continue;
        const float sum = std::abs(weight) * static_cast<float>(rect.w * rect.h * (feature.tilted != 0 ? 2 : 1));
        total += sum;
        if (feature.tilted != 0) {
            bound[weight < 0 ? 0 : 1] += sum;
            continue;
        }
        for (int y = rect.y; y < rect.y + rect.h; ++y) {
            for (int x = rect.x; x < rect.x + rect.w; ++x) weights[{x, y}] += weight;
        }
    }
    for (const auto& [pixel, weight] : weights) bound[weight < 0 ? 0 : 1] += std::abs(weight);
    return std::max(bound[0], bound[1]) * 255 <= 32767 && total * 255 <= 0x1p24F;
}

struct PairEdge {
    std::int64_t plus = 0, minus = 0;  // bytes from the pair's corner in the tile
    std::int8_t weight = 0;            // of the first corner; the second has the opposite one
};

std::array<PairEdge, kPairEdges> pair_edges(const HaarFeature& whole, PairForm form, const PairLayout& layout) {
    const HaarFeature feature = form == PairForm::apart ? pair_feature(whole) : whole;
    const std::int64_t plane = feature.tilted != 0 ? layout.tilted * std::int64_t{sizeof(std::uint32_t)} : 0;
    std::array<PairEdge, kPairEdges> edges{};
    std::map<std::int64_t, std::int8_t> corners;  // and their weights
    for (std::size_t r = 0; r < kHaarRects; ++r) {
        const auto weight = static_cast<std::int8_t>(feature.weight[r]);
        if (weight == 0) continue;
        const auto at = rectangle_corners(feature.rect[r], feature.tilted != 0,
                                          [&](int x, int y) { return byte_at(layout, x, y) + plane; });
        const auto opposite = static_cast<std::int8_t>(-weight);
        edges[2 * r] = {at[0], at[1], weight};
        edges[2 * r + 1] = {at[2], at[3], opposite};
        for (std::size_t k = 0; k < 4; ++k) {
            corners[at[k]] = static_cast<std::int8_t>(corners[at[k]] + (k == 0 || k == 3 ? weight : opposite));
        }
    }
    if (form == PairForm::apart) return edges;
    // Shares corners if three edges are enough.
    std::array<PairEdge, kPairEdges> shared{};
    std::size_t count = 0;
    for (auto& [plus, weight] : corners) {
        if (weight == 0) continue;
        const auto minus =
            std::find_if(corners.begin(), corners.end(), [w = weight](const auto& c) { return c.second == -w; });
        if (minus == corners.end() || count == 3) return edges;
        shared[count++] = {plus, minus->first, weight};
        weight = 0;
        minus->second = 0;
    }
    return shared;
}

// Returns the form of all nodes of a tree.
PairForm tree_form(const CascadeModel& model, const CascadeTree& tree) {
    // Three rectangles may share a corner, whose weight is an 8-bit number.
    const auto is_small_integer = [](float weight) {
        return std::abs(weight) <= 42 && weight == std::nearbyint(weight);
    };
    bool whole = true;
    bool apart = true;
    for (int k = 0; k < tree.node_count; ++k) {
        const CascadeNode& node = model.nodes[static_cast<std::size_t>(tree.first_node + k)];
        const HaarFeature& feature = model.haar[static_cast<std::size_t>(node.feature)];
        if (!std::all_of(feature.weight, feature.weight + kHaarRects, is_small_integer)) return PairForm::none;
        whole = whole && fits_half(feature);
        apart = apart && !exceeds_pair_area(pair_feature(feature));
    }
    return whole ? PairForm::whole : apart ? PairForm::apart : PairForm::none;
}

// Visits a tree's leaves in the order of PairHaarTree::leaf.
template <typename Use>
void for_each_leaf(const CascadeModel& model, const CascadeTree& tree, const Use& use) {
    int number = 0;
    for (int k = 0; k < tree.node_count; ++k) {
        const CascadeNode& node = model.nodes[static_cast<std::size_t>(tree.first_node + k)];
        for (const std::int32_t child : {node.left, node.right}) {
            if (child <= 0) use(number++, model.leaves[static_cast<std::size_t>(tree.first_leaf - child)]);
        }
    }
}

template <int kNodes>
PairHaarTree<kNodes> haar_tree(const CascadeModel& model, const CascadeTree& tree, const PairLayout& layout, int unit) {
    PairHaarTree<kNodes> out{};
    const PairForm form = tree_form(model, tree);
    out.apart = form == PairForm::apart ? 1 : 0;
    for (int k = 0; k < kNodes; ++k) {
        const CascadeNode& node = model.nodes[static_cast<std::size_t>(tree.first_node + k)];
        const HaarFeature& feature = model.haar[static_cast<std::size_t>(node.feature)];
        const auto edges = pair_edges(feature, form, layout);
        for (std::size_t e = 0; e < kPairEdges; ++e) {
            std::uint32_t& corners = e < 4 ? out.corner[k][e] : out.more[k][e - 4];
            corners = static_cast<std::uint32_t>(edges[e].plus | edges[e].minus << 16);
            out.weight[k][e] = edges[e].weight;
        }
        out.threshold[k] = node.threshold;
    }
    out.deepens = model.nodes[static_cast<std::size_t>(tree.first_node)].left > 0 ? 1 : 0;
    for_each_leaf(model, tree, [&](int i, float leaf) { out.leaf[i] = in_units(leaf, unit); });
    return out;
}

PairLbpTree lbp_tree(const CascadeModel& model, const CascadeTree& tree, const PairLayout& layout, int unit) {
    const auto at = static_cast<std::size_t>(tree.first_node);
    const CascadeRect b = model.lbp[static_cast<std::size_t>(model.nodes[at].feature)].block;
    PairLbpTree out{};
    for (int i = 0; i < 4; ++i) out.feature.column[i] = short_at(layout, b.x + i * b.w, b.y);
    out.feature.down = short_at(layout, 0, b.h);
    for_each_leaf(model, tree, [&](int i, float leaf) { out.feature.leaf[i] = in_units(leaf, unit); });
    std::copy_n(model.subsets.begin() + static_cast<std::ptrdiff_t>(at * kLbpWords), kLbpWords, out.subset);
    return out;
}

}  // namespace

bool exceeds_pair_area(const HaarFeature& feature) {
    return std::any_of(feature.rect, feature.rect + kHaarRects,
                       [&](CascadeRect r) { return r.w * r.h * (feature.tilted != 0 ? 2 : 1) > kMaxPairArea; });
}

HaarFeature pair_feature(const HaarFeature& feature) {
    HaarFeature divided = feature;
    double total = 0;
    for (int r = 0; r < kHaarRects; ++r) {
        const CascadeRect rect = feature.rect[r];
        // With integer weights float32 is exact as long as no sum exceeds 2^24. So the order of terms is irrelevant.
        if (feature.weight[r] != std::nearbyint(feature.weight[r])) return feature;
        total += std::abs(static_cast<double>(feature.weight[r])) * 255 * rect.w * rect.h * 2;
    }
    if (total > 0x1p24 || feature.weight[2] != 0.0F) return feature;
    const int large = exceeds_pair_area({{feature.rect[0], {}, {}}, {}, feature.tilted}) ? 0 : 1;
    CascadeRect& upper = divided.rect[large];
    CascadeRect& lower = divided.rect[2];
    lower = upper;
    upper.h = static_cast<std::int16_t>(upper.h / 2);
    lower.h = static_cast<std::int16_t>(lower.h - upper.h);
    lower.y = static_cast<std::int16_t>(lower.y + upper.h);
    if (feature.tilted != 0) lower.x = static_cast<std::int16_t>(lower.x - upper.h);
    divided.weight[2] = feature.weight[large];
    return exceeds_pair_area(feature) && !exceeds_pair_area(divided) ? divided : feature;
}

bool exceeds_pair_block(const CascadeModel& model) {
    return std::any_of(model.lbp.begin(), model.lbp.end(),
                       [](const LbpFeature& f) { return f.block.w * f.block.h > kMaxPairBlock; });
}

std::optional<int> leaf_unit(const CascadeModel& model) {
    int unit = 0;
    bool first = true;
    for (const float leaf : model.leaves) {
        if (leaf == 0.0F) continue;
        int exponent = 0;
        auto mantissa = static_cast<std::int32_t>(std::ldexp(std::frexp(leaf, &exponent), 24));
        for (exponent -= 24; mantissa % 2 == 0; mantissa /= 2) ++exponent;
        unit = first ? exponent : std::min(unit, exponent);
        first = false;
    }
    for (const CascadeStage& stage : model.stages) {
        double sum = 0;
        for (int t = stage.first_tree; t < stage.first_tree + stage.tree_count; ++t) {
            const CascadeTree& tree = model.trees[static_cast<std::size_t>(t)];
            const float* leaves = model.leaves.data() + tree.first_leaf;
            float largest = 0;
            for (int i = 0; i <= tree.node_count; ++i) largest = std::max(largest, std::abs(leaves[i]));
            sum += static_cast<double>(largest);
        }
        if (std::ldexp(sum, -unit) > 0x1p52) return std::nullopt;
    }
    return unit;
}

int FirstStages::max_stages(const CascadeModel& model) {
    const int nodes = model.trees.front().node_count;
    const auto suits = [&](const CascadeTree& tree) {
        const CascadeNode& root = model.nodes[static_cast<std::size_t>(tree.first_node)];
        return tree.node_count == nodes && (nodes == 1 || (root.left > 0) != (root.right > 0));
    };
    if (nodes > (model.kind == CascadeKind::haar ? 2 : 1) ||
        !std::all_of(model.trees.begin(), model.trees.end(), suits) || !leaf_unit(model) ||
        make_layout(model).bytes(2) > kMaxTile || exceeds_pair_block(model)) {
        return 0;
    }
    const auto is_small_tree = [&](const CascadeTree& tree) {
        return model.kind == CascadeKind::lbp || tree_form(model, tree) != PairForm::none;
    };
    const std::size_t tree_size = model.kind == CascadeKind::lbp ? sizeof(PairLbpTree)
                                  : nodes == 1                   ? sizeof(PairHaarTree<1>)
                                                                 : sizeof(PairHaarTree<2>);
    int stages = 0;
    for (const CascadeStage& stage : model.stages) {
        if (stages == static_cast<int>(model.stages.size()) / 2) break;  // see stage_margin
        const auto first = model.trees.begin() + stage.first_tree;
        const auto end = static_cast<std::size_t>(stage.first_tree + stage.tree_count);
        if (make_layout(model).bytes(2) + end * tree_size > kMaxTile) break;
        if (!std::all_of(first, first + stage.tree_count, is_small_tree)) break;
        ++stages;
    }
    return stages;
}

FirstStages::FirstStages(const CascadeModel& model, int stages, StreamView stream) {
    const int unit = leaf_unit(model).value();
    const PairLayout layout = make_layout(model);
    std::vector<PairStage> table;
    for (int s = 0; s < stages; ++s) {
        const CascadeStage& stage = model.stages[static_cast<std::size_t>(s)];
        // A sum is a multiple of the unit, so it is below the threshold exactly if it is below the next multiple.
        const double threshold = std::ceil(std::ldexp(static_cast<double>(stage.threshold), -unit));
        table.push_back({static_cast<std::int64_t>(std::clamp(threshold, -0x1p62, 0x1p62)), stage.first_tree,
                         stage.first_tree + stage.tree_count});
    }
    const auto upload = [&](auto make) {
        std::vector<decltype(make(model, model.trees.front(), layout, unit))> trees;
        for (int t = 0; t < table.back().end_tree; ++t) {
            trees.push_back(make(model, model.trees[static_cast<std::size_t>(t)], layout, unit));
        }
        trees_ = uploaded_bytes(trees, stream, "uploading a cascade");
    };
    if (model.kind == CascadeKind::lbp) {
        upload(lbp_tree);
    } else if (model.trees.front().node_count == 1) {
        upload(haar_tree<1>);
    } else {
        upload(haar_tree<2>);
    }
    stages_ = uploaded(table, stream, "uploading a cascade");
    check_cuda(cudaStreamSynchronize(stream), "uploading a cascade");
    tables_.layout = layout;
    tables_.stages = stages_.data();
    tables_.trees = trees_.data();
    tables_.tree_quads = static_cast<std::int32_t>(trees_.bytes() / 16);
}

}  // namespace throng::gpu
