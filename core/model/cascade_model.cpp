#include "core/model/cascade_model.h"

#include <cmath>

#include "core/base/error.h"

namespace throng {
namespace {

// Throws errors that name the faulty part of the model.
class Checker {
public:
    explicit Checker(const CascadeModel& model) : model_(model) {}

    void require(bool holds, const char* problem, const char* part, std::size_t index) const {
        if (holds) return;
        throw Error(ErrorKind::input, problem, model_.name + ": " + part + " " + std::to_string(index),
                    "the cascade is damaged or not supported");
    }

    void rectangle(CascadeRect r, int across, int down, std::size_t feature) const {
        require(r.x >= 0 && r.y >= 0 && r.w > 0 && r.h > 0 && r.x + across * r.w <= model_.window_width &&
                    r.y + down * r.h <= model_.window_height,
                "a rectangle extends beyond the window", "feature", feature);
    }

    void tilted(CascadeRect r, std::size_t feature) const {
        require(r.x >= r.h && r.y >= 0 && r.w > 0 && r.h > 0 && r.x + r.w <= model_.window_width &&
                    r.y + r.w + r.h <= model_.window_height,
                "a tilted rectangle extends beyond the window", "feature", feature);
    }

    void features() const {
        for (std::size_t i = 0; i < model_.haar.size(); ++i) {
            const HaarFeature& f = model_.haar[i];
            for (int r = 0; r < kHaarRects; ++r) {
                require(std::isfinite(f.weight[r]), "a weight is not a finite number", "feature", i);
                if (f.weight[r] == 0.0F) continue;
                f.tilted != 0 ? tilted(f.rect[r], i) : rectangle(f.rect[r], 1, 1, i);
            }
        }
        for (std::size_t i = 0; i < model_.lbp.size(); ++i) rectangle(model_.lbp[i].block, 3, 3, i);
    }

    void tree(std::size_t index) const {
        const CascadeTree& t = model_.trees[index];
        require(t.node_count >= 1, "a tree needs a node", "tree", index);
        require(t.first_node >= 0 && t.first_leaf >= 0 &&
                    static_cast<std::size_t>(t.first_node) + t.node_count <= model_.nodes.size() &&
                    static_cast<std::size_t>(t.first_leaf) + t.node_count + 1 <= model_.leaves.size(),
                "a tree needs one leaf more than it has nodes", "tree", index);
        const std::size_t features = model_.kind == CascadeKind::haar ? model_.haar.size() : model_.lbp.size();
        const CascadeNode* nodes = model_.nodes.data() + t.first_node;
        for (int n = 0; n < t.node_count; ++n) {
            const CascadeNode& node = nodes[n];
            require(node.feature >= 0 && static_cast<std::size_t>(node.feature) < features,
                    "a node refers to a missing feature", "tree", index);
            require(std::isfinite(node.threshold), "a threshold is not a finite number", "tree", index);
            for (const int child : {node.left, node.right}) {
                // Children come after their parent, so no path is a cycle.
                require(child > 0 ? child > n && child < t.node_count : child >= -t.node_count,
                        "a node refers to a child that is missing or precedes it", "tree", index);
            }
        }
    }

    void stages() const {
        std::size_t next = 0;
        for (std::size_t i = 0; i < model_.stages.size(); ++i) {
            const CascadeStage& s = model_.stages[i];
            require(s.tree_count >= 1 && s.first_tree >= 0 && static_cast<std::size_t>(s.first_tree) == next,
                    "a stage needs a weak classifier", "stage", i);
            require(std::isfinite(s.threshold), "a threshold is not a finite number", "stage", i);
            next += static_cast<std::size_t>(s.tree_count);
            require(next <= model_.trees.size(), "a stage refers to missing trees", "stage", i);
        }
    }

private:
    const CascadeModel& model_;
};

}  // namespace

CascadeView CascadeModel::view() const {
    CascadeView v;
    v.kind = kind;
    v.window_width = window_width;
    v.window_height = window_height;
    v.stage_count = static_cast<std::int32_t>(stages.size());
    v.stages = stages.data();
    v.trees = trees.data();
    v.nodes = nodes.data();
    v.leaves = leaves.data();
    v.haar = haar.data();
    v.lbp = lbp.data();
    v.subsets = subsets.data();
    return v;
}

void check_model(const CascadeModel& model) {
    const auto require = [&](bool holds, const char* problem) {
        if (!holds) throw Error(ErrorKind::input, problem, model.name);
    };
    require(model.window_width >= 3 && model.window_height >= 3 && model.window_width <= kMaxWindow &&
                model.window_height <= kMaxWindow &&
                static_cast<long long>(model.window_width) * model.window_height <= kMaxWindow,
            "the window size is out of bounds (3x3 to 33,000 pixels)");
    require(!model.stages.empty(), "the cascade has no stages");
    require(model.kind == CascadeKind::haar || model.subsets.size() == model.nodes.size() * kLbpWords,
            "a node has no subset of 256 values");
    const Checker check(model);
    check.features();
    check.stages();
    for (std::size_t i = 0; i < model.trees.size(); ++i) check.tree(i);
    for (std::size_t i = 0; i < model.leaves.size(); ++i) {
        check.require(std::isfinite(model.leaves[i]), "a leaf's value is not a finite number", "leaf", i);
    }
}

}  // namespace throng
