// The program's log: spdlog's default logger, on standard error because standard output is for data. Credentials are
// masked in every line.
#pragma once

#include <spdlog/spdlog.h>

#include <string_view>

namespace throng {

// level: trace, debug, info, warn, error or off; anything else throws Error(usage).
void initialize_log(std::string_view level);

}  // namespace throng
