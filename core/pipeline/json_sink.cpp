#include "core/pipeline/json_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace throng {
namespace {

Error write_error(const std::string& path) {
    return Error(ErrorKind::input, std::string("cannot write: ") + std::strerror(errno), path);
}

std::string quoted(const std::string& text) {
    // File names need not be UTF-8: what is not becomes the replacement character.
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <typename Number>
void append_number(std::string& line, Number value) {
    // JSON has no word for what is not finite.
    std::isfinite(value) ? fmt::format_to(std::back_inserter(line), "{}", value)
                         : fmt::format_to(std::back_inserter(line), "null");
}

template <typename Number>
void append_field(std::string& line, std::string_view name, Number value) {
    fmt::format_to(std::back_inserter(line), "\"{}\":", name);
    append_number(line, value);
}

// Five points, [[x,y],...].
void append_landmarks(std::string& line, const DetectionSet::Landmarks& points) {
    line += ",\"landmarks\":[";
    for (std::size_t i = 0; i < 10; i += 2) {
        line += i == 0 ? "[" : ",[";
        append_number(line, points.xy[i]);
        line += ',';
        append_number(line, points.xy[i + 1]);
        line += ']';
    }
    line += ']';
}

void append_detections(std::string& line, std::string_view name, const DetectionSet& set, bool with_hits) {
    fmt::format_to(std::back_inserter(line), "\"{}\":[", name);
    const bool with_landmarks = set.landmarks.size() == set.detections.size();
    for (std::size_t i = 0; i < set.detections.size(); ++i) {
        const Detection& d = set.detections[i];
        line += i == 0 ? "{" : ",{";
        append_field(line, "x", d.box.x);
        line += ',';
        append_field(line, "y", d.box.y);
        line += ',';
        append_field(line, "w", d.box.w);
        line += ',';
        append_field(line, "h", d.box.h);
        line += ',';
        append_field(line, "score", d.score);
        if (with_hits) fmt::format_to(std::back_inserter(line), ",\"hits\":{}", d.hits);
        if (with_landmarks) append_landmarks(line, set.landmarks[i]);
        line += '}';
    }
    line += ']';
}

}  // namespace

std::string json_line(const FrameResult& result, bool raw) {
    std::string line;
    const FrameInfo& info = result.frame.info();
    fmt::format_to(std::back_inserter(line), "{{\"source\":{},\"frame\":{},", quoted(result.source), info.index);
    append_field(line, "pts", info.pts);
    fmt::format_to(std::back_inserter(line), ",\"width\":{},\"height\":{},\"raw\":{},", info.width, info.height,
                   result.raw_count);
    append_detections(line, "kept", result.kept, true);
    if (raw) {
        line += ',';
        append_detections(line, "raw_boxes", result.raw, false);
    }
    fmt::format_to(std::back_inserter(line), ",\"overflow\":{},\"timings_ms\":{{", result.overflow);
    bool first = true;
    for (const StageTime& time : result.timings) {
        if (!first) line += ',';
        first = false;
        fmt::format_to(std::back_inserter(line), "\"{}\":{:.4f}", time.name, time.ms);
    }
    return line + "}}";
}

JsonSink::JsonSink(std::string path, bool raw) : path_(std::move(path)), raw_(raw) {
    file_ = path_ == "-" ? ::dup(STDOUT_FILENO) : ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) {
        throw Error(ErrorKind::input, std::string("cannot create the file: ") + std::strerror(errno), path_);
    }
}

JsonSink::~JsonSink() {
    if (file_ >= 0) ::close(file_);
}

void JsonSink::write(const FrameResult& result) {
    line_ = json_line(result, raw_) + '\n';
    std::size_t done = 0;
    while (done < line_.size()) {
        const ssize_t written = ::write(file_, line_.data() + done, line_.size() - done);
        if (written > 0) {
            done += static_cast<std::size_t>(written);
        } else if (errno != EINTR) {
            const Error error = write_error(path_);
            // Takes the broken line back where the output is a file (a pipe or a device refuses).
            const off_t end = ::lseek(file_, 0, SEEK_CUR);
            if (end >= static_cast<off_t>(done)) static_cast<void>(!::ftruncate(file_, end - static_cast<off_t>(done)));
            throw error;
        }
    }
}

void JsonSink::close() {
    if (file_ < 0) return;
    if (::close(std::exchange(file_, -1)) != 0) throw write_error(path_);
}

}  // namespace throng
