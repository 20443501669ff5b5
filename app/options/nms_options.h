// Options of non-maximum suppression, shared by all commands that suppress.
#pragma once

#include <cstdint>
#include <string>

#include "app/options/cli_fwd.h"
#include "core/detect/nms.h"

namespace throng {

// Purpose of the boxes. data: all detections; screen: only those confirmed by several raw detections.
enum class BoxesFor : std::uint8_t { data, screen };

struct NmsOptions {
    NmsParams params;
    std::int32_t dmax = 0;  // D_max: maximum number of raw detections per frame; 0: chosen by the command
    BoxesFor boxes_for = BoxesFor::data;
    bool after_detector = false;  // true: the defaults are those of the detector's kind

    // Set by add_nms_options. Their count() is valid after parsing only.
    const CLI::Option* rule_option = nullptr;
    const CLI::Option* overlap_option = nullptr;
    const CLI::Option* theta_option = nullptr;
    const CLI::Option* min_hits_option = nullptr;
    const CLI::Option* ties_option = nullptr;
    const CLI::Option* compare_option = nullptr;
};

// Returns options for a command that detects, with the defaults of the detector's kind (detector_kinds()).
[[nodiscard]] NmsOptions nms_options_after_detector(BoxesFor boxes_for);

// Adds --rule --overlap --theta --min-hits --merge --pair --pixels --ties --compare --sigma --score-min
// --feature-low --feature-high --feature-distance --kernels --k --dmax. The values in `options` are the defaults.
void add_nms_options(CLI::App& command, NmsOptions& options);

// Sets options that the user did not give, then checks all. To be called after parsing. Options made for a detector get
// the defaults of its kind. A rule that is defined on the IoU gets the IoU, its threshold and, if soft, min_hits 1.
// Checks with check_params, and D_max against k. Throws Error(usage).
void finalize_nms_options(NmsOptions& options, const std::string& detector = {});

}  // namespace throng
