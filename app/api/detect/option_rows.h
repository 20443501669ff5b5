// The table of settings as rows in C.
#pragma once

#include "app/api/throng.h"

namespace throng::api {

// Returns the rows with the defaults of a detector, up to one without a name. They live until the process ends. Throws
// Error(usage) for null and for an unknown detector. Thread-safe.
[[nodiscard]] const throng_option* options_of_detector(const char* detector);

}  // namespace throng::api
