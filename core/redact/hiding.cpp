#include "core/redact/hiding.h"

#include <algorithm>
#include <limits>

#include "core/detect/detector_kinds.h"

namespace throng {

HidingParams hiding_params(DetectorId kind) {
    const DetectorKind& detector = detector_kind(kind);
    HidingParams params;
    params.plan.delay = kLiveDelay;
    params.tracker = tracker_params(kind);
    params.tracker.confident_score = std::numeric_limits<float>::lowest();
    if (detector.is_network()) params.threshold_fraction = 0.5F;
    if (detector.finds != "faces") {
        // The box of HOG has a margin already. That of a network ends at the body: the corners are hidden, too.
        params.redact.margin = detector.is_network() ? 0.3F : 0.1F;
        if (detector.faces) {
            const HidingParams faces = hiding_params(*detector.faces);
            params.faces = {faces.plan, faces.tracker};
        }
    } else if (detector.is_network()) {
        params.redact.margin = 0.3F;
        params.plan.min_aspect = 0.9F;
        params.plan.edge_extension = 12;
    } else {
        // The windows of cascades are smaller than a face, and jitter. Half-hidden faces are missed for longer. Clusters of
        // few windows are mostly wrong: they start no track.
        params.redact.margin = 0.55F;
        params.tracker.confident_hits = 5;
        params.plan.extension = 20;
        params.plan.growth = 0.004F;
        params.plan.window = 3;
    }
    return params;
}

HidingParams strict_hiding_params(DetectorId kind) {
    const DetectorKind& detector = detector_kind(kind);
    HidingParams params = hiding_params(kind);
    params.tracker.confident_hits = 1;
    params.search = {detector.params, detector.nms};
    // The boxes that another detector shows are hidden as widely as if it hid them.
    float widest = params.redact.margin;
    for (const DetectorKind& each : detector_kinds()) widest = std::max(widest, hiding_params(each.id()).redact.margin);
    params.shown_growth = ((1 + 2 * widest) / (1 + 2 * params.redact.margin) - 1) / 2;
    return params;
}

LookaheadParams lookahead_params(const HidingParams& params) {
    const bool linked = params.plan.delay == PlanOptions::kWholeSequence;
    LookaheadParams result{params.tracker, linked, params.plan};
    if (params.faces) {
        result.faces.push_back({params.faces->tracker, linked, params.faces->plan});
        result.faces.front().plan->delay = params.plan.delay;
    }
    return result;
}

FaceBox shown_box(const Detection& shown, const HidingParams& params) {
    return {-1, grown(shown.box, params.shown_growth), shown.score, true};
}

}  // namespace throng
