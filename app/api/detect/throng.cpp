#include "app/api/throng.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "app/api/detect/detection.h"
#include "app/api/handle.h"
#include "core/base/value_text.h"

using throng::Error;
using throng::ErrorKind;
using throng::Setting;
using throng::api::require;
namespace api = throng::api;

struct throng_detector : api::Handle {
    explicit throng_detector(const api::DetectionOptions& options) : detector(options) {
        set_survives_fork(detector.backend_name() == "cpu");
    }
    api::ImageDetector detector;
};

struct throng_stream : api::Handle {
    throng_stream(const char* source, const api::DetectionOptions& options) : stream(source, options) {}
    api::SourceStream stream;
    std::shared_ptr<const throng::FrameResult> result;  // of `frame`
    std::vector<throng_detection> detections;
    throng_frame frame{};
};

namespace {

// Settings are spelled as fields, also those that only options.settings names; what is none keeps its name.
std::string spell_field(const Setting& setting) {
    const bool is_field =
        setting.name == "backend" || setting.name == "device" || throng::find_setting(setting.name) != nullptr;
    return (is_field ? "options." : "") + std::string(setting.name) +
           (setting.value.empty() ? "" : "=" + setting.value);
}

[[maybe_unused]] const bool kSpellsFields = (throng::set_spelling(spell_field), true);

void check_abi(std::int32_t abi) {
    if (abi == THRONG_ABI) return;
    throw Error(ErrorKind::usage, "is " + std::to_string(abi) + ", but the library has " + std::to_string(THRONG_ABI),
                "abi", "compile with the header of the installed library");
}

template <class Struct>
Struct complete(const Struct* given, Struct defaults, const char* name) {
    require(given != nullptr, name, "is NULL");
    require(given->size != 0, name, "has the size 0: start from its _default() function");
    require(given->size <= sizeof(Struct), name, "is of a newer header than this library");
    std::memcpy(&defaults, given, given->size);
    return defaults;
}

api::DetectionOptions options_of(const throng_options* given) {
    const throng_options options = complete(given, throng_options_default(), "options");
    require(options.backend >= THRONG_BACKEND_AUTO && options.backend <= THRONG_BACKEND_CUDA, Setting{"backend"},
            "must be AUTO, CPU or CUDA");
    require(options.detector != nullptr, Setting{"detector"}, "is NULL");
    require(options.device >= 0, Setting{"device"}, "is negative");
    const char* const backends[] = {"auto", "cpu", "cuda"};
    api::DetectionOptions result;
    result.backend = backends[options.backend];
    result.device = options.device;
    result.chosen.set("detector", options.detector);
    if (options.model != nullptr) result.chosen.set("model", options.model);
    const auto set = [&result](const char* name, auto value, bool chosen) {
        if (chosen) result.chosen.set(name, throng::exact_text(value));
    };
    set("threads", options.threads, true);
    set("min_size", options.min_size, options.min_size != 0);
    set("max_size", options.max_size, options.max_size != 0);
    set("scale_factor", options.scale_factor, options.scale_factor != 0);
    set("score_threshold", options.score_threshold, !std::isnan(options.score_threshold));
    set("theta", options.theta, !std::isnan(options.theta));
    set("min_hits", options.min_hits, options.min_hits != 0);
    for (const char* const* each = options.settings; each != nullptr && *each != nullptr; ++each) {
        const std::string text = *each;
        const std::size_t equals = text.find('=');
        require(equals != std::string::npos, "options.settings", "must have the form NAME=VALUE");
        result.chosen.set(text.substr(0, equals), text.substr(equals + 1));
    }
    return result;
}

throng::PixelFormat format_of(std::int32_t format) {
    switch (format) {
        case THRONG_GRAY8: return throng::PixelFormat::gray8;
        case THRONG_BGR24: return throng::PixelFormat::bgr24;
        case THRONG_NV12: return throng::PixelFormat::nv12;
        case THRONG_YUV420P: return throng::PixelFormat::yuv420p;
        default: throw Error(ErrorKind::usage, {"has no value %1", format}, "image.format");
    }
}

std::int32_t format_of(throng::PixelFormat format) {
    switch (format) {
        case throng::PixelFormat::gray8: return THRONG_GRAY8;
        case throng::PixelFormat::bgr24: return THRONG_BGR24;
        case throng::PixelFormat::nv12: return THRONG_NV12;
        case throng::PixelFormat::yuv420p: break;
    }
    return THRONG_YUV420P;
}

api::ImageView view_of(const throng_image* given) {
    const throng_image image = complete(given, throng_image_default(), "image");
    require(image.memory == THRONG_HOST || image.memory == THRONG_DEVICE, "image.memory", "must be HOST or DEVICE");
    api::ImageView view;
    view.format = format_of(image.format);
    view.width = image.width;
    view.height = image.height;
    view.memory = image.memory == THRONG_DEVICE ? throng::MemoryKind::device : throng::MemoryKind::host;
    for (int p = 0; p < throng::Frame::kMaxPlanes; ++p) {
        view.planes[p] = image.planes[p];
        view.pitch[p] = static_cast<std::ptrdiff_t>(image.pitch[p]);
    }
    return view;
}

throng_detection detection_of(const throng::DetectionSet& set, std::size_t at) {
    const throng::Detection& detection = set.detections[at];
    throng_detection result{};
    result.x = detection.box.x;
    result.y = detection.box.y;
    result.width = detection.box.w;
    result.height = detection.box.h;
    result.score = detection.score;
    result.hits = detection.hits;
    if (at < set.landmarks.size()) {
        result.num_landmarks = 5;
        std::copy_n(set.landmarks[at].xy, 10, result.landmarks);
    }
    return result;
}

void fill_frame(throng_stream& stream) {
    const throng::FrameResult& result = *stream.result;
    stream.detections.clear();
    for (std::size_t k = 0; k < result.kept.detections.size(); ++k) {
        stream.detections.push_back(detection_of(result.kept, k));
    }
    const throng::FrameInfo& info = result.frame.info();
    throng_frame& frame = stream.frame;
    frame = {};
    frame.size = sizeof frame;
    frame.index = info.index;
    frame.seconds = info.pts;
    frame.image = throng_image_default();
    frame.image.format = format_of(info.format);
    frame.image.width = info.width;
    frame.image.height = info.height;
    frame.image.memory = info.memory == throng::MemoryKind::device ? THRONG_DEVICE : THRONG_HOST;
    for (int p = 0; p < throng::plane_count(info.format); ++p) {
        frame.image.planes[p] = result.frame.plane(p).data;
        frame.image.pitch[p] = result.frame.plane(p).pitch;
    }
    frame.detections = stream.detections.data();
    frame.num_detections = static_cast<std::int64_t>(stream.detections.size());
    frame.overflow = result.overflow;
}

// Returns null at the end and after the time.
const throng_frame* next_frame(throng_stream& stream, std::int32_t timeout_ms) {
    std::optional<std::chrono::milliseconds> timeout;
    if (timeout_ms >= 0) timeout = std::chrono::milliseconds(timeout_ms);
    stream.result = stream.stream.next(timeout);
    if (!stream.result) return nullptr;
    fill_frame(stream);
    return &stream.frame;
}

}  // namespace

extern "C" {

throng_options throng_options_default(void) {
    throng_options options{};
    options.size = sizeof options;
    options.detector = "auto";
    options.score_threshold = std::nan("");
    options.theta = std::nan("");
    return options;
}

throng_image throng_image_default(void) {
    throng_image image{};
    image.size = sizeof image;
    return image;
}

throng_status throng_detector_create(throng_detector** detector, int32_t abi, const throng_options* options) {
    if (detector != nullptr) *detector = nullptr;
    return api::guarded(api::creation_error(), [&] {
        require(detector != nullptr, "detector", "is NULL");
        check_abi(abi);
        *detector = new throng_detector(options_of(options));
    });
}

void throng_detector_destroy(throng_detector* detector) {
    api::Handle::destroy(detector);
}

throng_status throng_detect(throng_detector* detector, const throng_image* image, throng_detection* detections,
                            int64_t capacity, int64_t* count) {
    if (detector == nullptr) return api::no_handle("detector");
    return detector->call([&] {
        require(capacity >= 0, "capacity", "is negative");
        require(detections != nullptr || capacity == 0, "detections", "is NULL");
        require(count != nullptr, "count", "is NULL");
        const auto result = detector->detector.detect(view_of(image));
        const std::size_t found = result->kept.detections.size();
        for (std::size_t k = 0; k < std::min(found, static_cast<std::size_t>(capacity)); ++k) {
            detections[k] = detection_of(result->kept, k);
        }
        *count = static_cast<std::int64_t>(found);
    });
}

const char* throng_detector_error(const throng_detector* detector) {
    return api::error_text(detector);
}

const char* throng_detector_backend(const throng_detector* detector) {
    return detector != nullptr ? detector->detector.backend_name().c_str() : "";
}

throng_status throng_stream_open(throng_stream** stream, int32_t abi, const char* source,
                                 const throng_options* options) {
    if (stream != nullptr) *stream = nullptr;
    return api::guarded(api::creation_error(), [&] {
        require(stream != nullptr, "stream", "is NULL");
        require(source != nullptr, "source", "is NULL");
        check_abi(abi);
        *stream = new throng_stream(source, options_of(options));
    });
}

void throng_stream_destroy(throng_stream* stream) {
    api::Handle::destroy(stream);
}

throng_status throng_stream_next(throng_stream* stream, int32_t timeout_ms, const throng_frame** frame,
                                 int32_t* ended) {
    if (frame != nullptr) *frame = nullptr;
    if (stream == nullptr) return api::no_handle("stream");
    return stream->call([&] {
        require(frame != nullptr, "frame", "is NULL");
        require(timeout_ms >= -1, "timeout_ms", "must be -1 or more");
        *frame = next_frame(*stream, timeout_ms);
        if (ended != nullptr) *ended = *frame == nullptr && stream->stream.has_ended() ? 1 : 0;
    });
}

const char* throng_stream_error(const throng_stream* stream) {
    return api::error_text(stream);
}

throng_status throng_run(int32_t abi, const char* source, const throng_options* options, throng_callback callback,
                         void* user) {
    return api::guarded(api::creation_error(), [&] {
        require(source != nullptr, "source", "is NULL");
        require(callback != nullptr, "callback", "is NULL");
        check_abi(abi);
        const std::unique_ptr<throng_stream, api::Handle::Destroy> stream(
            new throng_stream(source, options_of(options)));
        while (const throng_frame* frame = next_frame(*stream, -1)) {
            if (callback(frame, user) != 0) throw Error(ErrorKind::interrupted, "the callback asked to stop");
            if (const char* forked = stream->why_unusable()) throw Error(ErrorKind::usage, forked);
        }
    });
}

}  // extern "C"
