#include "core/base/error.h"
#include "core/detect/setting_rows.h"

namespace throng {
namespace {

// 1.6 GB of boxes and scores. No frame needs more; a larger value is most likely a typing error.
constexpr std::int32_t kMaxCapacity = 1 << 26;

void require(bool holds, const char* problem, const char* field) {
    if (!holds) throw Error(ErrorKind::usage, problem, Setting{field});
}

SettingRow with_slider(SettingRow row, SliderRange range) {
    row.slider = [range](const DetectorKind&) { return range; };
    return row;
}

SettingRow min_confidence_row() {
    SettingRow row = setting_rows::number("min_confidence", &DetectionParams::min_confidence, {0, 1}, "C",
                                          "Report detections from this confidence on, in [0, 1]; whatever hides faces "
                                          "hides the others, too");
    row.of_detections = true;
    return with_slider(row, {0, 0.99, 0.01});
}

std::vector<SettingRow> nms_rows() {
    using namespace setting_rows;
    using Nms = NmsParams;
    return in_group(
        "NMS",
        {choice("rule", &Nms::rule, kNmsRuleNames, "Suppression rule"),
         choice("overlap", &Nms::overlap, kOverlapNames,
                "Intersection over the union, the suppressor's area or the smaller area; soft, adaptive and "
                "feature rules: always iou"),
         with_slider(number("theta", &Nms::theta, {0, 1}, "T",
                            "Minimum overlap in [0, 1] of a pair that suppresses; 0.3 for rules that always use the "
                            "IoU"),
                     {0, 1, 0.01}),
         with_slider(number("min_hits", &Nms::min_hits, {1}, "N",
                            "Drop kept detections that represent fewer than N raw detections; replaces the default of "
                            "--min-confidence"),
                     {1, 20, 1}),
         min_confidence_row(),
         choice("merge", &Nms::merge, kMergeNames,
                "Replace a kept box by the mean of the boxes it represents, weighted by score or not"),
         choice("pair", &Nms::pair, kPairRuleNames,
                "Threshold of a pair: fixed, increasing with density, or assisted by embeddings"),
         choice("pixels", &Nms::pixels, kPixelNames,
                "Box edges: continuous, or inclusive (widths and heights count one more)"),
         choice("ties", &Nms::ties, kTiesNames,
                "total: equal scores are ordered by area and index; strict: they never suppress each other; "
                "index: they are ordered by index (CPU only)"),
         choice("compare", &Nms::compare, kCompareNames, "A pair suppresses from the threshold on, or above it only"),
         number("sigma", &Nms::sigma, {1e-6, 1e6}, "S", "Sigma of the soft-gaussian decay"),
         number("score_min", &Nms::score_min, {-1e9, 1e9}, "S", "Soft rules drop detections below this score"),
         number("feature_low", &Nms::feature_low, {0, 1}, "N1", "--pair feature: no pair suppresses up to this IoU"),
         number("feature_high", &Nms::feature_high, {0, 1}, "N2",
                "--pair feature: every pair suppresses from this IoU on"),
         number("feature_distance", &Nms::feature_distance, {0, 1e9}, "D",
                "--pair feature: in between, maximum distance of embeddings that suppresses"),
         choice("kernels", &Nms::kernels, kKernelNames,
                "CUDA: Throng's own kernels, or the map and reduce kernels of the paper"),
         number("paper_k", &Nms::paper_k, {1, 64}, "K", "--kernels paper: steps of the reduction, 1 to 64"),
         number("capacity", &DetectionParams::capacity, {0, kMaxCapacity}, "N",
                "Maximum number of raw detections per frame; excess ones are counted and reported (0: automatic)")});
}

}  // namespace

Message SettingRow::problem(std::string_view text) const {
    switch (type) {
        case SettingType::whole:
            return check_whole(text, static_cast<std::int64_t>(min), static_cast<std::int64_t>(max));
        case SettingType::real: return check_real(text, min, max);
        case SettingType::flag:
        case SettingType::choice: return check_choice(text, choices);
        case SettingType::text: return {};
        case SettingType::pairs: break;
    }
    const std::size_t equals = text.find('=');
    if (equals != 0 && equals < text.size() - 1) return {};
    return {"must have the form ID=CHOICE, not \"%1\"", std::string(text)};
}

const std::vector<SettingRow>& nms_settings() {
    static const std::vector<SettingRow> kRows = nms_rows();
    return kRows;
}

void check_ranges(const std::vector<SettingRow>& rows, const DetectionParams& params) {
    for (const SettingRow& row : rows) {
        if (!row.in_range || row.in_range(params)) continue;
        throw Error(ErrorKind::usage, row.problem(row.read(params)), Setting{row.name});
    }
}

void check_params(const NmsParams& params) {
    DetectionParams all;
    all.nms = params;
    check_ranges(nms_settings(), all);
    const bool soft = is_soft(params.rule);
    if (params.feature_low > params.feature_high) {
        throw Error(ErrorKind::usage, {"exceeds %1", Setting{"feature_high"}}, Setting{"feature_low"});
    }
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
