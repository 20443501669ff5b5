// GStreamer pipelines: gst:PIPELINE, and csi:N, the pipeline of a CSI camera of a Jetson board.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/video/source.h"

namespace throng {

// Appends an appsink to a pipeline without one. A live pipeline is a live source, which is opened again after an error or
// its end; every frame of another one is read. Throws Error(unavailable) without GStreamer, and as GstPipeline.
[[nodiscard]] std::unique_ptr<VideoSource> open_gstreamer(std::string_view spec, const SourceOptions& options,
                                                          const std::stop_token& stop);

// Returns the pipeline of "csi:N", "csi:N,size=1280x720,fps=60": camera N, by default 1920x1080 at 30 frames per second,
// with frames in host memory, or with nvmm in the board's video memory. Throws Error(usage) naming what is malformed.
[[nodiscard]] std::string csi_pipeline(std::string_view spec, bool nvmm);

// As open_gstreamer with that pipeline: with nvmm if the GPU can read a first frame in place, which is discarded;
// otherwise without, which is logged once. Throws Error(unavailable) where its elements are missing: elsewhere than on a
// Jetson board.
[[nodiscard]] std::unique_ptr<VideoSource> open_csi(std::string_view spec, const SourceOptions& options,
                                                    const std::stop_token& stop);

}  // namespace throng
