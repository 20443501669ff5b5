#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/detect/detector.h"
#include "core/detect/nms.h"

namespace throng {
namespace {

void require(bool holds, const char* problem, const char* field) {
    if (!holds) throw Error(ErrorKind::usage, problem, Setting{field});
}

}  // namespace

void check_params(const DetectorParams& params) {
    require(params.min_size >= 1, "must be at least 1 pixel", "min_size");
    require(params.max_size >= 0, "must be 0 (no limit) or more", "max_size");
    if (params.max_size != 0 && params.max_size < params.min_size) {
        throw Error(ErrorKind::usage, {"is smaller than %1", Setting{"min_size"}}, Setting{"max_size"});
    }
    // A factor closer to 1 would give thousands of scales.
    require(params.scale_factor >= 1.01 && params.scale_factor <= 10.0, "must lie in [1.01, 10]", "scale_factor");
    require(params.threads >= 0, "must be 0 (one per core) or more", "threads");
}

void check_change(const DetectorParams& current, const DetectorParams& params) {
    check_params(params);
    if (params.kind == current.kind && params.model == current.model) return;
    throw Error(ErrorKind::usage, "the kind and the model of a detector cannot be changed",
                params.kind + " " + params.model);
}

void check_params(const NmsParams& params) {
    const bool soft = is_soft(params.rule);
    require(params.theta >= 0.0F && params.theta <= 1.0F, "must lie in [0, 1]", "theta");
    require(params.min_hits >= 1, "must be at least 1", "min_hits");
    require(std::isfinite(params.sigma) && params.sigma > 0.0F, "must be greater than 0", "sigma");
    require(std::isfinite(params.score_min), "must be a finite number", "score_min");
    if (!(params.feature_low >= 0.0F && params.feature_low <= params.feature_high && params.feature_high <= 1.0F)) {
        throw Error(ErrorKind::usage, "must satisfy 0 <= N1 <= N2 <= 1",
                    {"%1, %2", Setting{"feature_low"}, Setting{"feature_high"}});
    }
    require(std::isfinite(params.feature_distance) && params.feature_distance >= 0.0F, "must be 0 or more",
            "feature_distance");
    require(params.paper_k >= 1 && params.paper_k <= 64, "must lie in [1, 64]", "paper_k");
    require(params.overlap == Overlap::iou || (!soft && params.pair == PairRule::overlap),
            "soft rules and the adaptive and feature pair rules require iou", "overlap");
    require(!soft || params.pair == PairRule::overlap, "adaptive and feature require the rule one-pass or greedy",
            "pair");
    require(!soft || params.min_hits == 1, "must be 1 with a soft rule, which suppresses nothing", "min_hits");
    require(!soft || params.merge == Merge::none, "must be none with a soft rule, which suppresses nothing", "merge");
    require(!soft || params.ties == Ties::total, "must be total with a soft rule, which changes scores", "ties");
    require(params.compare == Compare::at_least || (!soft && params.pair == PairRule::overlap),
            "must be at-least with a soft rule and with the adaptive and feature pair rules", "compare");
    require(params.kernels == NmsKernels::fast || params.rule == NmsRule::one_pass,
            "the paper's kernels implement only the one-pass rule", "kernels");
}

}  // namespace throng
