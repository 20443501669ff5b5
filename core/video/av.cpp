#include "core/video/av.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/log.h"
#include "core/base/secrets.h"
#include "core/base/shared_library.h"

extern "C" {
#include <libavdevice/avdevice.h>
}

namespace throng::av {
namespace {

// Counts the errors that a decoder logs, if its user requested that. A decoder conceals damage in frames and reports it
// only in the log.
void count_error(void* object) {
    if (object == nullptr || *static_cast<const AVClass**>(object) != avcodec_get_class()) return;
    auto* errors = static_cast<ErrorCount*>(static_cast<AVCodecContext*>(object)->opaque);
    if (errors != nullptr) ++*errors;
}

thread_local InputLog* input_log = nullptr;

void evaluate_line(const void* object, int level, std::string_view format, va_list arguments) {
    if (format.starts_with("Chunked encoding data size: ")) {
        char line[64];
        std::vsnprintf(line, sizeof line, format.data(), arguments);
        const char* number = line + std::string_view(line).rfind(' ') + 1;
        input_log->http_chunk = std::strtoull(number, nullptr, 10);
    }
    if (format.starts_with("request: ")) input_log->http_chunk.reset();  // the response need not be chunked
    if (object == nullptr || object != input_log->demuxer) return;
    const bool truncated = format.starts_with("File ended prematurely");
    if (truncated) input_log->truncated = true;
    // These demuxers go on after damage without an error.
    const AVInputFormat* input = static_cast<const AVFormatContext*>(object)->iformat;
    const std::string_view name = input != nullptr ? input->name : "";
    const bool skips = name == "ogg" || name.starts_with("matroska");
    if (skips && level <= AV_LOG_ERROR && !truncated) ++input_log->skipped;
    if (format.starts_with("Failed to open segment")) ++input_log->missing_segments;
}

}  // namespace

void log_line(void* object, int level, const char* format, va_list arguments) {
    if (input_log != nullptr) {
        va_list copy;
        va_copy(copy, arguments);
        evaluate_line(object, level, format, copy);
        va_end(copy);
    }
    if (level <= AV_LOG_ERROR) count_error(object);
    if (level > AV_LOG_WARNING || !logger().should_log(spdlog::level::debug)) return;
    char line[1024];
    int print_prefix = 1;
    av_log_format_line2(object, level, format, arguments, line, sizeof line, &print_prefix);
    std::string text(line);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    if (!text.empty()) logger().debug("ffmpeg: {}", mask_credentials(text));
}

LogScope::LogScope(InputLog& log) : outer_(std::exchange(input_log, &log)) {}

LogScope::~LogScope() {
    input_log = outer_;
}

std::string message(int error) {
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(error, text, sizeof text);
    return text;
}

void set_up() {
    static std::once_flag once;
    std::call_once(once, [] {
        if (!shares_process()) av_log_set_callback(log_line);
        avformat_network_init();
    });
}

void register_devices() {
    static const auto& devices = *new SharedLibrary(soname("avdevice", LIBAVDEVICE_VERSION_MAJOR));
    devices.require<decltype(avdevice_register_all)>("avdevice_register_all")();
}

std::string soname(const char* library, int major) {
    return std::string("lib") + library + ".so." + std::to_string(major);
}

}  // namespace throng::av
