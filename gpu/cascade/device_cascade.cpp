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

constexpr char kUploading[] = "uploading a cascade";

float outcome_of(const CascadeModel& model, const CascadeTree& tree, std::int32_t child) {
    if (child <= 0) return model.leaves[static_cast<std::size_t>(tree.first_leaf - child)];
    const std::uint32_t bits = kChildBits | static_cast<std::uint32_t>(child);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// A node of rank `rank` of a tree; at: its index in the model.
struct TreeNode {
    std::size_t tree, rank, at, feature;
    float threshold;
    float outcome[2];
};

// Visits the nodes of all trees, tree by tree.
template <typename Use>
void for_each_node(const CascadeModel& model, const Use& use) {
    for (std::size_t t = 0; t < model.trees.size(); ++t) {
        const CascadeTree& tree = model.trees[t];
        for (std::size_t k = 0; k < static_cast<std::size_t>(tree.node_count); ++k) {
            const std::size_t at = static_cast<std::size_t>(tree.first_node) + k;
            const CascadeNode& node = model.nodes[at];
            use(TreeNode{t,
                         k,
                         at,
                         static_cast<std::size_t>(node.feature),
                         node.threshold,
                         {outcome_of(model, tree, node.left), outcome_of(model, tree, node.right)}});
        }
    }
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
Node haar_node(const HaarFeature& feature, const TreeNode& from, std::int64_t pitch, std::int64_t tilted_plane) {
    Node node{};
    write_corners(feature, pitch, tilted_plane, node.corner);
    std::copy(std::begin(feature.weight), std::end(feature.weight), node.weight);
    node.threshold = from.threshold;
    std::copy(std::begin(from.outcome), std::end(from.outcome), node.outcome);
    return node;
}

// Node is LbpNode, without its subset, or TailLbpNode.
template <typename Node>
Node lbp_node(CascadeRect block, const TreeNode& from, std::int64_t pitch) {
    Node node{};
    node.corner = static_cast<decltype(node.corner)>(block.y * pitch + block.x);
    node.across = static_cast<decltype(node.across)>(block.w);
    node.down = static_cast<decltype(node.down)>(block.h * pitch);
    std::copy(std::begin(from.outcome), std::end(from.outcome), node.outcome);
    return node;
}

void copy_subset(const CascadeModel& model, const TreeNode& from, std::uint32_t* to) {
    std::copy_n(model.subsets.data() + from.at * kLbpWords, kLbpWords, to);
}

}  // namespace

template <typename T>
const T* DeviceCascade::upload(const std::vector<T>& values, StreamView stream) {
    tables_of_model_.push_back(uploaded_bytes(values, stream, kUploading));
    return reinterpret_cast<const T*>(tables_of_model_.back().data());
}

DeviceCascade::DeviceCascade(const CascadeModel& model, StreamView stream) : model_(model) {
    const int first = model_.trees.front().node_count;
    tables_.nodes_per_tree = first <= 2 ? first : 0;
    std::vector<std::int32_t> first_node;  // nodes are reordered by tree
    std::int32_t nodes = 0;
    for (const CascadeTree& tree : model_.trees) {
        if (tree.node_count != first) tables_.nodes_per_tree = 0;
        first_node.push_back(nodes);
        nodes += tree.node_count;
    }

    tables_.geometry = model_.view();
    tables_.geometry.stages = upload(model_.stages, stream);
    tables_.geometry.trees = upload(model_.trees, stream);
    tables_.geometry.nodes = upload(model_.nodes, stream);
    tables_.geometry.leaves = upload(model_.leaves, stream);
    tables_.geometry.haar = upload(model_.haar, stream);
    tables_.geometry.lbp = upload(model_.lbp, stream);
    tables_.geometry.subsets = upload(model_.subsets, stream);
    tables_.first_node = upload(first_node, stream);
    tables_.tree_count = static_cast<std::int32_t>(model_.trees.size());
    tables_.tilted = model_.has_tilted;
    tables_.exact = leaf_unit(model_).has_value();
    build_tail(stream);
    check_cuda(cudaStreamSynchronize(stream), kUploading);
}

void DeviceCascade::set_pitch(const PyramidView& pyramid, StreamView stream) {
    std::vector<HaarNode> haar;
    std::vector<LbpNode> lbp;
    for_each_node(model_, [&](const TreeNode& from) {
        if (model_.kind == CascadeKind::haar) {
            haar.push_back(haar_node<HaarNode>(model_.haar[from.feature], from, pyramid.pitch, pyramid.tilted));
        } else {
            lbp.push_back(lbp_node<LbpNode>(model_.lbp[from.feature].block, from, pyramid.pitch));
            copy_subset(model_, from, lbp.back().subset);
        }
    });
    haar_ = uploaded(haar, stream, kUploading);
    lbp_ = uploaded(lbp, stream, kUploading);
    check_cuda(cudaStreamSynchronize(stream), kUploading);
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
    for_each_node(model_, [&](const TreeNode& from) {
        std::array<std::uint32_t, 12> words{};
        if (haar) {
            const HaarFeature divided = pair_feature(model_.haar[from.feature]);
            auto node = haar_node<TailHaarNode>(divided, from, pitch, entries);
            if (exceeds_pair_area(divided)) node.corner[0] |= TailHaarNode::kLarge;
            std::memcpy(words.data(), &node, sizeof node);
        } else {
            const auto node = lbp_node<TailLbpNode>(model_.lbp[from.feature].block, from, pitch);
            std::memcpy(words.data(), &node, sizeof node);
            copy_subset(model_, from, subsets.data() + (from.rank * trees + from.tree) * kLbpWords);
        }
        for (std::size_t q = 0; q < quads; ++q) {
            std::copy_n(words.data() + 4 * q, 4, tail.data() + ((from.rank * quads + q) * trees + from.tree) * 4);
        }
    });
    tables_.tail = upload(tail, stream);
    tables_.tail_subsets = upload(subsets, stream);
    tables_.tail_entries = entries;
    tables_.tail_pitch = pitch;
}

}  // namespace throng::gpu
