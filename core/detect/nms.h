// Non-maximum suppression: its parameters and its interface on every backend.
// Sources: D. Oro et al., Work-efficient parallel non-maximum suppression kernels (The Computer Journal);
// N. Bodla et al., Soft-NMS (ICCV 2017); S. Liu et al., Adaptive NMS (CVPR 2019); N. O. Salscheider, FeatureNMS (2020).
#pragma once

#include <cstdint>

#include "core/algo/nms_rules.h"
#include "core/detect/detection_buffer.h"
#include "core/detect/stage.h"

namespace throng {

enum class NmsRule : std::uint8_t { one_pass, greedy, soft_linear, soft_gaussian };
enum class Merge : std::uint8_t { none, mean, weighted };
enum class NmsKernels : std::uint8_t { fast, paper };

// Soft rules lower scores and suppress nothing.
[[nodiscard]] constexpr bool is_soft(NmsRule rule) {
    return rule == NmsRule::soft_linear || rule == NmsRule::soft_gaussian;
}

struct NmsParams {
    NmsRule rule = NmsRule::greedy;
    Overlap overlap = Overlap::iou;
    PairRule pair = PairRule::overlap;
    PixelConvention pixels = PixelConvention::continuous;
    Ties ties = Ties::total;  // index: CPU only
    Compare compare = Compare::at_least;
    Merge merge = Merge::none;
    float theta = 0.3F;             // in [0, 1]
    std::int32_t min_hits = 1;      // kept detections with fewer hits are dropped; 1 with soft rules
    float sigma = 0.5F;             // soft-gaussian, > 0
    float score_min = 0.001F;       // soft rules: lower scores are dropped
    float feature_low = 0.1F;       // feature pair rule: N1
    float feature_high = 0.9F;      // feature pair rule: N2
    float feature_distance = 1.0F;  // feature pair rule: T
    NmsKernels kernels = NmsKernels::fast;
    std::int32_t paper_k = 32;  // steps of the paper's reduction, 1 to 64, divides D_max

    friend bool operator==(const NmsParams&, const NmsParams&) = default;
};

// Not thread-safe: each Nms belongs to one detect thread.
class Nms {
public:
    Nms() = default;
    Nms(const Nms&) = delete;
    Nms& operator=(const Nms&) = delete;
    virtual ~Nms() = default;

    // Reads raw (min(total, capacity) detections), writes kept in the order of the rule: boxes, scores, hits, source,
    // count. kept.count.total is the number kept by the rule (after min_hits; the first `capacity` of them are stored);
    // kept.count.invalid those dropped as invalid. Landmarks, density and features of the representative are copied if
    // both buffers have them. raw is not changed and must be another buffer than kept. kernels and paper_k have an
    // effect only on CUDA. Throws Error(usage) as check_params does, Error(input) if raw lacks the density or the
    // features that a pair rule needs, Error(unavailable) for Ties::index on CUDA, Error(internal) for a buffer of
    // another memory kind. CPU: done on return. CUDA: enqueued on the backend's stream, does not synchronize, allocates nothing after warm-up.
    virtual void enqueue(const DetectionBuffer& raw, DetectionBuffer& kept, const NmsParams& params,
                         StageRecorder& recorder) = 0;
};

// Throws Error(usage) with the option if a value is out of range or parameters contradict each other: adaptive and
// feature require one-pass or greedy; they and the soft rules are defined on the IoU; soft rules allow no min-hits, no
// merge and only total ties; Compare::above requires a hard rule and the pair rule overlap; the paper's kernels implement only the one-pass rule.
void check_params(const NmsParams& params);

}  // namespace throng
