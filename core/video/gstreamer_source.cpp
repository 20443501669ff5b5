#include "core/video/gstreamer_source.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/base/bounded_queue.h"
#include "core/base/error.h"
#include "core/base/latest_value.h"
#include "core/base/log.h"
#include "core/base/secrets.h"
#include "core/base/stopwatch.h"
#include "core/frame/frame_pool.h"
#include "core/video/format_watch.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kStopWait{2000};
// After a stop request while OpenCV opens, which cannot be interrupted.
constexpr std::chrono::milliseconds kShortStopWait{100};

// State shared by the reading thread and the source. The thread shares its ownership: OpenCV cannot be interrupted in a
// pipeline that neither starts nor delivers frames. Such a thread is detached.
struct Exchange {
    struct Decoded {
        Frame frame;
        double decode_ms = 0;
    };
    LatestValue<SourceInfo> info;     // of the open pipeline; closed without a value if it did not open
    BoundedQueue<Decoded> frames{1};  // closed after the last frame
    std::stop_source stop;
    std::promise<Error> problem;   // set at the end of the thread: why the pipeline did not open
    std::optional<Error> failure;  // why it ended, set before frames is closed; none at a regular end
};

// OpenCV does not tell why a pipeline ends. GStreamer writes each error into its debug log, where this class reads it.
// Without these functions, a pipeline that fails ends like one that is complete.
class PipelineErrors {
public:
    // Begins to read the log at the first call. Never destroyed: GStreamer's threads may outlive everything.
    static PipelineErrors& instance() {
        static auto* const errors = new PipelineErrors();
        return *errors;
    }

    // Returns a name. An element of this name marks the pipeline whose errors are meant.
    std::string add() {
        const std::lock_guard lock(mutex_);
        std::string name = "throng-" + std::to_string(++count_);
        first_errors_[name];
        return name;
    }
    void remove(const std::string& name) {
        const std::lock_guard lock(mutex_);
        first_errors_.erase(name);
    }
    // Returns the first error of the pipeline with this element, or none.
    std::string error_of(const std::string& name) {
        const std::lock_guard lock(mutex_);
        const auto found = first_errors_.find(name);
        return found == first_errors_.end() ? "" : found->second;
    }

private:
    using LogFunction = void (*)(void* category, int level, const char* file, const char* function, int line,
                                 void* object, void* message, void* data);
    static constexpr int kInfo = 4;  // GST_LEVEL_INFO
    static constexpr const char* kCategory = "GST_ERROR_SYSTEM";
    static constexpr std::string_view kPrefix = "posted error message: ";

    PipelineErrors() {
        if (shares_process()) return;
        void* library = ::dlopen("libgstreamer-1.0.so.0", RTLD_LAZY | RTLD_LOCAL);
        if (library == nullptr) return;
        void (*add_function)(LogFunction, void*, void*) = nullptr;
        void (*remove_function)(void*) = nullptr;
        void (*set_threshold)(const char*, int) = nullptr;
        const auto find = [library](const char* name, auto& function) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
            return function != nullptr;
        };
        const bool complete = find("gst_debug_add_log_function", add_function) &&
                              find("gst_debug_remove_log_function", remove_function) &&
                              find("gst_debug_set_threshold_for_name", set_threshold) &&
                              find("gst_debug_category_get_name", category_name_) &&
                              find("gst_debug_message_get", message_text_) && find("gst_object_get_parent", parent_) &&
                              find("gst_object_unref", unref_) && find("gst_bin_get_by_name", child_);
        if (!complete) return;
        // The default function would write these lines, with passwords, to standard error.
        if (std::getenv("GST_DEBUG") == nullptr) remove_function(nullptr);
        add_function(&PipelineErrors::read_line, this, nullptr);
        set_threshold(kCategory, kInfo);
    }

    // Called by any thread of GStreamer.
    static void read_line(void* category, int level, const char*, const char*, int, void* object, void* message,
                          void* data) {
        auto& errors = *static_cast<PipelineErrors*>(data);
        if (level != kInfo || object == nullptr || std::string_view(errors.category_name_(category)) != kCategory)
            return;
        const char* text = errors.message_text_(message);
        if (text != nullptr && std::string_view(text).starts_with(kPrefix)) {
            errors.note(object, text + kPrefix.size());
        }
    }

    void note(void* element, const std::string& text) {
        void* top = nullptr;
        for (void* next = parent_(element); next != nullptr; next = parent_(next)) {
            if (top != nullptr) unref_(top);
            top = next;
        }
        if (top == nullptr) return;
        const std::lock_guard lock(mutex_);
        for (auto& [name, first] : first_errors_) {
            void* mark = child_(top, name.c_str());
            if (mark == nullptr) continue;
            unref_(mark);
            if (first.empty()) first = mask_credentials(text);
        }
        unref_(top);
    }

    const char* (*category_name_)(void*) = nullptr;
    const char* (*message_text_)(void*) = nullptr;
    void* (*parent_)(void*) = nullptr;  // the caller owns the result
    void (*unref_)(void*) = nullptr;
    void* (*child_)(void*, const char*) = nullptr;  // the caller owns the result
    std::mutex mutex_;
    int count_ = 0;
    std::map<std::string, std::string> first_errors_;
};

// expected: size of the pictures of the pipeline.
Frame frame_of(const cv::Mat& image, const cv::Size& expected, FramePool& pool) {
    const bool color = image.type() == CV_8UC3;
    // OpenCV returns the planes of NV12 and I420 as one gray image, and JPEG data as one row.
    if (!color && (image.type() != CV_8UC1 || image.size() != expected)) {
        throw Error(ErrorKind::input, "the appsink receives a format that cannot be read", {},
                    "put \"videoconvert ! video/x-raw,format=BGR !\" in front of it");
    }
    WritableFrame result = pool.take(color ? PixelFormat::bgr24 : PixelFormat::gray8, image.cols, image.rows);
    result.info().range = ColorRange::full;
    cv::Mat target(image.rows, image.cols, image.type(), result.data(0),
                   static_cast<std::size_t>(result.plane(0).pitch));
    image.copyTo(target);
    return std::move(result).finish();
}

SourceInfo describe(const cv::VideoCapture& capture) {
    SourceInfo info;
    info.width = static_cast<int>(capture.get(cv::CAP_PROP_FRAME_WIDTH));
    info.height = static_cast<int>(capture.get(cv::CAP_PROP_FRAME_HEIGHT));
    info.fps = std::max(capture.get(cv::CAP_PROP_FPS), 0.0);
    info.details = "GStreamer " + std::to_string(info.width) + "x" + std::to_string(info.height);
    const double frames = capture.get(cv::CAP_PROP_FRAME_COUNT);
    info.live = !(frames > 0);
    if (!info.live) info.frame_count = static_cast<std::int64_t>(frames);
    if (!info.live && info.fps > 0) info.duration = frames / info.fps;
    return info;
}

void read_all(cv::VideoCapture& capture, bool live, Exchange& exchange) {
    FramePool pool;
    cv::Mat image;
    const std::stop_token stop = exchange.stop.get_token();
    const auto start = Clock::now();
    const auto size_of = [&] {
        return cv::Size(static_cast<int>(capture.get(cv::CAP_PROP_FRAME_WIDTH)),
                        static_cast<int>(capture.get(cv::CAP_PROP_FRAME_HEIGHT)));
    };
    for (std::int64_t index = 0;; ++index) {
        const bool read = capture.grab();
        const auto now = Clock::now();
        Frame frame = read && capture.retrieve(image) ? frame_of(image, size_of(), pool) : Frame();
        if (!frame) return;
        const double position = capture.get(cv::CAP_PROP_POS_MSEC) / 1e3;
        frame = frame.with_timing(index, live ? std::chrono::duration<double>(now - start).count() : position, now);
        Exchange::Decoded decoded{std::move(frame), milliseconds_since(now)};
        // A file waits for its reader. A camera replaces the frame that was not read.
        if (live) {
            exchange.frames.replace(std::move(decoded));
        } else {
            exchange.frames.push(std::move(decoded), stop);
        }
        if (stop.stop_requested()) return;
    }
}

void work(const std::string& pipeline, const std::shared_ptr<Exchange>& exchange) {
    Error problem(ErrorKind::input, "the pipeline did not start", {},
                  "test it with gst-launch-1.0 and autovideosink at its end");
    try {
        cv::VideoCapture capture;
        if (capture.open(pipeline, cv::CAP_GSTREAMER)) {
            const SourceInfo info = describe(capture);
            exchange->info.push(info);
            read_all(capture, info.live, *exchange);
        }
    } catch (const Error& failure) {
        exchange->failure = failure;
    } catch (const std::exception& failure) {
        exchange->failure.emplace(ErrorKind::input, mask_credentials(failure.what()));
    }
    exchange->problem.set_value(exchange->failure.value_or(problem));
    exchange->info.close();
    exchange->frames.close();
}

class GstreamerSource final : public VideoSource {
public:
    GstreamerSource(std::string name, const std::string& pipeline, double open_timeout, const std::stop_token& stop)
        : mark_(PipelineErrors::instance().add()),
          exchange_(std::make_shared<Exchange>()),
          // An element without links does nothing.
          thread_(
              [marked = "identity name=" + mark_ + " " + pipeline, exchange = exchange_] { work(marked, exchange); }) {
        const PopStatus status = exchange_->info.pop(info_, stop, std::chrono::duration<double>(open_timeout));
        if (status == PopStatus::value) {
            info_.name = std::move(name);
            return;
        }
        stop_thread(stop.stop_requested() ? kShortStopWait : kStopWait);
        const std::string error = PipelineErrors::instance().error_of(mark_);
        PipelineErrors::instance().remove(mark_);
        if (status == PopStatus::stopped) throw Error(ErrorKind::interrupted, "stopped while opening", name);
        Error problem(ErrorKind::input, "the pipeline did not start in time", {},
                      "test it with gst-launch-1.0 and autovideosink at its end");
        if (status == PopStatus::closed) problem = problem_.get();
        throw Error(problem.kind(), error.empty() ? problem.problem() : Message("%1: %2", problem.problem(), error),
                    name, problem.advice());
    }

    ~GstreamerSource() override {
        stop_thread(kStopWait);
        PipelineErrors::instance().remove(mark_);
    }
    GstreamerSource(const GstreamerSource&) = delete;
    GstreamerSource& operator=(const GstreamerSource&) = delete;

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        Exchange::Decoded decoded;
        PopStatus status = PopStatus::timeout;
        do {
            status = exchange_->frames.pop(decoded, stop, kReadWait);
            // After an error, some pipelines end and others stand still.
            if (status == PopStatus::closed || status == PopStatus::timeout) check_failure(status);
        } while (status == PopStatus::timeout && !info_.live);
        if (status == PopStatus::closed) return ReadStatus::end;
        if (status != PopStatus::value) return ReadStatus::timeout;
        frame = std::move(decoded.frame);
        decode_ms_ = decoded.decode_ms;
        info_.width = frame.width();
        info_.height = frame.height();
        return format_.status_of(frame);
    }

    [[nodiscard]] SourceInfo info() const override { return info_; }
    [[nodiscard]] std::optional<double> decode_ms() const override { return decode_ms_; }
    [[nodiscard]] std::uint64_t replaced() const override { return exchange_->frames.dropped(); }

private:
    void check_failure(PopStatus status) const {
        if (status == PopStatus::closed && exchange_->failure) {
            const Error& failure = *exchange_->failure;
            throw Error(failure.kind(), failure.problem(), info_.name, failure.advice());
        }
        const std::string error = PipelineErrors::instance().error_of(mark_);
        if (!error.empty()) throw Error(ErrorKind::input, {"the pipeline failed: %1", error}, info_.name);
    }

    void stop_thread(std::chrono::milliseconds timeout) {
        exchange_->stop.request_stop();
        if (problem_.wait_for(timeout) == std::future_status::ready) {
            thread_.join();
        } else {
            logger().warn("a GStreamer pipeline did not stop in time and was abandoned");
            thread_.detach();
        }
    }

    SourceInfo info_;
    FormatWatch format_;
    double decode_ms_ = 0;
    std::string mark_;
    std::shared_ptr<Exchange> exchange_;
    std::future<Error> problem_ = exchange_->problem.get_future();
    std::thread thread_;
};

bool has_gstreamer() {
    const auto backends = cv::videoio_registry::getStreamBackends();
    return std::find(backends.begin(), backends.end(), cv::CAP_GSTREAMER) != backends.end();
}

}  // namespace

std::unique_ptr<VideoSource> open_gstreamer(std::string_view spec, const SourceOptions& options,
                                            const std::stop_token& stop) {
    std::string pipeline(spec.substr(spec.find(':') + 1));
    std::string shown = mask_credentials(spec);
    if (!has_gstreamer()) {
        throw Error(ErrorKind::unavailable, "this OpenCV was built without GStreamer", shown,
                    "open the camera or stream directly: camera:0, rtsp://…");
    }
    if (pipeline.find_first_not_of(' ') == std::string::npos) {
        throw Error(ErrorKind::usage, "the pipeline is empty", shown, "for example gst:videotestsrc");
    }
    if (pipeline.find("appsink") == std::string::npos) {
        pipeline += " ! videoconvert ! video/x-raw,format=BGR ! appsink max-buffers=2 sync=false";
    }
    // OpenCV's warnings would repeat the pipeline with its passwords.
    if (!shares_process()) cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_ERROR);
    return std::make_unique<GstreamerSource>(std::move(shown), pipeline, options.open_timeout, stop);
}

}  // namespace throng
