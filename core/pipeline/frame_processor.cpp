#include "core/pipeline/frame_processor.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// The same count with room for no box: downloads the numbers alone.
DetectionBuffer count_of(const DetectionBuffer& buffer) {
    DetectionSpan span = buffer.span();
    span.capacity = 0;
    return DetectionBuffer(buffer.memory(), span, nullptr);
}

}  // namespace

void check_settings(const PipelineSettings& settings) {
    check_params(settings.detector);
    check_params(settings.nms);
    if (settings.capacity < 1) throw Error(ErrorKind::usage, "must be at least 1", "--dmax");
    if (settings.capacity_limit < settings.capacity) {
        throw Error(ErrorKind::usage, "is larger than the limit of " + std::to_string(settings.capacity_limit),
                    "--dmax");
    }
}

FrameProcessor::FrameProcessor(std::shared_ptr<Backend> backend, const PipelineSettings& settings)
    : backend_(std::move(backend)),
      settings_(settings),
      detector_(backend_->make_detector(settings.detector)),
      nms_(backend_->make_nms()),
      recorder_(backend_->make_recorder()) {
    set_capacity(settings.capacity);
}

void FrameProcessor::apply(const PipelineSettings& settings) {
    if (settings.capacity != settings_.capacity) set_capacity(settings.capacity);
    const bool same_model =
        settings.detector.kind == settings_.detector.kind && settings.detector.model == settings_.detector.model;
    if (!same_model) {
        detector_ = backend_->make_detector(settings.detector);
    } else if (settings.detector != settings_.detector) {
        detector_->configure(settings.detector);
    }
    settings_ = settings;
}

void FrameProcessor::set_capacity(std::int32_t capacity) {
    // Both exist before the former ones go, so that a failure leaves a working pair.
    DetectionBuffer raw = backend_->make_buffer(capacity);
    DetectionBuffer kept = backend_->make_buffer(capacity);
    raw_ = std::move(raw);
    kept_ = std::move(kept);
}

bool FrameProcessor::grow(std::uint32_t wanted) {
    const auto limit = static_cast<std::int64_t>(settings_.capacity_limit);
    // A quarter more than wanted, so that a crowd that thickens slowly does not grow the buffers at every frame.
    const std::int64_t larger = std::min(limit, std::int64_t{wanted} + wanted / 4);
    if (larger <= raw_.capacity()) return false;
    try {
        set_capacity(static_cast<std::int32_t>(larger));
        return true;
    } catch (const std::bad_alloc&) {
        spdlog::warn("no memory for {} detections a frame; going on with {}", larger, raw_.capacity());
    }
    settings_.capacity_limit = raw_.capacity();
    return false;
}

void FrameProcessor::download(FrameResult& result) {
    const ScopedStage stage(*recorder_, stage::kDownload);
    backend_->download(kept_, result.kept);
    if (settings_.keep_raw) {
        backend_->download(raw_, result.raw);
    } else {
        backend_->download(count_of(raw_), result.raw);
    }
}

FrameProcessor::Outcome FrameProcessor::run(const DecodedFrame& decoded, bool lossless) {
    auto result = std::make_shared<FrameResult>();
    result->frame = decoded.frame;
    result->source = decoded.source;

    bool overflowed = false;
    for (;;) {
        const Clock::time_point start = Clock::now();
        recorder_->add(stage::kDecode, decoded.decode_ms);
        detector_->enqueue(decoded.frame, raw_, *recorder_);
        nms_->enqueue(raw_, kept_, settings_.nms, *recorder_);
        download(*result);
        recorder_->add(stage::kTotal, milliseconds_since(start));
        result->timings = recorder_->end_frame();

        const auto room = static_cast<std::uint32_t>(raw_.capacity());
        result->raw_count = result->raw.wanted;
        result->overflow = result->raw_count > room ? result->raw_count - room : 0;
        if (result->overflow == 0) break;
        overflowed = true;
        if (!grow(result->raw_count) || !lossless) break;
    }
    result->latency_ms = milliseconds_since(decoded.frame.info().captured);
    return {std::move(result), overflowed};
}

}  // namespace throng
