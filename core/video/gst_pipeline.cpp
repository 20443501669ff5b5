#ifdef TH_WITH_GSTREAMER
#include "core/video/gst_pipeline.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/latest_value.h"
#include "core/base/secrets.h"
#include "core/video/gst_cuda.h"
#include "core/video/gst_library.h"
#include "core/video/gst_memory.h"
#include "core/video/packet_clock.h"

namespace throng {

// Owns the elements. Only this file knows GStreamer's types.
struct GstObjects {
    GstElement* pipeline = nullptr;
    GstElement* sink = nullptr;  // the appsink
    GstBus* bus = nullptr;

    GstObjects() = default;
    GstObjects(const GstObjects&) = delete;
    GstObjects& operator=(const GstObjects&) = delete;
    ~GstObjects();
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPipelineStop{2000};
constexpr std::chrono::milliseconds kShortPipelineStop{100};  // after a stop request while it opens
constexpr std::chrono::milliseconds kPipelineSlice{50};       // a stop request ends each wait within this time
constexpr std::chrono::milliseconds kLateError{1000};         // an element may fail before its error is on the bus

struct GstFormat {
    const char* name;
    AVPixelFormat format;
};
// The first ones need no conversion.
constexpr std::array<GstFormat, 15> kGstFormats = {{{"NV12", AV_PIX_FMT_NV12},
                                                    {"I420", AV_PIX_FMT_YUV420P},
                                                    {"GRAY8", AV_PIX_FMT_GRAY8},
                                                    {"BGR", AV_PIX_FMT_BGR24},
                                                    {"BGRx", AV_PIX_FMT_BGR0},
                                                    {"RGB", AV_PIX_FMT_RGB24},
                                                    {"RGBx", AV_PIX_FMT_RGB0},
                                                    {"xRGB", AV_PIX_FMT_0RGB},
                                                    {"xBGR", AV_PIX_FMT_0BGR},
                                                    {"YUY2", AV_PIX_FMT_YUYV422},
                                                    {"UYVY", AV_PIX_FMT_UYVY422},
                                                    {"Y42B", AV_PIX_FMT_YUV422P},
                                                    {"Y444", AV_PIX_FMT_YUV444P},
                                                    {"P010_10LE", AV_PIX_FMT_P010LE},
                                                    {"GRAY16_LE", AV_PIX_FMT_GRAY16LE}}};

std::string caps_of_system_memory() {
    std::string caps = "video/x-raw,format={";
    for (const GstFormat& format : kGstFormats) caps += std::string(caps.back() == '{' ? "" : ",") + format.name;
    return caps + "}";
}

// Sets what an appsink accepts. Device memory only where its pipeline gives nothing else: elements may prefer it, and not
// all of it can be read. Pads that come later give system memory.
void set_caps(GstAppSink* sink) {
    const auto accept = [sink](const std::string& text) {
        const GstPtr<GstCaps> caps(gst().gst_caps_from_string(text.c_str()));
        gst().gst_app_sink_set_caps(sink, caps.get());
    };
    const std::string system = caps_of_system_memory();
    accept(system);
    GstPad* pad = gst().gst_element_get_static_pad(GST_ELEMENT_CAST(sink), "sink");
    const GstPtr<GstCaps> given(gst().gst_pad_get_allowed_caps(pad));
    gst().gst_object_unref(pad);
    if (!given || !gst().gst_caps_is_empty(given.get())) return;
    const auto of = [](const char* feature) { return std::string(";video/x-raw(") + feature + "),format=NV12"; };
    accept(system + of(kNvmm) + of(kCudaMemory));
}

// Runs work in a thread, because an element may block for ever when its state changes, and waits for it. Returns false
// if it has not ended in time, or after a stop request; the thread then goes on with what it owns.
bool run_in_time(std::function<void()> work, std::chrono::duration<double> timeout, const std::stop_token& stop = {}) {
    const auto done = std::make_shared<LatestValue<bool>>();
    std::thread([done, work = std::move(work)]() mutable {
        work();
        work = nullptr;
        done->push(true);
    }).detach();
    bool value = false;
    return done->pop(value, stop, timeout) == PopStatus::value;
}

// Returns the appsinks of a pipeline; the caller owns a reference of each.
std::vector<GstElement*> appsinks_of(GstElement* pipeline) {
    std::vector<GstElement*> found;
    if (!gst().g_type_check_instance_is_a(reinterpret_cast<GTypeInstance*>(pipeline), gst().gst_bin_get_type())) {
        return found;
    }
    GstIterator* iterator =
        gst().gst_bin_iterate_all_by_element_factory_name(reinterpret_cast<GstBin*>(pipeline), "appsink");
    GValue value = G_VALUE_INIT;
    while (gst().gst_iterator_next(iterator, &value) == GST_ITERATOR_OK) {
        found.push_back(static_cast<GstElement*>(gst().gst_object_ref(gst().g_value_get_object(&value))));
        gst().g_value_unset(&value);
    }
    gst().gst_iterator_free(iterator);
    return found;
}

void release_planes(void* owner, std::uint8_t*) {
    delete static_cast<std::shared_ptr<const void>*>(owner);
}

AVColorRange range_of(GstVideoColorRange range) {
    switch (range) {
        case GST_VIDEO_COLOR_RANGE_0_255: return AVCOL_RANGE_JPEG;
        case GST_VIDEO_COLOR_RANGE_16_235: return AVCOL_RANGE_MPEG;
        default: return AVCOL_RANGE_UNSPECIFIED;
    }
}

// Cuts away what surrounds the picture in its buffer.
void crop(GstBuffer* buffer, AVFrame& frame) {
    const auto* meta = reinterpret_cast<const GstVideoCropMeta*>(
        gst().gst_buffer_get_meta(buffer, gst().gst_video_crop_meta_api_get_type()));
    if (meta == nullptr || meta->x + meta->width > static_cast<guint>(frame.width) ||
        meta->y + meta->height > static_cast<guint>(frame.height)) {
        return;
    }
    frame.crop_left = meta->x;
    frame.crop_top = meta->y;
    frame.crop_right = static_cast<std::size_t>(frame.width) - meta->x - meta->width;
    frame.crop_bottom = static_cast<std::size_t>(frame.height) - meta->y - meta->height;
    static_cast<void>(av_frame_apply_cropping(&frame, AV_FRAME_CROP_UNALIGNED));
}

}  // namespace

GstObjects::~GstObjects() {
    if (bus != nullptr) gst().gst_object_unref(bus);
    if (sink != nullptr) gst().gst_object_unref(sink);
    if (pipeline != nullptr) gst().gst_object_unref(pipeline);
}

GstPipeline::GstPipeline(const MediaRequest& request, std::shared_ptr<GstDeviceMemory> memory,
                         const std::stop_token& stop, std::string host_url)
    : request_(request), host_url_(std::move(host_url)), memory_(std::move(memory)) {
    start(stop);
}

void GstPipeline::start(const std::stop_token& stop) {
    objects_ = std::make_shared<GstObjects>();
    GError* problem = nullptr;
    objects_->pipeline = gst().gst_parse_launch(request_.url.c_str(), &problem);
    // A pipeline with an error may still have been made.
    if (problem != nullptr) {
        const std::string text = mask_credentials(problem->message);
        gst().g_error_free(problem);
        throw Error(
            ErrorKind::usage, {"the pipeline is not valid: %1", text}, request_.shown,
            "test it with gst-launch-1.0; without an appsink, \"! videoconvert ! appsink\" is added at its end");
    }
    const std::vector<GstElement*> sinks = appsinks_of(objects_->pipeline);
    for (GstElement* sink : sinks) {
        if (objects_->sink == nullptr) {
            objects_->sink = sink;
        } else {
            gst().gst_object_unref(sink);
        }
    }
    if (sinks.size() != 1) {
        throw Error(ErrorKind::usage,
                    sinks.empty() ? "the pipeline has no appsink" : "the pipeline has several appsinks", request_.shown,
                    "end the branch to be read with \"! appsink\", and others with another sink");
    }
    objects_->bus = gst().gst_element_get_bus(objects_->pipeline);
    auto* sink = reinterpret_cast<GstAppSink*>(objects_->sink);
    if (const GstPtr<GstCaps> caps(gst().gst_app_sink_get_caps(sink)); !caps) {
        set_caps(sink);
    }
    try {
        open(stop);
    } catch (...) {
        close(stop.stop_requested() ? kShortPipelineStop : kPipelineStop);
        throw;
    }
}

GstPipeline::~GstPipeline() {
    if (objects_) close(kPipelineStop);
}

bool GstPipeline::continue_on_host(const std::stop_token& stop) {
    close(kPipelineStop);  // a camera opens once only
    request_.url = std::exchange(host_url_, {});
    ++jumps_;
    highest_ticks_ = 0;
    error_ = {};  // that of the pipeline that ended
    try {
        start(stop);
    } catch (const Error& failure) {
        if (failure.kind() != ErrorKind::input) throw;
        error_ = failure.problem();
    }
    return error_.empty();
}

// Elements may only be destroyed when they are stopped.
void GstPipeline::close(std::chrono::milliseconds timeout) {
    run_in_time([objects = std::move(objects_)] { gst().gst_element_set_state(objects->pipeline, GST_STATE_NULL); },
                timeout);
}

void GstPipeline::open(const std::stop_token& stop) {
    const auto result = std::make_shared<GstStateChangeReturn>(GST_STATE_CHANGE_FAILURE);
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(request_.source.open_timeout));
    const auto change = [&](GstState state) {
        const auto work = [objects = objects_, result, state] {
            *result = gst().gst_element_set_state(objects->pipeline, state);
        };
        return run_in_time(work, deadline - Clock::now(), stop);
    };
    bool in_time = change(GST_STATE_PAUSED);
    std::string error = bus_error();
    while (in_time && error.empty() && *result == GST_STATE_CHANGE_ASYNC && !stop.stop_requested()) {
        *result = gst().gst_element_get_state(objects_->pipeline, nullptr, nullptr,
                                              std::chrono::nanoseconds(kPipelineSlice).count());
        error = bus_error();
        in_time = Clock::now() < deadline;
    }
    live_ = in_time && *result == GST_STATE_CHANGE_NO_PREROLL;
    if (in_time && error.empty() && *result != GST_STATE_CHANGE_FAILURE) {
        in_time = change(GST_STATE_PLAYING);
        error = bus_error();
    }
    for (auto waited = kPipelineSlice; in_time && error.empty() && *result == GST_STATE_CHANGE_FAILURE &&
                                       waited <= kLateError && !stop.stop_requested();
         waited += kPipelineSlice) {
        error = bus_error(kPipelineSlice);
    }
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", request_.shown);
    const char* advice = "test it with gst-launch-1.0 and autovideosink at its end";
    if (!error.empty())
        throw Error(ErrorKind::input, {"the pipeline did not start: %1", error}, request_.shown, advice);
    if (!in_time) throw Error(ErrorKind::input, "the pipeline did not start in time", request_.shown, advice);
    if (*result == GST_STATE_CHANGE_FAILURE) {
        throw Error(ErrorKind::input, "the pipeline did not start", request_.shown, advice);
    }
}

std::string GstPipeline::bus_error(std::chrono::nanoseconds wait) const {
    const GstPtr<GstMessage> message(
        gst().gst_bus_timed_pop_filtered(objects_->bus, static_cast<GstClockTime>(wait.count()), GST_MESSAGE_ERROR));
    if (!message) return {};
    GError* error = nullptr;
    gchar* details = nullptr;
    gst().gst_message_parse_error(message.get(), &error, &details);
    std::string text = error->message;
    // The last line of the details says what happened in an element; the others, where in its source.
    if (details != nullptr) {
        const std::string_view lines(details);
        const std::string_view last = lines.substr(lines.rfind('\n') + 1);
        if (!last.empty()) text += " (" + std::string(last) + ")";
    }
    gst().g_error_free(error);
    gst().g_free(details);
    return mask_credentials(text);
}

MediaStatus GstPipeline::next(MediaFrame& frame, const std::stop_token& stop) {
    const auto start = Clock::now();
    auto begin = start;  // of the wait for this pipeline
    while (objects_ && !stop.stop_requested()) {
        auto* sink = reinterpret_cast<GstAppSink*>(objects_->sink);
        GstPtr<GstSample> sample(
            gst().gst_app_sink_try_pull_sample(sink, std::chrono::nanoseconds(kPipelineSlice).count()));
        waited_ = Clock::now() - start;
        // Also empties the bus, which would hold all messages of a pipeline that always has frames.
        if (const std::string error = bus_error(); !error.empty() && error_.empty()) {
            error_ = {"the pipeline failed: %1", error};
        }
        if (sample) {
            if (std::optional<MediaFrame> read = frame_of(sample.get())) {
                frame = std::move(*read);
                return MediaStatus::read;
            }
            sample.reset();  // the pipeline ends before another one is made
            if (!continue_on_host(stop)) return MediaStatus::broken;
            begin = Clock::now();
            continue;
        }
        // After an error, some pipelines end and others freeze. What they delivered before was read.
        if (!error_.empty()) return MediaStatus::broken;
        if (gst().gst_app_sink_is_eos(sink)) return MediaStatus::end;
        const std::chrono::duration<double> waited = Clock::now() - begin;
        if (live_ && waited.count() > request_.source.read_timeout) return MediaStatus::stalled;
    }
    return objects_ ? MediaStatus::stopped : MediaStatus::broken;  // it could not continue on the host
}

std::optional<MediaFrame> GstPipeline::frame_of(void* pulled) {
    auto* sample = static_cast<GstSample*>(pulled);
    GstCaps* caps = gst().gst_sample_get_caps(sample);
    GstVideoInfo info;
    const bool is_video = caps != nullptr && gst().gst_video_info_from_caps(&info, caps);
    const char* name = is_video          ? info.finfo->name
                       : caps == nullptr ? "no format"
                                         : gst().gst_structure_get_name(gst().gst_caps_get_structure(caps, 0));
    const auto format = std::find_if(kGstFormats.begin(), kGstFormats.end(),
                                     [&](const GstFormat& known) { return std::string_view(known.name) == name; });
    GstBuffer* buffer = gst().gst_sample_get_buffer(sample);
    MappedPlanes mapped;
    if (is_video && format != kGstFormats.end() && buffer != nullptr) {
        // A pipeline that is not live cannot begin again, so its frames must outlive the device.
        mapped = memory_->map(*buffer, *caps, info, live_ && request_.source.prefer_device_frames);
    }
    const std::string_view memory = buffer != nullptr && is_video ? GstDeviceMemory::feature_of(*caps) : "";
    const std::string shown = std::string(name) + (memory.empty() ? "" : " (" + std::string(memory) + ")");
    if (mapped.owner == nullptr) {
        if (memory == kNvmm && !host_url_.empty()) {
            memory_->disable_nvmm("its surfaces have an unknown layout");  // unless another reason was logged
            return std::nullopt;
        }
        throw Error(
            ErrorKind::input, {"the appsink receives a format that cannot be read: %1", shown}, request_.shown,
            {"put \"%1 !\" in front of it", memory == kNvmm ? "nvvidconv ! video/x-raw,format=NV12" : "videoconvert"});
    }
    MediaFrame frame;
    frame.av_frame = av::make_frame();
    AVFrame& av_frame = *frame.av_frame;
    av_frame.format = format->format;
    av_frame.width = info.width;
    av_frame.height = info.height;
    av_frame.color_range = range_of(info.colorimetry.range);
    // FFmpeg numbers matrices as ISO/IEC 23091-2 does.
    av_frame.colorspace = static_cast<AVColorSpace>(gst().gst_video_color_matrix_to_iso(info.colorimetry.matrix));
    std::copy(std::begin(mapped.data), std::end(mapped.data), av_frame.data);
    std::copy(std::begin(mapped.pitch), std::end(mapped.pitch), av_frame.linesize);
    auto owner = std::make_unique<std::shared_ptr<const void>>(std::move(mapped.owner));
    av_frame.buf[0] =
        av_buffer_create(av_frame.data[0], mapped.bytes, release_planes, owner.get(), AV_BUFFER_FLAG_READONLY);
    if (av_frame.buf[0] == nullptr) throw std::bad_alloc();
    static_cast<void>(owner.release());  // now owned by the buffer
    frame.device = std::move(mapped.device);
    crop(buffer, av_frame);
    if (const GstSegment* segment = gst().gst_sample_get_segment(sample);
        segment != nullptr && GST_BUFFER_PTS_IS_VALID(buffer)) {
        const guint64 time = gst().gst_segment_to_stream_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
        if (GST_CLOCK_TIME_IS_VALID(time)) {
            frame.ticks = static_cast<std::int64_t>(time);
            // Within a segment, frames may come in the order of decoding, or from a clock that jitters.
            const std::pair<std::uint64_t, std::uint64_t> begin(segment->start, segment->base);
            const double allowed = std::exchange(segment_, begin) == begin ? max_reorder(step()) : 0;
            const bool jumps = static_cast<double>(highest_ticks_ - *frame.ticks) * tick() > allowed;
            if (jumps) ++jumps_;
            highest_ticks_ = jumps ? *frame.ticks : std::max(highest_ticks_, *frame.ticks);
        }
    }
    frame.padding_for_alpha = true;
    format_ = shown;
    width_ = av_frame.width;
    height_ = av_frame.height;
    fps_ = info.fps_n > 0 && info.fps_d > 0 ? static_cast<double>(info.fps_n) / info.fps_d : 0;
    return frame;
}

std::string GstPipeline::details(int width, int height) const {
    std::string text = "GStreamer";
    if (!format_.empty()) text += " " + format_;
    if (width > 0) text += " " + std::to_string(width) + "x" + std::to_string(height);
    if (fps_ > 0) text += " " + short_number(fps_) + " fps";
    return text;
}

std::optional<double> GstPipeline::duration() const {
    gint64 nanoseconds = 0;
    if (!gst().gst_element_query_duration(objects_->pipeline, GST_FORMAT_TIME, &nanoseconds) || nanoseconds <= 0) {
        return std::nullopt;
    }
    return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace throng
#endif
