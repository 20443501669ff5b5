#include "gpu/cascade/device_cascade.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "gpu/cascade/first_stages.h"

namespace throng::gpu {
namespace {

// Limits of the tail: shared memory per window, and nodes per tree. Beyond them the last segment runs without it.
constexpr std::size_t kMaxTailWindow = 24U << 10;  // bytes
constexpr int kMaxTailTree = 8;

template <typename T>
void upload(DeviceBuffer<T>& buffer, const std::vector<T>& values, StreamView stream) {
    if (buffer.size() != values.size()) buffer = DeviceBuffer<T>(values.size());
    if (values.empty()) return;
    check_cuda(cudaMemcpyAsync(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice, stream),
               "uploading a cascade");
}

float outcome_of(const CascadeModel& model, const CascadeTree& tree, std::int32_t child) {
    if (child <= 0) return model.leaves[static_cast<std::size_t>(tree.first_leaf - child)];
    const std::uint32_t bits = kChildBits | static_cast<std::uint32_t>(child);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Writes the twelve corners of a feature. Those of an unused rectangle are all 0: it sums to 0.
template <typename T>
void write_corners(const HaarFeature& feature, std::int64_t pitch, std::int64_t tilted_plane, T (&out)[12]) {
    for (int r = 0; r < kHaarRects; ++r) {
        const bool used = feature.weight[r] != 0.0F;
        const auto entry = [pitch](int x, int y) { return y * pitch + x; };
        const auto at =
            used ? rectangle_corners(feature.rect[r], feature.tilted != 0, entry) : std::array<std::int64_t, 4>{};
        const std::int64_t plane = used && feature.tilted != 0 ? tilted_plane : 0;
        for (std::size_t k = 0; k < 4; ++k) out[4 * r + static_cast<int>(k)] = static_cast<T>(at[k] + plane);
    }
}

// Node is HaarNode or TailHaarNode.
template <typename Node>
Node haar_node(const HaarFeature& feature, float threshold, const float (&outcome)[2], std::int64_t pitch,
               std::int64_t tilted_plane) {
    Node node{};
    write_corners(feature, pitch, tilted_plane, node.corner);
    std::copy(std::begin(feature.weight), std::end(feature.weight), node.weight);
    node.threshold = threshold;
    std::copy(std::begin(outcome), std::end(outcome), node.outcome);
    return node;
}

LbpNode lbp_node(const LbpFeature& feature, const std::uint32_t* subset, const float (&outcome)[2],
                 std::int64_t pitch) {
    LbpNode node{};
    node.corner = static_cast<std::int32_t>(feature.block.y * pitch + feature.block.x);
    node.across = feature.block.w;
    node.down = static_cast<std::int32_t>(feature.block.h * pitch);
    std::copy(std::begin(outcome), std::end(outcome), node.outcome);
    std::copy_n(subset, kLbpWords, node.subset);
    return node;
}

}  // namespace

DeviceCascade::DeviceCascade(const CascadeModel& model, StreamView stream) : model_(model) {
    nodes_per_tree_ = model_.trees.front().node_count;
    for (const CascadeTree& tree : model_.trees) {
        if (tree.node_count != nodes_per_tree_) nodes_per_tree_ = 0;
    }
    if (nodes_per_tree_ > 2) nodes_per_tree_ = 0;

    std::vector<DeviceStage> stages;
    for (const CascadeStage& s : model_.stages) stages.push_back({s.first_tree, s.tree_count, s.threshold, 0});
    std::vector<std::int32_t> first_node;  // nodes are reordered by tree
    std::int32_t nodes = 0;
    for (const CascadeTree& tree : model_.trees) {
        first_node.push_back(nodes);
        nodes += tree.node_count;
    }

    upload(geometry_stages_, model_.stages, stream);
    upload(geometry_trees_, model_.trees, stream);
    upload(geometry_nodes_, model_.nodes, stream);
    upload(leaves_, model_.leaves, stream);
    upload(haar_features_, model_.haar, stream);
    upload(lbp_features_, model_.lbp, stream);
    upload(subsets_, model_.subsets, stream);
    upload(stages_, stages, stream);
    upload(first_node_, first_node, stream);
    tables_.geometry = model_.view();
    tables_.geometry.stages = geometry_stages_.data();
    tables_.geometry.trees = geometry_trees_.data();
    tables_.geometry.nodes = geometry_nodes_.data();
    tables_.geometry.leaves = leaves_.data();
    tables_.geometry.haar = haar_features_.data();
    tables_.geometry.lbp = lbp_features_.data();
    tables_.geometry.subsets = subsets_.data();
    tables_.stages = stages_.data();
    tables_.first_node = first_node_.data();
    tables_.tree_count = static_cast<std::int32_t>(model_.trees.size());
    tables_.tilted = model_.has_tilted;
    tables_.exact = leaf_unit(model_).has_value();
    build_tail(stream);
    check_cuda(cudaStreamSynchronize(stream), "uploading a cascade");
}

void DeviceCascade::set_pitch(const PyramidView& pyramid, StreamView stream) {
    std::vector<HaarNode> haar;
    std::vector<LbpNode> lbp;
    for (const CascadeTree& tree : model_.trees) {
        for (std::int32_t k = 0; k < tree.node_count; ++k) {
            const auto at = static_cast<std::size_t>(tree.first_node + k);
            const CascadeNode& from = model_.nodes[at];
            const auto feature = static_cast<std::size_t>(from.feature);
            const float outcome[2] = {outcome_of(model_, tree, from.left), outcome_of(model_, tree, from.right)};
            if (model_.kind == CascadeKind::haar) {
                haar.push_back(
                    haar_node<HaarNode>(model_.haar[feature], from.threshold, outcome, pyramid.pitch, pyramid.tilted));
            } else {
                const std::uint32_t* subset = model_.subsets.data() + at * kLbpWords;
                lbp.push_back(lbp_node(model_.lbp[feature], subset, outcome, pyramid.pitch));
            }
        }
    }
    upload(haar_, haar, stream);
    upload(lbp_, lbp, stream);
    check_cuda(cudaStreamSynchronize(stream), "uploading a cascade");
    tables_.haar = haar_.data();
    tables_.lbp = lbp_.data();
}

void DeviceCascade::build_tail(StreamView stream) {
    const int pitch = model_.window_width + 1;
    const int entries = pitch * (model_.window_height + 1);
    const int planes = model_.has_tilted ? 2 : 1;
    int ranks = 0;
    for (const CascadeTree& tree : model_.trees) ranks = std::max(ranks, static_cast<int>(tree.node_count));
    const std::size_t window =
        static_cast<std::size_t>(entries) * static_cast<std::size_t>(planes) * sizeof(std::uint32_t);
    if (window > kMaxTailWindow || model_.window_width > kMaxPairArea || ranks > kMaxTailTree ||
        exceeds_pair_block(model_))
        return;

    const bool haar = model_.kind == CascadeKind::haar;
    const std::size_t trees = model_.trees.size();
    const std::size_t quads = (haar ? sizeof(TailHaarNode) : sizeof(TailLbpNode)) / 16;
    std::vector<std::uint32_t> tail(static_cast<std::size_t>(ranks) * quads * trees * 4);
    std::vector<std::uint32_t> subsets(haar ? 0 : static_cast<std::size_t>(ranks) * trees * kLbpWords);
    for (std::size_t t = 0; t < trees; ++t) {
        const CascadeTree& tree = model_.trees[t];
        for (std::size_t k = 0; k < static_cast<std::size_t>(tree.node_count); ++k) {
            const std::size_t at = static_cast<std::size_t>(tree.first_node) + k;
            const CascadeNode& from = model_.nodes[at];
            const auto feature = static_cast<std::size_t>(from.feature);
            const float outcome[2] = {outcome_of(model_, tree, from.left), outcome_of(model_, tree, from.right)};
            std::array<std::uint32_t, 12> words{};
            if (haar) {
                const HaarFeature divided = pair_feature(model_.haar[feature]);
                auto node = haar_node<TailHaarNode>(divided, from.threshold, outcome, pitch, entries);
                if (exceeds_pair_area(divided)) node.corner[0] |= TailHaarNode::kLarge;
                std::memcpy(words.data(), &node, sizeof node);
            } else {
                const CascadeRect block = model_.lbp[feature].block;
                TailLbpNode node{};
                node.corner = static_cast<std::uint16_t>(block.y * pitch + block.x);
                node.across = static_cast<std::uint16_t>(block.w);
                node.down = static_cast<std::uint16_t>(block.h * pitch);
                std::copy(std::begin(outcome), std::end(outcome), node.outcome);
                std::memcpy(words.data(), &node, sizeof node);
                std::copy_n(model_.subsets.begin() + static_cast<std::ptrdiff_t>(at * kLbpWords), kLbpWords,
                            subsets.begin() + static_cast<std::ptrdiff_t>((k * trees + t) * kLbpWords));
            }
            for (std::size_t q = 0; q < quads; ++q) {
                std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(4 * q), 4,
                            tail.begin() + static_cast<std::ptrdiff_t>(((k * quads + q) * trees + t) * 4));
            }
        }
    }
    upload(tail_, tail, stream);
    upload(tail_subsets_, subsets, stream);
    check_cuda(cudaStreamSynchronize(stream), "uploading a cascade");
    tables_.tail = tail_.data();
    tables_.tail_subsets = tail_subsets_.data();
    tables_.tail_entries = entries;
    tables_.tail_pitch = pitch;
}

}  // namespace throng::gpu
