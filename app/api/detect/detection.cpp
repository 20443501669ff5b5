#include "app/api/detect/detection.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "app/api/detect/media.h"
#include "app/api/handle.h"
#include "app/options/backend.h"
#include "core/algo/gray.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/model/model_finder.h"

namespace throng::api {
namespace {

[[maybe_unused]] const bool kSharesProcess = (share_process(), true);

CommonOptions common_options(const DetectionOptions& options) {
    CommonOptions common;
    common.backend = options.backend;
    common.device = options.device;
    return common;
}

void check_image(const ImageView& image, BackendKind backend) {
    require(image.width >= 1 && image.height >= 1, "image", "must have at least 1 x 1 pixels");
    require(std::int64_t{image.width} * image.height <= kMaxPixels, "image", "has more than 2^28 pixels");
    for (int p = 0; p < plane_count(image.format); ++p) {
        const std::string number = "[" + std::to_string(p) + "]";
        require(image.planes[p] != nullptr, "image.planes" + number, "is NULL");
        const int row = image.format == PixelFormat::bgr24
                            ? image.width * image.step
                            : plane_shape(image.format, image.width, image.height, p).width;
        require(image.pitch[p] >= row, "image.pitch" + number, "is smaller than a row of the plane");
    }
    if (image.memory != MemoryKind::device) return;
    require(backend == BackendKind::cuda, "image.memory", "is device memory, which only the CUDA backend reads");
    require(image.format != PixelFormat::bgr24, "image.format", "must be NV12 or gray in device memory");
}

Frame frame_of(const ImageView& image, FramePool& pool) {
    if (image.memory == MemoryKind::device) {
        FrameInfo info;
        info.width = image.width;
        info.height = image.height;
        info.format = image.format;
        info.range = image.range;
        info.matrix = image.matrix;
        info.memory = MemoryKind::device;
        info.index = image.index;
        info.pts = image.pts;
        info.damaged = image.damaged;
        PlaneView planes[Frame::kMaxPlanes];
        for (int p = 0; p < plane_count(image.format); ++p) {
            planes[p] = plane_shape(image.format, image.width, image.height, p);
            planes[p].data = static_cast<const std::uint8_t*>(image.planes[p]);
            planes[p].pitch = image.pitch[p];
        }
        return {info, planes, nullptr};
    }
    WritableFrame copy = pool.take(image.format, image.width, image.height);
    for (int p = 0; p < plane_count(image.format); ++p) {
        const PlaneView& plane = copy.plane(p);
        for (int row = 0; row < plane.height; ++row) {
            std::uint8_t* to = copy.data(p) + row * plane.pitch;
            const auto* from = static_cast<const std::uint8_t*>(image.planes[p]) + row * image.pitch[p];
            if (image.format != PixelFormat::bgr24 || (image.step == 3 && !image.red_first)) {
                std::memcpy(to, from, static_cast<std::size_t>(plane.width));
                continue;
            }
            const int blue = image.red_first ? 2 : 0;
            for (int x = 0; x < image.width; ++x, to += 3, from += image.step) {
                to[0] = from[blue];
                to[1] = from[1];
                to[2] = from[2 - blue];
            }
        }
    }
    copy.info().range = image.range;
    copy.info().matrix = image.matrix;
    copy.info().index = image.index;
    copy.info().pts = image.pts;
    copy.info().damaged = image.damaged;
    return std::move(copy).finish();
}

// Returns the gray image of a frame, which detectors see.
Frame gray_of(const Frame& frame, FramePool& pool) {
    const Frame host = frame.on_host();
    WritableFrame gray = pool.take(PixelFormat::gray8, host.width(), host.height());
    const PlaneView& from = host.plane(0);
    for (int y = 0; y < host.height(); ++y) {
        const std::uint8_t* row = from.data + y * from.pitch;
        std::uint8_t* to = gray.data(0) + y * gray.plane(0).pitch;
        if (host.has_luma()) {
            std::memcpy(to, row, static_cast<std::size_t>(host.width()));
            continue;
        }
        for (int x = 0; x < host.width(); ++x, row += 3) to[x] = gray_of_bgr(row[0], row[1], row[2]);
    }
    return std::move(gray).finish();
}

// Shares the memory of the image.
RedactImage redact_image(const ImageView& image) {
    RedactImage place{image.width, image.height, plane_count(image.format), {}};
    for (int p = 0; p < place.num_planes; ++p) {
        const PlaneView shape = plane_shape(image.format, image.width, image.height, p);
        RedactPlane& plane = place.planes[p];
        plane.data = static_cast<std::uint8_t*>(const_cast<void*>(image.planes[p]));
        plane.pitch = image.pitch[p];
        plane.channels = image.format == PixelFormat::bgr24 ? 3 : image.format == PixelFormat::nv12 && p == 1 ? 2 : 1;
        plane.step = image.format == PixelFormat::bgr24 ? image.step : plane.channels;
        plane.width = shape.width / plane.channels;
        plane.height = shape.height;
        plane.shift = p == 0 ? 0 : 1;
    }
    return place;
}

}  // namespace

PipelineSettings image_settings(const DetectionOptions& options) {
    PipelineSettings settings = pipeline_settings(options.chosen.params(detector_of(options.chosen)));
    check_settings(settings);
    return settings;
}

PipelineSettings stream_settings(const DetectionOptions& options) {
    PipelineSettings settings = image_settings(options);
    if (options.track || options.count) settings.tracking = tracker_params(settings.detector.kind);
    if (options.hide) {
        settings.hiding = hiding_params(settings.detector.kind);
        settings.hiding->redact.style = *options.hide;
    }
    return settings;
}

void hide_in(const ImageView& image, const RedactRegions& regions, const RedactOptions& options) {
    require(image.memory == MemoryKind::host, "image.memory", "must be host memory");
    check_image(image, BackendKind::cpu);
    redact(redact_image(image), regions, options);
}

ImageDetector::ImageDetector(const DetectionOptions& options, const PipelineSettings& settings)
    : options_(options), engine_(make_engine(common_options(options), settings)) {
    note_backend();
}

ImageDetector::ImageDetector(const ImageDetector& other)
    : options_(other.options_),
      engine_(other.engine_.backend()->kind() == BackendKind::cpu
                  ? Engine(other.engine_.backend(), other.engine_.settings())
                  : make_engine(common_options(options_), other.engine_.settings())) {
    engine_.prepare();
    note_backend();
}

void ImageDetector::note_backend() {
    backend_ = engine_.backend()->kind();
}

std::shared_ptr<const FrameResult> ImageDetector::detect(const ImageView& image) {
    check_image(image, backend_);
    DecodedFrame decoded;
    decoded.frame = frame_of(image, pool_);
    std::shared_ptr<const FrameResult> result = engine_.detect(std::move(decoded)).result;
    note_backend();
    if (!result) throw Error(ErrorKind::unavailable, engine_.notice(), "image", "pass images in host memory");
    return result;
}

bool ImageDetector::can_read(const void* device_address) {
    if (backend_ != BackendKind::cuda) return false;
    if (!device_) {
        SourceOptions source;
        set_device(source, options_.device, true);
        if (source.make_converter == nullptr) return false;
        device_ = source.make_converter(source.device);
    }
    return device_->can_read(device_address);
}

void ImageDetector::hide(const ImageView& image, const RedactRegions& regions, const RedactOptions& options) {
    if (image.memory == MemoryKind::host) return hide_in(image, regions, options);
    check_image(image, backend_);
    if (!redactor_) redactor_ = make_device_redactor(options_.device);
    redactor_->redact(redact_image(image), regions, options);
}

void ResultQueue::write(const FrameResult& result) {
    static_cast<void>(results_.push(std::make_shared<FrameResult>(result), abandoned_.get_token()));
}

void ResultQueue::close() {
    results_.close();
}

std::shared_ptr<const FrameResult> ResultQueue::pop(std::optional<std::chrono::milliseconds> timeout,
                                                    const std::stop_token& stop) {
    std::shared_ptr<const FrameResult> result;
    const std::chrono::duration<double> limit = timeout ? std::chrono::duration<double>(*timeout) : kNoTimeLimit;
    ended_ = results_.pop(result, stop, limit) == PopStatus::closed;
    return result;
}

void ResultQueue::abandon() {
    abandoned_.request_stop();
    results_.clear();
}

SourceStream::SourceStream(const std::string& source, const DetectionOptions& options)
    : source_(source),
      pixels_(options.pixels),
      hide_(options.hide),
      on_stop_(options.stop, [this] { stop(); }),
      results_(std::make_shared<ResultQueue>()) {
    PipelineSettings settings = stream_settings(options);
    const CommonOptions common = common_options(options);
    std::shared_ptr<Backend> backend = make_backend(common, &settings.detector).backend;
    PipelineOptions pipeline_options;
    pipeline_options.fallback = make_fallback(common, settings.detector, backend.get());
    SourceOptions source_options;
    set_device(source_options, options.device, backend->kind() != BackendKind::cpu);
    std::unique_ptr<VideoSource> opened = media_module().open_source(source, source_options, options.stop);
    if (settings.hiding && !opened->info().live) settings.hiding->plan.delay = kFileDelay;
    pipeline_ = std::make_unique<Pipeline>(std::move(opened), std::move(backend), settings, pipeline_options);
    pipeline_->add_sink(results_);
    pipeline_->start();
    if (pipeline_->wait_ready()) return;
    if (const std::optional<Error> failure = pipeline_->failure()) throw Error(*failure);
}

SourceStream::~SourceStream() {
    results_->abandon();
    pipeline_->stop();
}

std::shared_ptr<const FrameResult> SourceStream::next(std::optional<std::chrono::milliseconds> timeout) {
    std::shared_ptr<const FrameResult> result = results_->pop(timeout, stopped_.get_token());
    if (stopped_.stop_requested()) throw Error(ErrorKind::interrupted, "stopped", source_);
    if (result || !results_->has_ended()) return result;
    pipeline_->wait();
    if (const std::optional<Error> failure = pipeline_->failure()) throw Error(*failure);
    if (const std::string missing = pipeline_->incomplete(); !missing.empty()) {
        throw Error(ErrorKind::input, "incomplete: " + missing, source_);
    }
    return nullptr;
}

Frame SourceStream::image(const FrameResult& result) {
    Frame frame = result.frame;
    if (hide_) frame = redacted(frame, regions_to_hide(result), result.redact, pool_);
    if (pixels_ == Pixels::decoded) return frame;
    if (pixels_ == Pixels::gray) return frame.info().format == PixelFormat::gray8 ? frame : gray_of(frame, pool_);
    if (!bgr_copy_) bgr_copy_ = media_module().make_bgr_copy();
    WritableFrame copy = bgr_copy_(frame, pool_);
    if (pixels_ == Pixels::rgb) {
        for (int y = 0; y < frame.height(); ++y) {
            std::uint8_t* pixel = copy.data(0) + y * copy.plane(0).pitch;
            for (int x = 0; x < frame.width(); ++x, pixel += 3) std::swap(pixel[0], pixel[2]);
        }
    }
    return std::move(copy).finish();
}

}  // namespace throng::api
