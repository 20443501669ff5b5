// Options of non-maximum suppression, shared by all commands that suppress.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/options/cli_fwd.h"
#include "core/detect/nms.h"

namespace throng {

// Purpose of the boxes. data: all detections; screen: only those confirmed by several raw detections.
enum class BoxesFor : std::uint8_t { data, screen };

struct NmsOptions {
    NmsParams params;       // complete after finalize_nms_options
    std::int32_t dmax = 0;  // D_max: maximum number of raw detections per frame; 0: chosen by the command
    BoxesFor boxes_for = BoxesFor::data;
    bool after_detector = false;  // true: the defaults are those of the detector's kind

    // Values that the user chose; the others are defaults, which may depend on the detector's kind and on the rule.
    std::optional<NmsRule> rule;
    std::optional<Overlap> overlap;
    std::optional<double> theta;
    std::optional<std::int32_t> min_hits;
    std::optional<Ties> ties;
    std::optional<Compare> compare;
};

// Returns options for a command that detects, with the defaults of the detector's kind (detector_kinds()).
[[nodiscard]] NmsOptions nms_options_after_detector(BoxesFor boxes_for);

// Checks with check_params, and D_max against k. Throws Error(usage).
void check_nms(const NmsParams& params, std::int32_t dmax);

// Adds --rule --overlap --theta --min-hits --merge --pair --pixels --ties --compare --sigma --score-min
// --feature-low --feature-high --feature-distance --kernels --k --dmax. The values in `options` are the defaults.
void add_nms_options(CLI::App& command, NmsOptions& options);

// Sets `params` to what the user chose and to defaults, then checks all. Options made for a detector get the defaults
// of its kind, also if no command line added them. A rule that is defined on the IoU gets the IoU, its threshold and,
// if soft, min_hits 1. Checks with check_nms. Throws Error(usage).
void finalize_nms_options(NmsOptions& options, const std::string& detector = {});

}  // namespace throng
