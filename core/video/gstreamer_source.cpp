#include "core/video/gstreamer_source.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/videoio.hpp>
#include <opencv2/videoio/registry.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/base/bounded_queue.h"
#include "core/base/error.h"
#include "core/base/latest_value.h"
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
    std::promise<std::string> problem;  // set at the end of the thread: why the pipeline did not open
};

Frame frame_of(const cv::Mat& image, FramePool& pool) {
    const bool color = image.type() == CV_8UC3;
    if (!color && image.type() != CV_8UC1) return {};
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
    for (std::int64_t index = 0;; ++index) {
        const bool read = capture.grab();
        const auto now = Clock::now();
        Frame frame = read && capture.retrieve(image) ? frame_of(image, pool) : Frame();
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
    std::string problem = "the pipeline did not start";
    try {
        cv::VideoCapture capture;
        if (capture.open(pipeline, cv::CAP_GSTREAMER)) {
            const SourceInfo info = describe(capture);
            exchange->info.push(info);
            read_all(capture, info.live, *exchange);
        }
    } catch (const std::exception& failure) {
        problem += ": " + mask_credentials(failure.what());
    }
    exchange->problem.set_value(std::move(problem));
    exchange->info.close();
    exchange->frames.close();
}

class GstreamerSource final : public VideoSource {
public:
    GstreamerSource(std::string name, const std::string& pipeline, double open_timeout, const std::stop_token& stop)
        : exchange_(std::make_shared<Exchange>()),
          thread_([pipeline, exchange = exchange_] { work(pipeline, exchange); }) {
        const PopStatus status = exchange_->info.pop(info_, stop, std::chrono::duration<double>(open_timeout));
        if (status == PopStatus::value) {
            info_.name = std::move(name);
            return;
        }
        stop_thread(stop.stop_requested() ? kShortStopWait : kStopWait);
        if (status == PopStatus::stopped) throw Error(ErrorKind::interrupted, "stopped while opening", name);
        throw Error(ErrorKind::input,
                    status == PopStatus::closed ? problem_.get() : "the pipeline did not start in time", name,
                    "test it with gst-launch-1.0 and autovideosink at its end");
    }

    ~GstreamerSource() override { stop_thread(kStopWait); }
    GstreamerSource(const GstreamerSource&) = delete;
    GstreamerSource& operator=(const GstreamerSource&) = delete;

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        Exchange::Decoded decoded;
        const PopStatus status =
            info_.live ? exchange_->frames.pop(decoded, stop, kReadWait) : exchange_->frames.pop(decoded, stop);
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
    void stop_thread(std::chrono::milliseconds timeout) {
        exchange_->stop.request_stop();
        if (problem_.wait_for(timeout) == std::future_status::ready) {
            thread_.join();
        } else {
            spdlog::warn("a GStreamer pipeline did not stop in time and was abandoned");
            thread_.detach();
        }
    }

    SourceInfo info_;
    FormatWatch format_;
    double decode_ms_ = 0;
    std::shared_ptr<Exchange> exchange_;
    std::future<std::string> problem_ = exchange_->problem.get_future();
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
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_ERROR);
    return std::make_unique<GstreamerSource>(std::move(shown), pipeline, options.open_timeout, stop);
}

}  // namespace throng
