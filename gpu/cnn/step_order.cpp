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

}  // namespace

int max_merge(const Step& step) {
    if (step.kind == StepKind::point_depth) return kMaxMerge;
    return step.kind == StepKind::tile_convolution ? kMaxConvolutions : 1;
}

bool can_merge(const Step& a, const Step& b, const std::vector<TensorAlias>& aliases) {
    if (a.kind != b.kind || max_merge(a) == 1 || depends(b, a, aliases)) return false;
    if (a.kind == StepKind::tile_convolution) {
        // A launch computes equally many channels per block for all; large kernels need as many as possible.
        const auto is_dense = [](const Step& step) { return step.kernel > 1 && step.depth.weights == nullptr; };
        return (!is_dense(a) && !is_dense(b)) || channels_per_block(a.point.out) == channels_per_block(b.point.out);
    }
    return a.point.in == b.point.in && a.point.out == b.point.out;
}

// Builds the order from the end. Of the steps without unplaced readers, takes one that can share a launch with those
// just placed, otherwise the last.
std::vector<Step> ordered_for_merging(const std::vector<Step>& steps, const std::vector<TensorAlias>& aliases) {
    std::vector<std::size_t> left(steps.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    std::vector<Step> backwards;
    std::size_t group = 0;  // number of steps placed last that share a launch
    while (!left.empty()) {
        const auto is_free = [&](std::size_t candidate) {
            return std::none_of(left.begin(), left.end(), [&](std::size_t other) {
                return other != candidate && depends(steps[other], steps[candidate], aliases);
            });
        };
        const auto joins = [&](std::size_t candidate) {
            return group > 0 && static_cast<int>(group) < max_merge(steps[candidate]) &&
                   std::all_of(backwards.end() - static_cast<std::ptrdiff_t>(group), backwards.end(),
                               [&](const Step& placed) { return can_merge(steps[candidate], placed, aliases); });
        };
        auto chosen = left.rend();
        for (auto i = left.rbegin(); i != left.rend(); ++i) {
            if (!is_free(*i)) continue;
            if (chosen == left.rend()) chosen = i;
            if (!joins(*i)) continue;
            chosen = i;
            break;
        }
        group = joins(*chosen) ? group + 1 : 1;
        backwards.push_back(steps[*chosen]);
        left.erase(std::next(chosen).base());
    }
    std::reverse(backwards.begin(), backwards.end());
    return backwards;
}

}  // namespace throng::gpu
