#include "app/api/throng.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/api/detect/counts.h"
#include "app/api/detect/detection.h"
#include "app/api/detect/media.h"
#include "app/api/detect/option_rows.h"
#include "app/api/structs.h"
#include "core/base/log.h"
#include "core/base/value_text.h"
#include "core/detect/detector_kinds.h"

using throng::Error;
using throng::ErrorKind;
using throng::Setting;
using throng::api::require;
namespace api = throng::api;

namespace {

std::int32_t class_of(const throng::FrameResult& result) {
    return result.detector->object == "person" ? THRONG_CLASS_PERSON : THRONG_CLASS_FACE;
}

}  // namespace

struct throng_detector : api::Handle {
    // options: api::DetectionOptions, or an api::ImageDetector to be copied.
    template <class Options>
    explicit throng_detector(const Options& options) : detector(options) {
        set_survives_fork(detector.backend() == throng::BackendKind::cpu);
        set_takes_turns();
    }
    api::ImageDetector detector;
};

struct throng_stop {
    std::stop_source source;
};

struct throng_stream : api::Handle {
    throng_stream(const char* source, const api::DetectionOptions& options) : pixels(options.pixels) {
        if (options.count) counts.emplace(*options.count, options.stop);
        stream.emplace(source, options);
    }
    std::optional<api::StreamCounts> counts;
    std::optional<api::SourceStream> stream;
    std::shared_ptr<const throng::FrameResult> result;  // of `frame`
    const api::Pixels pixels;
    throng::Frame delivered;  // that of `result`, with the pixels that the user gets
    std::vector<throng_detection> detections;
    throng_image image{};
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

// In the order of throng_severity.
constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                                 spdlog::level::err};

void check_abi(std::int32_t abi) {
    if (abi == THRONG_ABI) return;
    throw Error(ErrorKind::usage, "is " + std::to_string(abi) + ", but the library has " + std::to_string(THRONG_ABI),
                "abi", "compile with the header of the installed library");
}

// None: nothing is hidden.
std::optional<throng::RedactStyle> style_of(std::int32_t hide, const char* field) {
    switch (hide) {
        case THRONG_HIDE_NOTHING: return std::nullopt;
        case THRONG_HIDE_BLUR: return throng::RedactStyle::blur;
        case THRONG_HIDE_MOSAIC: return throng::RedactStyle::mosaic;
        case THRONG_HIDE_SOLID: return throng::RedactStyle::solid;
        default: throw Error(ErrorKind::usage, {"has no value %1", hide}, field);
    }
}

api::DetectionOptions options_of(const throng_options* given) {
    const throng_options options = api::read_struct(given, throng_options_default(), "options");
    require(options.backend >= THRONG_BACKEND_AUTO && options.backend <= THRONG_BACKEND_CUDA, Setting{"backend"},
            "must be AUTO, CPU or CUDA");
    require(options.detector != nullptr, Setting{"detector"}, "is NULL");
    require(options.device >= 0, Setting{"device"}, "is negative");
    api::DetectionOptions result;
    static_assert(int{THRONG_BACKEND_CPU} == static_cast<int>(throng::BackendKind::cpu) &&
                  int{THRONG_BACKEND_CUDA} == static_cast<int>(throng::BackendKind::cuda));
    result.backend = static_cast<throng::BackendKind>(options.backend);
    result.device = options.device;
    require(options.track == 0 || options.track == 1, "options.track", "must be 0 or 1");
    result.track = options.track == 1;
    if (options.count != nullptr) result.count = options.count;
    result.hide = style_of(options.hide, "options.hide");
    require(options.pixels >= THRONG_PIXELS_DECODED && options.pixels <= THRONG_PIXELS_RGB, "options.pixels",
            "must be DECODED, GRAY, BGR or RGB");
    result.pixels = static_cast<api::Pixels>(options.pixels);
    if (options.stop != nullptr) result.stop = options.stop->source.get_token();
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
        case THRONG_BGR24:
        case THRONG_RGB24:
        case THRONG_BGRA32:
        case THRONG_RGBA32: return throng::PixelFormat::bgr24;
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

throng::ColorRange range_of(std::int32_t range) {
    require(range == THRONG_RANGE_LIMITED || range == THRONG_RANGE_FULL, "image.range", "must be LIMITED or FULL");
    return range == THRONG_RANGE_FULL ? throng::ColorRange::full : throng::ColorRange::limited;
}

// In the order of throng_color_matrix.
constexpr throng::ColorMatrix kMatrices[] = {throng::ColorMatrix::bt709, throng::ColorMatrix::bt601,
                                             throng::ColorMatrix::bt2020};

throng::ColorMatrix matrix_of(std::int32_t matrix) {
    require(matrix >= THRONG_BT709 && matrix <= THRONG_BT2020, "image.matrix", "must be BT709, BT601 or BT2020");
    return kMatrices[matrix];
}

api::ImageView view_of(const throng_image* given) {
    const throng_image image = api::read_struct(given, throng_image_default(), "image");
    require(image.reserved == 0, "image.reserved", "must be 0");
    require(image.memory == THRONG_HOST || image.memory == THRONG_DEVICE, "image.memory", "must be HOST or DEVICE");
    api::ImageView view;
    view.format = format_of(image.format);
    view.step = image.format == THRONG_BGRA32 || image.format == THRONG_RGBA32 ? 4 : 3;
    view.red_first = image.format == THRONG_RGB24 || image.format == THRONG_RGBA32;
    view.width = image.width;
    view.height = image.height;
    view.range = range_of(image.range);
    view.matrix = matrix_of(image.matrix);
    view.memory = image.memory == THRONG_DEVICE ? throng::MemoryKind::device : throng::MemoryKind::host;
    for (int p = 0; p < throng::Frame::kMaxPlanes; ++p) {
        view.planes[p] = image.planes[p];
        view.pitch[p] = static_cast<std::ptrdiff_t>(image.pitch[p]);
    }
    return view;
}

throng_detection detection_of(const throng::FrameResult& from, std::size_t at) {
    const throng::DetectionSet& set = from.kept;
    const throng::Detection& detection = set.detections[at];
    throng_detection result{};
    result.x = detection.box.x;
    result.y = detection.box.y;
    result.width = detection.box.w;
    result.height = detection.box.h;
    result.score = detection.score;
    result.hits = detection.hits;
    result.class_id = class_of(from);
    result.confidence = detection.confidence;
    result.track = -1;
    result.person = -1;
    if (at < set.landmarks.size()) {
        result.num_landmarks = 5;
        std::copy_n(set.landmarks[at].xy, 10, result.landmarks);
    }
    return result;
}

// Writes into an array whose elements have another size if the caller's header is older or newer.
void store(throng_detection* array, std::size_t size_of_one, std::size_t at, const throng_detection& detection) {
    auto* to = reinterpret_cast<char*>(array) + at * size_of_one;
    const std::size_t known = std::min(size_of_one, sizeof detection);
    std::memcpy(to, &detection, known);
    std::memset(to + known, 0, size_of_one - known);
}

void require_size_of_one(std::size_t size_of_one) {
    require(size_of_one >= offsetof(throng_detection, class_id) && size_of_one % alignof(throng_detection) == 0 &&
                size_of_one <= api::kMaxStructSize,
            "size_of_one", "must be sizeof(throng_detection)");
}

// Returns the detections of both classes: those of the people first.
std::vector<throng_detection> detections_of(const throng::FrameResult& result) {
    std::vector<throng_detection> detections;
    throng::for_each_class(result, [&](const throng::FrameResult& of_class) {
        const std::size_t first = detections.size();
        for (std::size_t k = 0; k < of_class.kept.detections.size(); ++k) {
            detections.push_back(detection_of(of_class, k));
        }
        for (const throng::Track& track : of_class.tracks) {
            if (track.detection >= 0) detections[first + static_cast<std::size_t>(track.detection)].track = track.id;
        }
    });
    const std::vector<std::int32_t> person_of = throng::people_of_faces(result);
    for (std::size_t i = 0; i < person_of.size(); ++i) {
        if (person_of[i] < 0) continue;
        const std::size_t face = result.kept.detections.size() + i;
        detections[face].partner = person_of[i] + 1;
        detections[static_cast<std::size_t>(person_of[i])].partner = static_cast<std::int32_t>(face) + 1;
    }
    return detections;
}

void fill_frame(throng_stream& stream) {
    const throng::FrameResult& result = *stream.result;
    if (stream.counts) stream.counts->add(result);  // also a frame whose image fails
    stream.delivered = stream.stream->image(result);
    stream.detections = detections_of(result);
    const throng::FrameInfo& info = stream.delivered.info();
    throng_frame& frame = stream.frame;
    frame = {};
    frame.size = sizeof frame;
    frame.size_of_detection = sizeof(throng_detection);
    frame.index = result.frame.info().index;
    frame.seconds = result.frame.info().pts;
    throng_image& image = stream.image;
    image = throng_image_default();
    image.format = stream.pixels == api::Pixels::rgb ? THRONG_RGB24 : format_of(info.format);
    image.width = info.width;
    image.height = info.height;
    image.range = info.range == throng::ColorRange::full ? THRONG_RANGE_FULL : THRONG_RANGE_LIMITED;
    image.matrix = static_cast<std::int32_t>(std::find(kMatrices, kMatrices + 2, info.matrix) - kMatrices);
    image.memory = info.memory == throng::MemoryKind::device ? THRONG_DEVICE : THRONG_HOST;
    for (int p = 0; p < throng::plane_count(info.format); ++p) {
        image.planes[p] = stream.delivered.plane(p).data;
        image.pitch[p] = stream.delivered.plane(p).pitch;
    }
    frame.image = &image;
    frame.detections = stream.detections.data();
    frame.num_detections = static_cast<std::int64_t>(stream.detections.size());
    const throng::RawCounts raw = throng::raw_counts(result);
    frame.num_raw = raw.found;
    frame.overflow = raw.dropped;
    frame.damaged = result.frame.info().damaged ? 1 : 0;
    if (stream.counts) frame.counts = &stream.counts->counts();
}

// Returns null at the end and after the time.
const throng_frame* next_frame(throng_stream& stream, std::int32_t timeout_ms) {
    std::optional<std::chrono::milliseconds> timeout;
    if (timeout_ms >= 0) timeout = std::chrono::milliseconds(timeout_ms);
    const auto finish = [&] {
        if (stream.counts && stream.stream->has_ended()) stream.counts->finish();
    };
    try {
        stream.result = stream.stream->next(timeout);
    } catch (...) {  // also the end of a damaged file
        finish();
        throw;
    }
    if (!stream.result) {
        finish();
        return nullptr;
    }
    fill_frame(stream);
    return &stream.frame;
}

}  // namespace

extern "C" {

const char* throng_version(void) {
    return THRONG_VERSION;
}

throng_status throng_set_log(throng_log log, void* user, int32_t severity) {
    return api::guarded(api::creation_error(), [&] {
        require(severity >= THRONG_SEVERITY_DEBUG && severity <= THRONG_SEVERITY_ERROR, "severity",
                "must be DEBUG, INFO, WARNING or ERROR");
        if (log == nullptr) return throng::write_log_to(nullptr, spdlog::level::off);
        const auto write = [log, user](spdlog::level::level_enum level, std::string_view text) {
            std::int32_t number = THRONG_SEVERITY_DEBUG;
            while (number < THRONG_SEVERITY_ERROR && kLevels[number] < level) ++number;
            log(number, std::string(text).c_str(), user);
        };
        throng::write_log_to(write, kLevels[severity]);
    });
}

void throng_ffmpeg_log(void* object, int level, const char* format, va_list arguments) {
    // FFmpeg calls this function, which cannot report an error.
    static_cast<void>(
        api::guarded(api::creation_error(), [&] { api::media_module().log_line(object, level, format, arguments); }));
}

void throng_options_init(throng_options* options, size_t size) {
    throng_options defaults{};
    defaults.detector = "auto";
    defaults.score_threshold = std::nan("");
    defaults.theta = std::nan("");
    api::init_struct(options, size, defaults);
}

void throng_image_init(throng_image* image, size_t size) {
    api::init_struct(image, size, throng_image{});
}

throng_status throng_detector_create(throng_detector** detector, int32_t abi, const throng_options* options) {
    if (detector != nullptr) *detector = nullptr;
    return api::guarded(api::creation_error(), [&] {
        require(detector != nullptr, "detector", "is NULL");
        check_abi(abi);
        *detector = new throng_detector(options_of(options));
    });
}

throng_status throng_detector_clone(throng_detector** clone, throng_detector* detector) {
    if (clone != nullptr) *clone = nullptr;
    if (const throng_status status = api::check_handle(detector, "detector"); status != THRONG_OK) return status;
    return detector->call([&] {
        require(clone != nullptr, "clone", "is NULL");
        *clone = new throng_detector(detector->detector);
    });
}

void throng_detector_destroy(throng_detector* detector) {
    api::Handle::destroy(detector);
}

throng_status throng_detect(throng_detector* detector, const throng_image* image, throng_detection* detections,
                            size_t size_of_one, int64_t capacity, int64_t* count) {
    if (const throng_status status = api::check_handle(detector, "detector"); status != THRONG_OK) return status;
    return detector->call([&] {
        require(capacity >= 0, "capacity", "is negative");
        require(detections != nullptr || capacity == 0, "detections", "is NULL");
        require_size_of_one(size_of_one);
        require(count != nullptr, "count", "is NULL");
        const std::vector<throng_detection> found = detections_of(*detector->detector.detect(view_of(image)));
        for (std::size_t k = 0; k < std::min(found.size(), static_cast<std::size_t>(capacity)); ++k) {
            store(detections, size_of_one, k, found[k]);
        }
        *count = static_cast<std::int64_t>(found.size());
    });
}

throng_status throng_hide(const throng_image* image, const throng_detection* detections, size_t size_of_one,
                          int64_t count, int32_t hide, double margin) {
    return api::guarded(api::creation_error(), [&] {
        require(count >= 0, "count", "is negative");
        require(detections != nullptr || count == 0, "detections", "is NULL");
        require_size_of_one(size_of_one);
        const std::optional<throng::RedactStyle> style = style_of(hide, "hide");
        require(style.has_value(), "hide", "must be BLUR, MOSAIC or SOLID");
        throng::RedactOptions options;
        options.style = *style;
        require(std::isnan(margin) || (margin >= 0 && margin <= 10), "margin", "must lie in [0, 10]");
        if (!std::isnan(margin)) options.margin = static_cast<float>(margin);
        throng::RedactRegions regions;
        for (std::int64_t k = 0; k < count; ++k) {
            throng_detection face{};
            std::memcpy(&face, reinterpret_cast<const char*>(detections) + static_cast<std::size_t>(k) * size_of_one,
                        std::min(size_of_one, sizeof face));
            regions.boxes.push_back({face.x, face.y, face.width, face.height});
        }
        api::hide_in(view_of(image), regions, options);
    });
}

const throng_option* throng_options_next(const char* detector, const throng_option* previous) {
    const throng_option* option = previous != nullptr ? previous + 1 : nullptr;
    const throng_status status = api::guarded(api::creation_error(), [&] {
        if (previous == nullptr) option = api::options_of_detector(detector);
    });
    return status == THRONG_OK && option->name != nullptr ? option : nullptr;
}

const char* throng_detector_error(const throng_detector* detector) {
    return api::error_text(detector);
}

const char* throng_detector_backend(const throng_detector* detector) {
    return detector != nullptr && !api::DestroyedHandles::has(detector)
               ? name_of(throng::kBackendNames, detector->detector.backend()).data()
               : "";
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

throng_stop* throng_stop_create(void) {
    try {
        return new throng_stop;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void throng_stop_request(throng_stop* stop) {
    if (stop != nullptr) stop->source.request_stop();
}

void throng_stop_destroy(throng_stop* stop) {
    delete stop;
}

void throng_stream_stop(throng_stream* stream) {
    if (stream == nullptr || api::DestroyedHandles::has(stream) || stream->why_unusable() != nullptr) return;
    stream->stream->stop();
}

void throng_stream_destroy(throng_stream* stream) {
    api::Handle::destroy(stream);
}

throng_status throng_stream_next(throng_stream* stream, int32_t timeout_ms, const throng_frame** frame,
                                 int32_t* ended) {
    if (frame != nullptr) *frame = nullptr;
    if (const throng_status status = api::check_handle(stream, "stream"); status != THRONG_OK) return status;
    return stream->call([&] {
        require(frame != nullptr, "frame", "is NULL");
        require(timeout_ms >= -1, "timeout_ms", "must be -1 or more");
        *frame = next_frame(*stream, timeout_ms);
        if (ended != nullptr) *ended = *frame == nullptr && stream->stream->has_ended() ? 1 : 0;
    });
}

const throng_counts* throng_stream_counts(const throng_stream* stream) {
    return stream != nullptr && !api::DestroyedHandles::has(stream) && stream->counts ? &stream->counts->counts()
                                                                                      : nullptr;
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
