#include "gpu/cascade/cascade_switches.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace throng::gpu {
namespace {

using Choices = std::vector<std::string>;

const Choices kOnOff = {"on", "off"};

// A switch as text: converts its choice from and to the options.
struct Row {
    const char* id;
    const char* title;
    const char* help;
    Choices choices;  // the first is the default
    std::string (*get)(const CascadeOptions& options);
    bool (*set)(CascadeOptions& options, const std::string& choice);  // false: no such choice
};

template <bool CascadeOptions::*member>
std::string get_flag(const CascadeOptions& options) {
    return options.*member ? "on" : "off";
}
template <bool CascadeOptions::*member>
bool set_flag(CascadeOptions& options, const std::string& choice) {
    options.*member = choice == "on";
    return choice == "on" || choice == "off";
}

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

std::string get_segments(const CascadeOptions& options) {
    if (options.segments.empty()) return std::to_string(options.segment_count);
    std::string list;
    for (const int stage : options.segments) list += (list.empty() ? "" : ",") + std::to_string(stage);
    // A comma distinguishes a list of one stage from a number of segments.
    return options.segments.size() == 1 ? "0," + list : list;
}

bool set_segments(CascadeOptions& options, const std::string& choice) {
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

constexpr std::pair<const char*, Scales> kScaleNames[] = {
    {"together", Scales::together}, {"streams", Scales::streams}, {"sequential", Scales::sequential}};

std::string get_scales(const CascadeOptions& options) {
    for (const auto& [name, scales] : kScaleNames) {
        if (scales == options.scales) return name;
    }
    return {};
}

bool set_scales(CascadeOptions& options, const std::string& choice) {
    for (const auto& [name, scales] : kScaleNames) {
        if (choice != name) continue;
        options.scales = scales;
        return true;
    }
    return false;
}

std::string get_features(const CascadeOptions& options) {
    return options.features == Features::offsets ? "offsets" : "geometry";
}

bool set_features(CascadeOptions& options, const std::string& choice) {
    options.features = choice == "offsets" ? Features::offsets : Features::geometry;
    return choice == "offsets" || choice == "geometry";
}

std::string get_mask(const CascadeOptions& options) {
    const CandidateMask& mask = options.mask;
    if (mask.roi_width > 0 && mask.roi_height > 0) {
        return "roi:" + std::to_string(mask.roi_x) + "," + std::to_string(mask.roi_y) + "," +
               std::to_string(mask.roi_width) + "x" + std::to_string(mask.roi_height);
    }
    return mask.skin ? "skin" : "off";
}

bool set_mask(CascadeOptions& options, const std::string& choice) {
    options.mask = {};
    options.mask.skin = choice == "skin";
    if (choice == "off" || choice == "skin") return true;
    CandidateMask& mask = options.mask;
    char rest = 0;
    const int read = std::sscanf(choice.c_str(), "roi:%d,%d,%dx%d%c", &mask.roi_x, &mask.roi_y, &mask.roi_width,
                                 &mask.roi_height, &rest);
    return read == 4 && mask.roi_width > 0 && mask.roi_height > 0;
}

std::string get_stride(const CascadeOptions& options) {
    return std::to_string(options.stride);
}

bool set_stride(CascadeOptions& options, const std::string& choice) {
    const bool known = choice.size() == 1 && choice.front() >= '1' && choice.front() <= '8';
    if (known) options.stride = choice.front() - '0';
    return known;
}

const std::vector<Row>& table() {
    static const std::vector<Row> rows = {
        {"segments",
         "Stages in segments",
         "Remaining windows are collected in queues between segments of stages, so that no thread idles.",
         {"2", "1", "3"},
         get_segments,
         set_segments},
        {"scales",
         "Scales",
         "All scales in one launch keep the device busy; one scale at a time leaves it nearly idle.",
         {"together", "streams", "sequential"},
         get_scales,
         set_scales},
        {"first-scale", "First useful scale", "The pyramid starts at the smallest face size searched for.", kOnOff,
         get_flag<&CascadeOptions::first_useful_scale>, set_flag<&CascadeOptions::first_useful_scale>},
        {"features",
         "Features",
         "The corners of a feature's rectangles are stored as offsets instead of computed for every window.",
         {"offsets", "geometry"},
         get_features,
         set_features},
        {"tiles", "Pairs in shared memory",
         "A thread evaluates two neighboring windows at once, whose sums share the words of shared memory.", kOnOff,
         get_flag<&CascadeOptions::tiles>, set_flag<&CascadeOptions::tiles>},
        {"tail", "One warp per pair", "In the last stages, where few windows remain, 32 threads share two windows.",
         kOnOff, get_flag<&CascadeOptions::tail>, set_flag<&CascadeOptions::tail>},
        {"mask",
         "Candidate mask",
         "Only windows with enough skin color, or in a region of interest, are evaluated.",
         {"off", "skin"},
         get_mask,
         set_mask},
        {"stride",
         "Stride",
         "Only every n-th window is evaluated first, then all windows around those that pass.",
         {"1", "2", "3", "4"},
         get_stride,
         set_stride},
        {"graph", "CUDA graph",
         "A frame's launches, up to the copy of its detections, are replayed with one call, except where stages are "
         "measured.",
         kOnOff, get_flag<&CascadeOptions::graph>, set_flag<&CascadeOptions::graph>},
    };
    return rows;
}

std::string joined(const Choices& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return list;
}

const Row& find_row(const std::string& id) {
    const auto& rows = table();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return id == row.id; });
    if (found != rows.end()) return *found;
    Choices ids;
    for (const Row& row : rows) ids.emplace_back(row.id);
    throw Error(ErrorKind::usage, "unknown detector switch", Setting{"switch", id}, "use one of " + joined(ids));
}

}  // namespace

std::vector<DetectorSwitch> describe_switches(const CascadeOptions& options) {
    std::vector<DetectorSwitch> switches;
    for (const Row& row : table()) {
        DetectorSwitch each{row.id, row.title, row.help, row.choices, row.get(options)};
        const bool listed = std::find(each.choices.begin(), each.choices.end(), each.chosen) != each.choices.end();
        if (!listed) each.choices.push_back(each.chosen);
        switches.push_back(std::move(each));
    }
    return switches;
}

CascadeOptions with_choices(CascadeOptions defaults, const std::map<std::string, std::string>& choices) {
    for (const auto& [id, choice] : choices) {
        const Row& row = find_row(id);
        if (!row.set(defaults, choice)) {
            throw Error(ErrorKind::usage, "unknown choice", Setting{"switch", id + "=" + choice},
                        "use one of " + joined(row.choices));
        }
    }
    check_options(defaults);
    return defaults;
}

}  // namespace throng::gpu
