// The window in which a person decides about the uncertain tracks of an anonymized file.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/algo/box.h"

namespace throng::ui {

// A track of the report.
struct ReviewTrack {
    struct Sample {
        double pts = 0;  // seconds
        Box box{};       // pixels of the frame
    };
    enum class Decision { none, hide, keep };  // none: hidden, and nobody has looked at it

    std::int64_t id = 0;
    double first = 0;  // seconds
    double last = 0;
    std::int64_t frames = 0;  // in which it was detected
    std::string doubts;       // "few detections, low score"; may be empty if it is decided
    Decision decision = Decision::none;
    std::vector<Sample> samples;  // in order of time, at least one
};

using OnReviewProgress = std::function<void(double part)>;  // from 0 to 1

// Writes the file again with these decisions, and returns the tracks of the new report. Called on a thread of its own.
// Throws Error(interrupted) after a stop request; output and report then remain as they were, as after other errors.
using WriteReview = std::function<std::vector<ReviewTrack>(const std::vector<ReviewTrack>&, const OnReviewProgress&,
                                                           const std::stop_token&)>;

struct ReviewOptions {
    std::string input;   // the original
    std::string output;  // what `write` writes, to be shown
    std::vector<ReviewTrack> tracks;
    WriteReview write;
    std::function<bool()> interrupted;  // polled every 100 ms; true closes the window
    std::string without_display;        // advice for the error without a display
};

// Opens the window and runs its event loop. Returns the exit status. Throws Error(unavailable) without a display.
int run_review(ReviewOptions options);

}  // namespace throng::ui
