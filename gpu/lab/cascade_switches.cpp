#include "gpu/lab/cascade_options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "gpu/frame/switch_table.h"

namespace throng::gpu {
namespace {

// Parses "3,8"; returns nothing for any other text.
std::optional<std::vector<int>> stage_list(std::string_view text) {
    std::vector<int> stages;
    while (!text.empty()) {
        int stage = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), stage);
        if (error != std::errc()) return std::nullopt;
        stages.push_back(stage);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) return stages;
        if (text.front() != ',' || text.size() == 1) return std::nullopt;
        text.remove_prefix(1);
    }
    return std::nullopt;
}

std::string get_segments(const SwitchText&, const CascadeOptions& options) {
    if (options.segments.empty()) return std::to_string(options.segment_count);
    std::string list;
    for (const int stage : options.segments) list += (list.empty() ? "" : ",") + std::to_string(stage);
    // A comma distinguishes a list of one stage from a number of segments.
    return options.segments.size() == 1 ? "0," + list : list;
}

bool set_segments(const SwitchText&, CascadeOptions& options, const std::string& choice) {
    options.segments.clear();
    if (choice == "1" || choice == "2" || choice == "3") {
        options.segment_count = choice.front() - '0';
        return true;
    }
    auto stages = stage_list(choice);
    if (!stages || choice.find(',') == std::string::npos) return false;
    std::erase(*stages, 0);
    options.segments = std::move(*stages);
    return !options.segments.empty();
}

std::string get_mask(const SwitchText&, const CascadeOptions& options) {
    const CandidateMask& mask = options.mask;
    if (mask.roi_width > 0 && mask.roi_height > 0) {
        return "roi:" + std::to_string(mask.roi_x) + "," + std::to_string(mask.roi_y) + "," +
               std::to_string(mask.roi_width) + "x" + std::to_string(mask.roi_height);
    }
    return mask.skin ? "skin" : "off";
}

bool set_mask(const SwitchText&, CascadeOptions& options, const std::string& choice) {
    options.mask = {};
    options.mask.skin = choice == "skin";
    if (choice == "off" || choice == "skin") return true;
    CandidateMask& mask = options.mask;
    char rest = 0;
    const int read = std::sscanf(choice.c_str(), "roi:%d,%d,%dx%d%c", &mask.roi_x, &mask.roi_y, &mask.roi_width,
                                 &mask.roi_height, &rest);
    return read == 4 && mask.roi_width > 0 && mask.roi_height > 0;
}

std::string get_stride(const SwitchText&, const CascadeOptions& options) {
    return std::to_string(options.stride);
}

bool set_stride(const SwitchText&, CascadeOptions& options, const std::string& choice) {
    const bool known = choice.size() == 1 && choice.front() >= '1' && choice.front() <= '8';
    if (known) options.stride = choice.front() - '0';
    return known;
}

const SwitchTable<CascadeOptions>& table() {
    static const SwitchTable<CascadeOptions> rows = {
        {{"segments",
          "Stages in segments",
          "Remaining windows are collected in queues between segments of stages, so that no thread idles.",
          {"2", "1", "3"}},
         get_segments,
         set_segments},
        switch_row<&CascadeOptions::scales>(
            {"scales",
             "Scales",
             "All scales in one launch keep the device busy; one scale at a time leaves it nearly idle.",
             {"together", "streams", "sequential"}}),
        switch_row<&CascadeOptions::first_useful_scale>({"first-scale",
                                                         "First useful scale",
                                                         "The pyramid starts at the smallest face size searched for.",
                                                         {"on", "off"}}),
        switch_row<&CascadeOptions::features>(
            {"features",
             "Features",
             "The corners of a feature's rectangles are stored as offsets instead of computed for every window.",
             {"offsets", "geometry"}}),
        switch_row<&CascadeOptions::tiles>(
            {"tiles",
             "Pairs in shared memory",
             "A thread evaluates two neighboring windows at once, whose sums share the words of shared memory.",
             {"on", "off"}}),
        switch_row<&CascadeOptions::tail>(
            {"tail",
             "One warp per pair",
             "In the last stages, where few windows remain, 32 threads share two windows.",
             {"on", "off"}}),
        {{"mask",
          "Candidate mask",
          "Only windows with enough skin color, or in a region of interest, are evaluated.",
          {"off", "skin"}},
         get_mask,
         set_mask},
        {{"stride",
          "Stride",
          "Only every n-th window is evaluated first, then all windows around those that pass.",
          {"1", "2", "3", "4"}},
         get_stride,
         set_stride},
        graph_switch<&CascadeOptions::graph>(),
    };
    return rows;
}

}  // namespace

void check_options(const CascadeOptions& options) {
    const auto require = [](bool holds, const char* problem, const char* field) {
        if (!holds) throw Error(ErrorKind::usage, problem, Setting{field});
    };
    require(options.segment_count >= 1 && options.segment_count <= 3, "must lie in [1, 3]", "segments");
    require(options.segments.size() < kMaxSegments, "has too many segments (at most 8)", "segments");
    require(std::is_sorted(options.segments.begin(), options.segments.end()) &&
                std::adjacent_find(options.segments.begin(), options.segments.end()) == options.segments.end() &&
                (options.segments.empty() || options.segments.front() >= 1),
            "must list stages from 1 in ascending order", "segments");
    require(options.stride >= 1 && options.stride <= 8, "must lie in [1, 8]", "stride");
    require(options.mask.min_share >= 0.0F && options.mask.min_share <= 1.0F, "must lie in [0, 1]", "mask_share");
}

std::vector<DetectorSwitch> describe_switches(const CascadeOptions& options) {
    return describe(table(), options);
}

CascadeOptions with_choices(CascadeOptions defaults, const std::map<std::string, std::string>& choices) {
    defaults = with_choices(table(), std::move(defaults), choices);
    check_options(defaults);
    return defaults;
}

}  // namespace throng::gpu
