// The synthetic crowd as a source: crowd:faces=60,size=1920x1080,seed=1.
#pragma once

#include <memory>
#include <string_view>

#include "core/video/source.h"

namespace throng {

// spec includes "crowd:". Throws Error(usage) that names an invalid key.
[[nodiscard]] std::unique_ptr<VideoSource> open_crowd(std::string_view spec);

}  // namespace throng
