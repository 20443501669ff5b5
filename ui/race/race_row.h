// One bar of the race, and the functions that measure them. Without Qt: the program implements them.
#pragma once

#include <functional>
#include <stop_token>

#include "core/base/message.h"
#include "core/frame/frame.h"
#include "core/pipeline/pipeline_settings.h"

namespace throng::ui {

struct RaceRow {
    Message name;                // "Plain CPU loop"
    Message note;                // the result in comparison: "same 147 boxes"
    double ms = 0;               // median
    Message unavailable_reason;  // empty: it ran
    bool reference = false;      // runs in the program: the others are compared with it
};

struct RaceInput {
    Frame frame;
    DetectionSet raw;  // of the frame
    PipelineSettings settings;
};

// Measures each contestant and passes it to `show` as soon as it is done. Ends early after a stop request. May throw
// Error.
using RunRace =
    std::function<void(const RaceInput&, const std::function<void(const RaceRow&)>& show, const std::stop_token&)>;

}  // namespace throng::ui
