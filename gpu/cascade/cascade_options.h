// The switches of the CUDA cascade. Each is an optimization from P. Micikevicius, Maximizing Face Detection Performance
// (GTC 2015), or specific to this GPU. Except with a mask or a stride the detections equal the CPU's, bit for bit.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/frame/candidate_mask.h"

namespace throng::gpu {

enum class Scales : std::uint8_t {
    sequential,  // one level after another
    streams,     // levels in concurrent streams
    together,    // all levels in every launch
};

enum class Features : std::uint8_t {
    geometry,  // rectangles, converted to addresses when they are read
    offsets,   // the four corners as offsets from the window's corner
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

}  // namespace throng::gpu
