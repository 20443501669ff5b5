#include "core/pipeline/pipeline_settings.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/value_text.h"
#include "core/detect/chosen_settings.h"
#include "core/detect/detector_kinds.h"

namespace throng {

PipelineSettings pipeline_settings(const DetectionParams& params) {
    PipelineSettings settings;
    settings.detector = params.detector;
    settings.nms = params.nms;
    settings.min_confidence = params.min_confidence;
    if (params.capacity > 0) settings.capacity = params.capacity;
    settings.capacity_limit = std::max(settings.capacity_limit, settings.capacity);
    return settings;
}

std::optional<DetectionParams> face_params(const PipelineSettings& settings) {
    const std::optional<DetectorId> kind = detector_kind(settings.detector.kind).faces;
    if (!kind) return std::nullopt;
    DetectionParams params = settings.faces ? *settings.faces : default_params(detector_kind(*kind));
    params.detector.threads = settings.detector.threads;
    params.detector.half = settings.detector.half;
    return params;
}

void clear_switches(PipelineSettings& settings) {
    settings.detector.switches.clear();
    if (settings.faces) settings.faces->detector.switches.clear();
}

void check_settings(const PipelineSettings& settings) {
    check_params(settings.detector);
    check_params(settings.nms);
    if (settings.tracking) check_params(*settings.tracking);
    if (!(settings.min_confidence >= 0 && settings.min_confidence <= 1)) {
        throw Error(ErrorKind::usage, find_setting("min_confidence")->problem(exact_text(settings.min_confidence)),
                    Setting{"min_confidence"});
    }
    if (!(settings.keep_rate >= 0)) throw Error(ErrorKind::usage, "must not be negative", Setting{"keep_rate"});
    if (settings.capacity < 1) throw Error(ErrorKind::usage, "must be at least 1", Setting{"capacity"});
    if (settings.capacity_limit < settings.capacity) {
        throw Error(ErrorKind::usage, {"exceeds the limit of %1", settings.capacity_limit}, Setting{"capacity"});
    }
}

}  // namespace throng
