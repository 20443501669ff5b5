#include "core/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <memory>
#include <string>

#include "core/base/error.h"

namespace throng {

void set_up_log(std::string_view level) {
    const auto parsed = spdlog::level::from_str(std::string(level));
    if (parsed == spdlog::level::off && level != "off") {
        throw Error(ErrorKind::usage, "unknown log level", std::string(level),
                    "use trace, debug, info, warn, error or off");
    }
    auto logger = std::make_shared<spdlog::logger>("throng", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_pattern("%^%l%$: %v");
    logger->set_level(parsed);
    spdlog::set_default_logger(std::move(logger));
}

}  // namespace throng
