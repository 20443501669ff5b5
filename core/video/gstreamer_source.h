// GStreamer pipelines: gst:PIPELINE. For cameras that only GStreamer supports (CSI on Jetson).
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "core/video/source.h"

namespace throng {

// Appends an appsink to a pipeline without one. A live pipeline is a live source, which is opened again after an error or
// its end; every frame of another one is read. Throws Error(unavailable) without GStreamer, and as GstPipeline.
[[nodiscard]] std::unique_ptr<VideoSource> open_gstreamer(std::string_view spec, const SourceOptions& options,
                                                          const std::stop_token& stop);

}  // namespace throng
