#include "core/pipeline/pipeline_settings.h"

#include "core/base/error.h"

namespace throng {

void check_settings(const PipelineSettings& settings) {
    check_params(settings.detector);
    check_params(settings.nms);
    if (settings.tracking) check_params(*settings.tracking);
    if (!(settings.quality_rate >= 0)) throw Error(ErrorKind::usage, "must not be negative", Setting{"quality_rate"});
    if (settings.capacity < 1) throw Error(ErrorKind::usage, "must be at least 1", Setting{"capacity"});
    if (settings.capacity_limit < settings.capacity) {
        throw Error(ErrorKind::usage, {"exceeds the limit of %1", settings.capacity_limit}, Setting{"capacity"});
    }
}

}  // namespace throng
