#include "app/api/detect/detection.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "app/api/handle.h"
#include "app/options/backend.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/model/model_finder.h"

namespace throng::api {
namespace {

// Warnings of the library go to standard error, never to the caller's standard output.
void initialize_log_once() {
    static std::once_flag once;
    std::call_once(once, [] {
        const char* level = std::getenv("THRONG_LOG");
        initialize_log(level != nullptr ? level : "warn");
    });
}

PipelineSettings settings_of(const DetectionOptions& options) {
    initialize_log_once();
    PipelineSettings settings = pipeline_settings(options.chosen.params(detector_of(options.chosen)));
    check_settings(settings);
    return settings;
}

CommonOptions common_options(const DetectionOptions& options) {
    CommonOptions common;
    common.backend = options.backend;
    common.device = options.device;
    return common;
}

void check_image(const ImageView& image, const std::string& backend) {
    require(image.width >= 1 && image.height >= 1, "image", "must have at least 1 x 1 pixels");
    require(std::int64_t{image.width} * image.height <= kMaxPixels, "image", "has more than 2^28 pixels");
    for (int p = 0; p < plane_count(image.format); ++p) {
        const std::string number = "[" + std::to_string(p) + "]";
        require(image.planes[p] != nullptr, "image.planes" + number, "is NULL");
        require(image.pitch[p] >= plane_shape(image.format, image.width, image.height, p).width, "image.pitch" + number,
                "is smaller than a row of the plane");
    }
    if (image.memory != MemoryKind::device) return;
    require(backend == "cuda", "image.memory", "is device memory, which only the CUDA backend reads");
    require(image.format != PixelFormat::bgr24, "image.format", "must be NV12 or gray in device memory");
}

Frame frame_of(const ImageView& image, FramePool& pool) {
    if (image.memory == MemoryKind::device) {
        FrameInfo info;
        info.width = image.width;
        info.height = image.height;
        info.format = image.format;
        info.memory = MemoryKind::device;
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
            std::memcpy(copy.data(p) + row * plane.pitch,
                        static_cast<const std::uint8_t*>(image.planes[p]) + row * image.pitch[p],
                        static_cast<std::size_t>(plane.width));
        }
    }
    return std::move(copy).finish();
}

}  // namespace

ImageDetector::ImageDetector(const DetectionOptions& options)
    : engine_(make_engine(common_options(options), settings_of(options))), backend_name_(engine_.backend()->name()) {}

std::shared_ptr<const FrameResult> ImageDetector::detect(const ImageView& image) {
    check_image(image, backend_name_);
    DecodedFrame decoded;
    decoded.frame = frame_of(image, pool_);
    std::shared_ptr<const FrameResult> result = engine_.detect(std::move(decoded)).result;
    backend_name_ = engine_.backend()->name();
    if (!result) throw Error(ErrorKind::unavailable, engine_.notice(), "image", "pass images in host memory");
    return result;
}

void ResultQueue::write(const FrameResult& result) {
    static_cast<void>(results_.push(std::make_shared<FrameResult>(result), abandoned_.get_token()));
}

void ResultQueue::close() {
    results_.close();
}

std::shared_ptr<const FrameResult> ResultQueue::pop(std::optional<std::chrono::milliseconds> timeout) {
    std::shared_ptr<const FrameResult> result;
    const std::chrono::duration<double> limit = timeout ? std::chrono::duration<double>(*timeout) : kNoTimeLimit;
    ended_ = results_.pop(result, {}, limit) == PopStatus::closed;
    return result;
}

void ResultQueue::abandon() {
    abandoned_.request_stop();
    results_.clear();
}

SourceStream::SourceStream(const std::string& source, const DetectionOptions& options)
    : source_(source), results_(std::make_shared<ResultQueue>()) {
    const PipelineSettings settings = settings_of(options);
    const CommonOptions common = common_options(options);
    std::shared_ptr<Backend> backend = make_backend(common, &settings.detector).backend;
    PipelineOptions pipeline_options;
    pipeline_options.fallback = make_fallback(common, settings.detector, backend.get());
    SourceOptions source_options;
    source_options.device = options.device;
    source_options.prefer_device_frames = backend->name() != "cpu";
    pipeline_ =
        std::make_unique<Pipeline>(open_source(source, source_options), std::move(backend), settings, pipeline_options);
    pipeline_->add_sink(results_);
    pipeline_->start();
}

SourceStream::~SourceStream() {
    results_->abandon();
    pipeline_->stop();
}

std::shared_ptr<const FrameResult> SourceStream::next(std::optional<std::chrono::milliseconds> timeout) {
    std::shared_ptr<const FrameResult> result = results_->pop(timeout);
    if (result || !results_->has_ended()) return result;
    pipeline_->wait();
    if (const std::optional<Error> failure = pipeline_->failure()) throw Error(*failure);
    if (const std::string missing = pipeline_->incomplete(); !missing.empty()) {
        throw Error(ErrorKind::input, "incomplete: " + missing, source_);
    }
    return nullptr;
}

}  // namespace throng::api
