// throng eval --leaks: prints which faces of a video are not hidden.
#pragma once

#include <string>

#include "core/annotations/labels.h"
#include "core/detect/detector.h"

namespace throng {

struct LeakArguments {
    bool on = false;
    DetectorId detector = DetectorId::cnn;  // the kind that made the detections: its parameters for hiding
    double shown_score = -1e6;              // of the detections that are hidden without a plan; hits as in the window
    int delay = 0;                          // frames; 0: the whole video is known
    std::string sizes;                      // CSV of leaks by size of the face; empty: none
    std::string plot;                       // the same as SVG; empty: none
};

// detections: JSON lines of `detect --json`, of which `what` is read, or of `anonymize --regions`. Reads both files, prints
// a table or JSON, and returns the exit status. Throws as evaluate_leaks, evaluate_regions and the readers.
int run_eval_leaks(const std::string& truth, const std::string& detections, LineObjects what,
                   const LeakArguments& arguments, bool json);

}  // namespace throng
