// Prints errors on standard error.
#pragma once

#include <string_view>

#include "core/base/error.h"

namespace throng {

// Prints "throng: …" and a line end, with secrets masked. A visible Progress must be finished first.
void print_error(std::string_view message) noexcept;
void print_error(const Error& error) noexcept;

}  // namespace throng
