// The options of non-maximum suppression, the same for every command that suppresses.
#pragma once

#include <cstdint>
#include <string>

#include "app/options/cli_fwd.h"
#include "core/detect/nms.h"

namespace throng {

// What the boxes are for: data is complete, while on a screen a box should be no chance hit.
enum class BoxesFor : std::uint8_t { data, screen };

struct NmsOptions {
    NmsParams params;
    std::int32_t dmax = 0;  // D_max: raw detections that a frame may hold; 0: the command's own choice
    BoxesFor boxes_for = BoxesFor::data;
    bool after_detector = false;  // defaults are those of the detector's kind

    // Set by add_nms_options: whether the user gave these is known after parsing only.
    const CLI::Option* rule_option = nullptr;
    const CLI::Option* overlap_option = nullptr;
    const CLI::Option* theta_option = nullptr;
    const CLI::Option* min_hits_option = nullptr;
};

// For a command that detects: defaults by the kind of detector (detector_kinds()).
[[nodiscard]] NmsOptions nms_options_after_detector(BoxesFor boxes_for);

// Adds --rule --overlap --theta --min-hits --merge --pair --pixels --ties --sigma --score-min --feature-low
// --feature-high --feature-distance --kernels --k --dmax. The values found in `options` are the defaults.
void add_nms_options(CLI::App& command, NmsOptions& options);

// To be called after parsing. What the user did not give becomes the default of the kind of detector, where the options
// were made for one; a rule that is defined on the IoU gets the IoU, its threshold and no minimum of hits unless the
// user chose otherwise; then check_params, and D_max against k. Throws Error(usage).
void finalize_nms_options(NmsOptions& options, const std::string& detector = {});

}  // namespace throng
