// The options of non-maximum suppression, the same for every command that suppresses.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/detect/nms.h"
#include "core/detect/nms_names.h"

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
void settle_nms_options(NmsOptions& options, const std::string& detector = {});

// Adds an option whose values are the words of a table of nms_names.h; value is its default.
template <class Choice, std::size_t kSize>
CLI::Option* add_choice(CLI::App& command, const std::string& option, Choice& value,
                        const std::pair<std::string_view, Choice> (&names)[kSize], const std::string& description) {
    std::vector<std::string> words;
    for (const auto& [name, choice] : names) words.emplace_back(name);
    return command
        .add_option_function<std::string>(
            option, [&value, &names](const std::string& word) { value = *choice_of(names, word); }, description)
        ->check(CLI::IsMember(words))
        ->type_name("")
        ->default_str(std::string(name_of(names, value)));
}

}  // namespace throng
