// Calls a function with the feature layout for a model.
#pragma once

#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/evaluate.cuh"

namespace throng::gpu {

template <typename Use>
void select_features(const KernelChoice& choice, const Use& use) {
    if (choice.features == Features::geometry) return use(Geometry{});
    if (choice.kind == CascadeKind::lbp)
        return choice.nodes_per_tree == 1 ? use(LbpOffsets<1>{}) : use(LbpOffsets<0>{});
    switch (choice.nodes_per_tree) {
        case 1: return use(HaarOffsets<1>{});
        case 2: return use(HaarOffsets<2>{});
        default: return use(HaarOffsets<0>{});
    }
}

}  // namespace throng::gpu
