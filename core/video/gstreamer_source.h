// GStreamer pipelines through OpenCV: gst:PIPELINE. For cameras that only GStreamer supports (CSI on Jetson).
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "core/video/source.h"

namespace throng {

// Appends an appsink with BGR frames to a pipeline without one. Throws Error(unavailable) if this OpenCV has no
// GStreamer, Error(input) for a pipeline that does not start, and Error(interrupted) after a stop request. OpenCV does
// not report whether a pipeline ended or failed, so incomplete() is always empty.
[[nodiscard]] std::unique_ptr<VideoSource> open_gstreamer(std::string_view spec, const SourceOptions& options,
                                                          const std::stop_token& stop);

}  // namespace throng
