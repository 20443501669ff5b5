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

struct NmsOptions {
    NmsParams params;
    std::int32_t dmax = 0;  // D_max: raw detections that a frame may hold; 0: the command's own choice

    // Set by add_nms_options: whether the user gave these is known after parsing only.
    const CLI::Option* overlap_option = nullptr;
    const CLI::Option* theta_option = nullptr;
    const CLI::Option* min_hits_option = nullptr;
};

// What clusters the windows of cascades best: greedy, overlap with the smaller box, threshold 0.5 (the table of
// tests/bench/accuracy.cpp). A face on a screen should be no chance hit: there min_hits is 3, where data is written 1.
[[nodiscard]] NmsOptions nms_options_for_faces(std::int32_t min_hits);

// Adds --rule --overlap --theta --min-hits --merge --pair --pixels --ties --sigma --score-min --feature-low
// --feature-high --feature-distance --kernels --k --dmax. The values found in `options` are the defaults.
void add_nms_options(CLI::App& command, NmsOptions& options);

// To be called after parsing: gives a rule that is defined on the IoU the IoU, its threshold and no minimum of hits
// unless the user chose otherwise; then check_params, and D_max against k. Throws Error(usage).
void settle_nms_options(NmsOptions& options);

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
