#include "core/sinks/annotated_sinks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/base/secrets.h"
#include "core/base/sleep.h"
#include "core/sinks/annotator.h"
#include "core/video/formats.h"
#include "core/video/image_writer.h"
#include "core/video/video_writer.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxName = 80;
constexpr std::size_t kFrameDigits = 6;

class VideoSink final : public ResultSink {
public:
    VideoSink(const std::string& path, const VideoWriterOptions& writer, const AnnotatedOptions& options)
        : annotator_(options), writer_(path, writer), path_(path) {}

    void write(const FrameResult& result) override {
        writer_.write(annotator_.draw(result));
        warn();
    }
    void close() override {
        writer_.close();
        warn();
        if (const std::string incomplete = writer_.incomplete(); !incomplete.empty()) {
            throw Error(ErrorKind::input, {"written, but incomplete: %1", incomplete}, path_);
        }
    }

private:
    void warn() {
        const std::string notice = writer_.notice();
        if (notice != std::exchange(warned_, notice)) logger().warn("{}: {}", path_, notice);
    }

    Annotator annotator_;
    VideoWriter writer_;
    std::string path_;
    std::string warned_;
};

class PushSink final : public ResultSink {
public:
    PushSink(const std::string& url, const PushOptions& push, const AnnotatedOptions& options)
        : annotator_(options), url_(url), shown_(mask_credentials(url)), push_(push), stop_(options.stop) {
        static_cast<void>(make_writer());  // checks the address
    }

    void write(const FrameResult& result) override {
        if (push_.paced && !wait_until_due(result.frame.info().pts)) return;
        if (!writer_ && (stop_.stop_requested() || PushClock::now() < next_try_)) return;
        if (!writer_) writer_ = make_writer();
        try {
            writer_->write(annotator_.draw(result));
            if (!std::exchange(problem_, {}).empty()) logger().info("{}: connected", shown_);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::unavailable) throw;
            writer_.reset();
            next_try_ = PushClock::now() + push_.retry;
            const std::string problem = error.problem().text();
            if (stop_.stop_requested() || std::exchange(problem_, problem) == problem) return;
            logger().warn("{}: frames are lost until the server takes them: {}", shown_, problem);
        }
    }
    void close() override {
        try {
            if (writer_) writer_->close();
        } catch (const Error& error) {
            logger().warn("{}", error.what());
        }
        writer_.reset();
        if (!problem_.empty()) throw Error(ErrorKind::input, problem_, shown_, "frames were lost at the end");
    }

private:
    using PushClock = std::chrono::steady_clock;

    [[nodiscard]] std::unique_ptr<VideoWriter> make_writer() const {
        VideoWriterOptions writer;
        if (push_.fps > 0) writer.fps = push_.fps;
        writer.stop = stop_;
        writer.to_server = true;
        return std::make_unique<VideoWriter>(url_, writer);
    }
    // Returns false after a stop request. Times that go back or jump begin again.
    [[nodiscard]] bool wait_until_due(double seconds) {
        if (!start_ || seconds < last_ || seconds - last_ > kMaxFrameGap) {
            start_ = PushClock::now() -
                     std::chrono::duration_cast<PushClock::duration>(std::chrono::duration<double>(seconds));
        }
        last_ = seconds;
        return sleep_until(
            *start_ + std::chrono::duration_cast<PushClock::duration>(std::chrono::duration<double>(seconds)), stop_);
    }

    Annotator annotator_;
    std::string url_;
    std::string shown_;  // without the password
    PushOptions push_;
    std::stop_token stop_;
    std::unique_ptr<VideoWriter> writer_;  // null while there is no connection
    PushClock::time_point next_try_{};
    std::optional<PushClock::time_point> start_;  // when the time of the frames is 0
    double last_ = 0;
    std::string problem_;  // of the connection, that was logged
};

// Returns a valid file name for "crowd:faces=60" or "rtsp://host/stream".
std::string file_name_of(const fs::path& source) {
    const bool is_path = source.string().find(':') == std::string::npos;
    std::string name = is_path ? source.stem().string() : source.string();
    for (char& c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && std::isalnum(byte) == 0 && c != '-' && c != '.') c = '_';
    }
    if (name.size() > kMaxName) name.resize(kMaxName);
    return name.empty() ? "frame" : name;
}

// Returns true if a still image of this name would have the file name of a frame of `series`: "clip-000012" for "clip".
bool is_frame_of(std::string_view name, std::string_view series) {
    if (name.size() < series.size() + 1 + kFrameDigits || name.substr(0, series.size()) != series) return false;
    const std::string_view digits = name.substr(series.size() + 1);
    return name[series.size()] == '-' && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

class ImageSink final : public ResultSink {
public:
    ImageSink(std::string folder, const AnnotatedOptions& options)
        : annotator_(options), folder_(std::move(folder)), check_output_(options.check_output) {
        check_output_folder(folder_.string());
    }

    void write(const FrameResult& result) override {
        if (!std::exchange(made_, true)) {
            std::error_code failure;
            fs::create_directories(folder_, failure);
            if (failure) {
                throw Error(ErrorKind::input, {"cannot create the folder: %1", failure.message().c_str()},
                            folder_.string());
            }
        }
        const auto [path, is_new] = path_for(result);
        if (check_output_) check_output_(path.string());
        std::error_code ignored;
        if (is_new && fs::symlink_status(path, ignored).type() != fs::file_type::not_found) {
            throw Error(ErrorKind::usage, "was there before, and is not replaced", path.string(),
                        {"move it away, or name another folder for %1", Setting{"images"}});
        }
        write_image(path.string(), annotator_.draw(result));
    }
    void close() override {}

private:
    static constexpr std::int64_t kBlock = 4096;
    struct Series {
        std::string base;  // of the files
        // Frames that were written, in blocks; in the window, they may come again, and others before them.
        std::map<std::int64_t, std::bitset<kBlock>> written;
    };

    // Returns different files for sources and images of the same name: "clip-2-000012.jpg", "portrait-2.jpg". Returns
    // true with one that was not written before.
    std::pair<fs::path, bool> path_for(const FrameResult& result) {
        const fs::path source(result.source);
        const std::string name = file_name_of(source);
        if (format_of_name(source).kind == NameKind::image) {
            const std::string unique = unused(name, [this](const std::string& still) {
                return stills_.count(still) > 0 || std::any_of(series_.begin(), series_.end(), [&](const auto& series) {
                           return is_frame_of(still, series.second.base);
                       });
            });
            stills_.insert(unique);
            return {folder_ / (unique + ".jpg"), true};
        }
        const auto [series, is_new] = series_.try_emplace({result.source_number, name});
        if (is_new) {
            series->second.base = unused(name, [this](const std::string& base) {
                return std::any_of(series_.begin(), series_.end(),
                                   [&](const auto& s) { return s.second.base == base; }) ||
                       std::any_of(stills_.begin(), stills_.end(), [&](const auto& s) { return is_frame_of(s, base); });
            });
        }
        auto& [base, written] = series->second;
        const std::int64_t index = result.frame.info().index;
        auto&& bit = written[index / kBlock][static_cast<std::size_t>(index % kBlock)];
        const bool was_written = bit;
        bit = true;
        return {folder_ / fmt::format("{}-{:0{}}.jpg", base, index, kFrameDigits), !was_written};
    }

    template <typename IsUsed>
    static std::string unused(const std::string& name, const IsUsed& is_used) {
        std::string unique = name;
        for (int copy = 2; is_used(unique); ++copy) unique = fmt::format("{}-{}", name, copy);
        return unique;
    }

    Annotator annotator_;
    fs::path folder_;
    std::function<void(const std::string&)> check_output_;
    bool made_ = false;
    std::set<std::string> stills_;                          // file names in use, without extension
    std::map<std::pair<int, std::string>, Series> series_;  // by source number and name
};

}  // namespace

std::shared_ptr<ResultSink> make_video_sink(const std::string& path, double fps, const AnnotatedOptions& options) {
    VideoWriterOptions writer;
    if (fps > 0) writer.fps = fps;
    writer.stop = options.stop;
    writer.audio = options.audio;
    return std::make_shared<VideoSink>(path, writer, options);
}

std::shared_ptr<ResultSink> make_push_sink(const std::string& url, const PushOptions& push,
                                           const AnnotatedOptions& options) {
    return std::make_shared<PushSink>(url, push, options);
}

std::shared_ptr<ResultSink> make_image_sink(const std::string& folder, const AnnotatedOptions& options) {
    return std::make_shared<ImageSink>(folder, options);
}

}  // namespace throng
