// Identifies a frame, to prove that two ways of decoding returned the same one.
#pragma once

#include <optional>
#include <string>

#include "core/frame/frame.h"

namespace throng {

// Returns time, damage and a hash of the first plane as text; empty for no frame. Copies a device frame to the host.
[[nodiscard]] std::string fingerprint_of(const std::optional<Frame>& frame);

}  // namespace throng
