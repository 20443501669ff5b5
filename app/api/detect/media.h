// Access to media files, which loads core/video with the first call.
#pragma once

#include "core/video/media_module.h"

namespace throng::api {

// Returns the module. Throws Error(unavailable) if it is not installed or does not fit this library.
[[nodiscard]] const MediaModule& media_module();

}  // namespace throng::api
