// Four copies of a source in one frame, two by two and each at full size: mosaic:SOURCE.
#pragma once

#include <memory>

#include "core/video/source.h"

namespace throng {

// Frames of the source should be in host memory; device frames are copied to the host.
[[nodiscard]] std::unique_ptr<VideoSource> make_mosaic(std::unique_ptr<VideoSource> source);

}  // namespace throng
