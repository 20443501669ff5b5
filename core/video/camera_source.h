// V4L2 cameras: camera:N or /dev/videoN.
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "core/video/source.h"

namespace throng {

[[nodiscard]] bool is_camera(std::string_view spec);

// Opens the camera at the largest size up to 1920x1080 that it delivers at 25 frames per second or more. Reconnects
// after the camera was unplugged. Throws Error(usage) for a malformed spec, and Error(input) with the list of cameras
// if the camera does not exist.
[[nodiscard]] std::unique_ptr<VideoSource> open_camera(std::string_view spec, const SourceOptions& options,
                                                       const std::stop_token& stop);

}  // namespace throng
