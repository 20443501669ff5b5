#include "core/base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <array>
#include <atomic>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/secrets.h"
#include "core/base/service_manager.h"

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

// Writes the priority of the journal.
class PriorityFlag final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
        constexpr std::array<char, spdlog::level::n_levels> kPriorities = {'7', '7', '6', '4', '3', '2', '6'};
        for (const char c : {'<', kPriorities[static_cast<std::size_t>(message.level)], '>'}) out.push_back(c);
    }
    [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<PriorityFlag>();
    }
};

// Gives each line, masked, to a function.
class FunctionSink final : public spdlog::sinks::sink {
public:
    explicit FunctionSink(WriteLine write) : write_(std::move(write)) {}

    void log(const spdlog::details::log_msg& message) override {
        write_(message.level, mask_credentials({message.payload.data(), message.payload.size()}));
    }
    void flush() override {}
    void set_pattern(const std::string&) override {}
    void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

private:
    WriteLine write_;
};

struct Log {
    // Its sinks may be exchanged while other threads log.
    std::shared_ptr<spdlog::sinks::dist_sink_mt> sinks = std::make_shared<spdlog::sinks::dist_sink_mt>();
    spdlog::logger logger{"throng", sinks};
    std::atomic<spdlog::logger*> used{&logger};

    Log() { logger.set_level(spdlog::level::off); }
    void write_to(const std::shared_ptr<spdlog::sinks::sink>& sink, spdlog::level::level_enum level) {
        if (sink == nullptr) logger.set_level(spdlog::level::off);
        sinks->set_sinks(sink == nullptr ? std::vector<spdlog::sink_ptr>{} : std::vector<spdlog::sink_ptr>{sink});
        if (sink != nullptr) logger.set_level(level);
    }
};

Log& log_of_process() {
    static Log& log = *new Log;  // threads may log while the process ends
    return log;
}

std::atomic<bool> process_is_shared{false};

}  // namespace

spdlog::logger& logger() {
    return *log_of_process().used.load(std::memory_order_acquire);
}

void use_logger(spdlog::logger& other) {
    log_of_process().used.store(&other, std::memory_order_release);
}

void initialize_log(std::string_view level) {
    const auto parsed = spdlog::level::from_str(std::string(level));
    if (parsed == spdlog::level::off && level != "off") {
        throw Error(ErrorKind::usage, "unknown log level", std::string(level),
                    "use trace, debug, info, warn, error or off");
    }
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<PriorityFlag>('*').set_pattern(writes_to_journal() ? "%*%l: %v" : "%^%l%$: %v");
    sink->set_formatter(std::make_unique<MaskingFormatter>(std::move(formatter)));
    log_of_process().write_to(std::move(sink), parsed);
}

void write_log_to(WriteLine write, spdlog::level::level_enum level) {
    log_of_process().write_to(write ? std::make_shared<FunctionSink>(std::move(write)) : nullptr, level);
}

void share_process() noexcept {
    process_is_shared = true;
}

bool shares_process() noexcept {
    return process_is_shared;
}

}  // namespace throng
