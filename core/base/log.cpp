#include "core/base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <memory>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/secrets.h"

namespace throng {
namespace {

// Masks credentials, then formats the message.
class MaskingFormatter final : public spdlog::formatter {
public:
    explicit MaskingFormatter(std::unique_ptr<spdlog::formatter> inner) : inner_(std::move(inner)) {}

    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
        const std::string text = mask_credentials({message.payload.data(), message.payload.size()});
        spdlog::details::log_msg masked = message;
        masked.payload = text;
        inner_->format(masked, out);
        // Sinks read the color range from the original message.
        message.color_range_start = masked.color_range_start;
        message.color_range_end = masked.color_range_end;
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<MaskingFormatter>(inner_->clone());
    }

private:
    std::unique_ptr<spdlog::formatter> inner_;
};

}  // namespace

void initialize_log(std::string_view level) {
    const auto parsed = spdlog::level::from_str(std::string(level));
    if (parsed == spdlog::level::off && level != "off") {
        throw Error(ErrorKind::usage, "unknown log level", std::string(level),
                    "use trace, debug, info, warn, error or off");
    }
    auto logger = std::make_shared<spdlog::logger>("throng", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_formatter(
        std::make_unique<MaskingFormatter>(std::make_unique<spdlog::pattern_formatter>("%^%l%$: %v")));
    logger->set_level(parsed);
    spdlog::set_default_logger(std::move(logger));
}

}  // namespace throng
