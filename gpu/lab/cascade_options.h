// The switches of the CUDA cascade. Each is an optimization from P. Micikevicius, Maximizing Face Detection Performance
// (GTC 2015), or specific to this GPU. Except with a mask or a stride the detections equal the CPU's, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/detect/detector_switch.h"
#include "gpu/lab/candidate_mask.h"

namespace throng::gpu {

inline constexpr std::size_t kMaxSegments = 8;

// In the order of the switches' choices.
enum class Scales : std::uint8_t {
    together,    // all levels in every launch
    streams,     // levels in concurrent streams
    sequential,  // one level after another
};

enum class Features : std::uint8_t {
    offsets,   // the four corners as offsets from the window's corner
    geometry,  // rectangles, converted to addresses when they are read
};

struct CascadeOptions {
    // Between two segments the remaining windows are collected in a queue. 1 to 3 segments are divided by the number of
    // weak classifiers; the stages in `segments`, ascending, override that.
    int segment_count = 2;
    std::vector<int> segments;
    Scales scales = Scales::together;
    Features features = Features::offsets;
    bool first_useful_scale = true;  // false: the pyramid and all windows from scale 1, as if --min-size were not given
    bool tiles = true;               // offsets only, stride 1: the first segment evaluates pairs of windows from shared
                                     // memory, if the model allows it (make_first_stages)
    bool tail = true;                // the last segment with one warp per pair, if the windows are small enough
    int stride = 1;  // > 1: first every stride-th window in both directions, then all windows around those that pass
                     // the first segment
    CandidateMask mask;
    bool graph = true;  // a frame's launches as one CUDA graph, except where stages are measured
};

// Throws Error(usage) for an invalid value.
void check_options(const CascadeOptions& options);

// Returns every switch with its current choice. Segments at custom stages ("3,8") and a region of interest
// ("roi:X,Y,WxH") are listed as choices once selected.
[[nodiscard]] std::vector<DetectorSwitch> describe_switches(const CascadeOptions& options);

// Returns `defaults` with the named choices applied. Throws Error(usage) for an unknown id or choice.
[[nodiscard]] CascadeOptions with_choices(CascadeOptions defaults, const std::map<std::string, std::string>& choices);

}  // namespace throng::gpu
