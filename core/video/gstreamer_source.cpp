#include "core/video/gstreamer_source.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/key_values.h"
#include "core/base/secrets.h"
#include "core/base/value_text.h"
#ifdef TH_WITH_GSTREAMER
#include "core/base/stopwatch.h"
#include "core/video/format_watch.h"
#include "core/video/gst_memory.h"
#include "core/video/gst_pipeline.h"
#endif

namespace throng {

namespace {

#ifdef TH_WITH_GSTREAMER
// A pipeline that waits for its reader, such as one that begins with a file.
class PipelineSource final : public VideoSource {
public:
    PipelineSource(const MediaRequest& request, std::unique_ptr<GstPipeline> pipeline)
        : name_(request.shown), pipeline_(std::move(pipeline)), duration_(pipeline_->duration()) {}

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        MediaFrame decoded;
        const auto start = std::chrono::steady_clock::now();
        switch (pipeline_->next(decoded, stop)) {
            case MediaStatus::read: break;
            case MediaStatus::end: return ReadStatus::end;
            case MediaStatus::broken: throw Error(ErrorKind::input, pipeline_->read_error(), name_);
            case MediaStatus::stalled:
            case MediaStatus::stopped: return ReadStatus::timeout;
        }
        const std::int64_t ticks = decoded.ticks.value_or(0);
        if (!start_ || std::exchange(jumps_, pipeline_->num_jumps()) != pipeline_->num_jumps()) {
            start_ = static_cast<double>(ticks) * pipeline_->tick() - following();  // a clock that jumps back continues
        }
        const double time = static_cast<double>(ticks) * pipeline_->tick() - *start_;
        pts_ = decoded.ticks ? std::max(time, pts_) : following();
        frame = make_frame(maker_, std::move(decoded), next_index_++, pts_);
        decode_ms_ = std::max(milliseconds_since(start) - 1e3 * pipeline_->waited_seconds(), 0.0);
        return watch_.status_of(frame);
    }

    [[nodiscard]] SourceInfo info() const override {
        SourceInfo info;
        info.name = name_;
        info.width = pipeline_->width();
        info.height = pipeline_->height();
        info.fps = pipeline_->fps();
        info.details = pipeline_->details(info.width, info.height);
        info.duration = duration_;
        return info;
    }
    [[nodiscard]] std::optional<double> decode_ms() const override { return decode_ms_; }

private:
    // Returns the time one step after the last frame.
    [[nodiscard]] double following() const { return next_index_ > 0 ? pts_ + pipeline_->step() : 0; }

    std::string name_;
    std::unique_ptr<GstPipeline> pipeline_;
    std::optional<double> duration_;
    FrameMaker maker_;
    FormatWatch watch_;
    std::optional<double> start_;  // seconds of the pipeline at the time 0
    std::int64_t jumps_ = 0;
    std::int64_t next_index_ = 0;
    double pts_ = 0;
    double decode_ms_ = 0;
};

#endif

#ifdef TH_WITH_GSTREAMER
using OpenPipeline =
    std::function<std::unique_ptr<GstPipeline>(const MediaRequest& request, const std::stop_token& stop)>;

std::unique_ptr<VideoSource> open_pipeline(const MediaRequest& request, const std::stop_token& stop,
                                           const OpenPipeline& open) {
    auto pipeline = open(request, stop);
    if (!pipeline->live()) return std::make_unique<PipelineSource>(request, std::move(pipeline));
    return make_live_source(request, std::move(pipeline), open);
}

// Opens a pipeline and discards its first frame: some failures come after the start.
std::unique_ptr<GstPipeline> open_with_frame(const MediaRequest& request,
                                             const std::shared_ptr<GstDeviceMemory>& memory,
                                             const std::stop_token& stop, const std::string& host_url = {}) {
    auto pipeline = std::make_unique<GstPipeline>(request, memory, stop, host_url);
    MediaFrame frame;
    const MediaStatus status = pipeline->next(frame, stop);
    if (status == MediaStatus::read || status == MediaStatus::stopped) return pipeline;
    const Message problem = pipeline->read_error();
    throw Error(ErrorKind::input, problem.empty() ? "the camera gives no frame" : problem, request.shown);
}
#endif

[[maybe_unused]] [[noreturn]] void throw_no_gstreamer(const std::string& shown) {
    throw Error(ErrorKind::unavailable, "this build has no GStreamer", shown,
                "open the camera or stream directly: camera:0, rtsp://…");
}

}  // namespace

std::unique_ptr<VideoSource> open_gstreamer(std::string_view spec, const SourceOptions& options,
                                            const std::stop_token& stop) {
    MediaRequest request;
    request.url = spec.substr(spec.find(':') + 1);
    request.shown = mask_credentials(spec);
    request.source = options;
    if (request.url.find_first_not_of(' ') == std::string::npos) {
        throw Error(ErrorKind::usage, "the pipeline is empty", request.shown, "for example gst:videotestsrc");
    }
#ifdef TH_WITH_GSTREAMER
    if (request.url.find("appsink") == std::string::npos) {
        request.url += " ! videoconvert ! appsink max-buffers=2 sync=false";
    }
    const auto memory = std::make_shared<GstDeviceMemory>(options, request.shown);
    return open_pipeline(request, stop, [memory](const MediaRequest& wanted, const std::stop_token& token) {
        return std::make_unique<GstPipeline>(wanted, memory, token);
    });
#else
    static_cast<void>(stop);
    throw_no_gstreamer(request.shown);
#endif
}

std::string csi_pipeline(std::string_view spec, bool nvmm) {
    constexpr std::int64_t kMaxSensor = 63;
    constexpr std::int64_t kMaxSide = 16384;
    constexpr std::int64_t kMaxFps = 1000;
    const auto number = [](const char* name, std::string_view text, std::int64_t low, std::int64_t high) {
        if (const Message problem = check_whole(text, low, high); !problem.empty()) {
            throw Error(ErrorKind::usage, problem, "csi: " + std::string(name),
                        "for example csi:0,size=1920x1080,fps=30");
        }
        return std::to_string(*parse_whole(text));
    };
    const std::string_view text = spec.substr(spec.find(':') + 1);
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string camera = number("camera", text.substr(0, comma), 0, kMaxSensor);
    std::string width = "1920", height = "1080", fps = "30";
    for (const auto& [key, value] : key_values(text.substr(std::min(comma + 1, text.size())), "csi: ")) {
        if (key == "size") {
            const std::size_t cross = std::min(value.find('x'), value.size());
            width = number("width", value.substr(0, cross), 1, kMaxSide);
            height = number("height", value.substr(std::min(cross + 1, value.size())), 1, kMaxSide);
        } else if (key == "fps") {
            fps = number("fps", value, 1, kMaxFps);
        } else {
            throw Error(ErrorKind::usage, {"unknown option '%1'", std::string(key)},
                        "csi:", "for example csi:0,size=1920x1080,fps=30");
        }
    }
    // Pitch linear: kernels address pixels. As many buffers as frames may be held: in the appsink, in the queues, on the
    // GPU and by the window.
    const std::string output =
        nvmm ? "nvvidconv bl-output=false output-buffers=12 ! video/x-raw(memory:NVMM),format=NV12"
             : "nvvidconv ! video/x-raw,format=NV12";
    return "nvarguscamerasrc sensor-id=" + camera + " ! video/x-raw(memory:NVMM),format=NV12,width=" + width +
           ",height=" + height + ",framerate=" + fps + "/1 ! " + output +
           " ! appsink max-buffers=2 sync=false enable-last-sample=false";
}

std::unique_ptr<VideoSource> open_csi(std::string_view spec, const SourceOptions& options,
                                      const std::stop_token& stop) {
    MediaRequest request;
    request.url = csi_pipeline(spec, false);
    request.shown = std::string(spec);
    request.source = options;
#ifdef TH_WITH_GSTREAMER
    const auto memory = std::make_shared<GstDeviceMemory>(options, request.shown);
    const OpenPipeline open = [memory, in_place = csi_pipeline(spec, true)](
                                  const MediaRequest& wanted,
                                  const std::stop_token& token) -> std::unique_ptr<GstPipeline> {
        if (wanted.source.prefer_device_frames && memory->uses_nvmm()) {
            MediaRequest first = wanted;
            first.url = in_place;
            try {
                return open_with_frame(first, memory, token, wanted.url);
            } catch (const Error& failure) {
                if (failure.kind() == ErrorKind::interrupted || memory->has_read_nvmm()) throw;
                auto pipeline = open_with_frame(wanted, memory, token);  // fails, too, if the reason is the camera
                memory->disable_nvmm(failure.problem());
                return pipeline;
            }
        }
        auto pipeline = std::make_unique<GstPipeline>(wanted, memory, token);
        if (wanted.source.prefer_device_frames)
            memory->disable_nvmm("libnvbufsurface cannot be loaded");  // unless another reason was logged
        return pipeline;
    };
    try {
        return open_pipeline(request, stop, open);
    } catch (const Error& failure) {
        // The text is right, so what cannot be parsed is an element that is not installed.
        if (failure.kind() != ErrorKind::usage) throw;
        throw Error(ErrorKind::unavailable, failure.problem(), request.shown,
                    "a CSI camera needs a Jetson board with its GStreamer elements (nvidia-l4t-gstreamer)");
    }
#else
    static_cast<void>(stop);
    throw_no_gstreamer(request.shown);
#endif
}

}  // namespace throng
