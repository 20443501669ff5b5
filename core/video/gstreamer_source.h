// GStreamer pipelines through OpenCV: gst:PIPELINE. The way to cameras that only GStreamer reaches (CSI on Jetson).
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "core/video/source.h"

namespace throng {

// A pipeline without an appsink gets one, with the frames as BGR. Throws Error(unavailable) where this OpenCV has no
// GStreamer, Error(input) for a pipeline that does not start, Error(interrupted) after a stop request. OpenCV does not
// say whether a pipeline ended or broke, so nothing is reported as incomplete.
[[nodiscard]] std::unique_ptr<VideoSource> open_gstreamer(std::string_view spec, const SourceOptions& options,
                                                          const std::stop_token& stop);

}  // namespace throng
