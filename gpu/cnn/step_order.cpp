#include "gpu/cnn/step_order.h"

#include <algorithm>

#include "gpu/cnn/point_depth.h"
#include "gpu/cnn/tile_convolution.h"

namespace throng::gpu {
namespace {

bool reads(const Step& reader, int tensor, const std::vector<TensorAlias>& aliases) {
    if (tensor < 0) return false;
    const int whole = aliases[static_cast<std::size_t>(tensor)].whole;  // written in place, as a part of it
    for (const int from : {reader.in, reader.up, reader.more}) {
        if (from == tensor || (whole >= 0 && from == whole)) return true;
    }
    return false;
}

bool depends(const Step& reader, const Step& writer, const std::vector<TensorAlias>& aliases) {
    return reads(reader, writer.out, aliases) || reads(reader, writer.pooled, aliases);
}

// Returns how many steps of this kind a launch takes.
std::size_t max_merge(const Step& step) {
    if (step.kind == StepKind::point_depth) return kMaxUnits;
    return step.kind == StepKind::tile_convolution ? kMaxConvolutions : 1;
}

// Returns true if b, which comes after a, can share its launch: convolutions, or units of the same channels, where b
// reads no output of a.
bool can_merge(const Step& a, const Step& b, const std::vector<TensorAlias>& aliases) {
    if (a.kind != b.kind || depends(b, a, aliases)) return false;
    if (a.kind == StepKind::tile_convolution) {
        // A launch computes equally many channels per block for all; large kernels need as many as possible.
        const auto is_dense = [](const Step& step) { return step.kernel > 1 && step.depth.weights == nullptr; };
        return (!is_dense(a) && !is_dense(b)) || channels_per_block(a.point.out) == channels_per_block(b.point.out);
    }
    return a.point.in == b.point.in && a.point.out == b.point.out;
}

}  // namespace

// Builds the order from the end. Of the steps without unplaced readers, takes one that can share a launch with those
// just placed, otherwise the last.
std::vector<StepGroup> grouped(const std::vector<Step>& steps, const std::vector<TensorAlias>& aliases) {
    std::vector<Step> left = steps;
    std::vector<StepGroup> groups;
    while (!left.empty()) {
        const auto is_free = [&](const Step& candidate) {
            return std::none_of(left.begin(), left.end(), [&](const Step& other) {
                return &other != &candidate && depends(other, candidate, aliases);
            });
        };
        const auto joins = [&](const Step& candidate) {
            return !groups.empty() && groups.front().size() < max_merge(candidate) &&
                   std::all_of(groups.front().begin(), groups.front().end(),
                               [&](const Step& member) { return can_merge(candidate, member, aliases); });
        };
        auto chosen = std::find_if(left.rbegin(), left.rend(), [&](const Step& s) { return is_free(s) && joins(s); });
        if (chosen == left.rend()) {
            chosen = std::find_if(left.rbegin(), left.rend(), is_free);
            groups.insert(groups.begin(), StepGroup());
        }
        groups.front().insert(groups.front().begin(), *chosen);
        left.erase(std::next(chosen).base());
    }
    return groups;
}

}  // namespace throng::gpu
