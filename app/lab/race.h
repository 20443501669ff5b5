// The contestants of the window's race (ui/race): suppression of one frame's raw detections, and its detection with the
// optimizations of the detector switched off one after the other.
#pragma once

#include "app/options/common.h"
#include "ui/race/race_row.h"

namespace throng {

// Throng's suppression on the program's backend (the reference), a plain CPU loop, cv::dnn::NMSBoxes and the paper's
// kernels. All suppress without minimum hits and merging, which only Throng has. Each bar says whether its boxes are
// those of the definition (core/algo/nms_reference.h) of its rule. Contestants that cannot run have a reason instead of a
// time.
void race_suppression(const CommonOptions& common, const ui::RaceInput& input,
                      const std::function<void(const ui::RaceRow&)>& show, const std::stop_token& stop);

// The detector with its settings (the reference), then with one more optimization switched off per bar.
void race_detector(const CommonOptions& common, const ui::RaceInput& input,
                   const std::function<void(const ui::RaceRow&)>& show, const std::stop_token& stop);

}  // namespace throng
