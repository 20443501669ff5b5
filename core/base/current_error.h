// Errors that pass from one thread to another.
#pragma once

#include "core/base/error.h"

namespace throng {

// Returns the exception that is being handled as an Error. Must be called in a catch block.
[[nodiscard]] Error current_error();

}  // namespace throng
