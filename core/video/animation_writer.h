// Writes animated GIF and PNG files.
#pragma once

#include <memory>
#include <string>

#include "core/video/exact_writer.h"

namespace throng {

// path: .gif, with a palette of its own for every frame; otherwise PNG, without loss. Both repeat as often as the
// format says, and the last frame has its duration. Throws as make_exact_writer.
[[nodiscard]] std::unique_ptr<ExactWriter> make_animation_writer(const std::string& path, const VideoFormat& format);

}  // namespace throng
