// Cameras of the kernel (V4L2): camera:N or /dev/videoN.
#pragma once

#include <memory>
#include <stop_token>
#include <string_view>

#include "core/video/source.h"

namespace throng {

[[nodiscard]] bool is_camera(std::string_view spec);

// At the largest size up to 1920x1080 that the camera gives fluently. Unplugging it is survived.
// Throws Error(usage) for a malformed spec, Error(input) with the list of cameras for one that is not there.
[[nodiscard]] std::unique_ptr<VideoSource> open_camera(std::string_view spec, const SourceOptions& options,
                                                       const std::stop_token& stop);

}  // namespace throng
