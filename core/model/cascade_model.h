// A cascade as read from a file: owned, validated, ready for evaluation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/algo/cascade.h"

namespace throng {

// Owns everything that a CascadeView points to. A model that passed check_model can be evaluated without further
// checks.
struct CascadeModel {
    std::string name;  // the file
    CascadeKind kind = CascadeKind::haar;
    int window_width = 0, window_height = 0;  // pixels
    std::vector<CascadeStage> stages;
    std::vector<CascadeTree> trees;
    std::vector<CascadeNode> nodes;
    std::vector<float> leaves;
    std::vector<HaarFeature> haar;
    std::vector<LbpFeature> lbp;
    std::vector<std::uint32_t> subsets;
    bool has_tilted = false;

    [[nodiscard]] CascadeView view() const;
};

// Throws Error(input) naming the faulty part: an index out of range, a tree with a possible cycle, a rectangle outside
// the window. Also for a number that is not finite and a count out of bounds. The error's location is model.name.
void check_model(const CascadeModel& model);

}  // namespace throng
