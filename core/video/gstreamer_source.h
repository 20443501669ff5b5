// GStreamer pipelines through OpenCV: gst:PIPELINE. The way to cameras that only GStreamer reaches (CSI on Jetson).
#pragma once

#include <memory>
#include <string_view>

#include "core/video/source.h"

namespace throng {

// A pipeline without an appsink gets one, with the pictures as BGR. Throws Error(unavailable) where this OpenCV has no
// GStreamer, Error(input) for a pipeline that does not start.
[[nodiscard]] std::unique_ptr<VideoSource> open_gstreamer(std::string_view spec, const SourceOptions& options);

}  // namespace throng
