#include "core/sinks/annotator.h"

#include <utility>

namespace throng {

Annotator::Annotator(const AnnotatedOptions& options) : tracks_(options.tracks), blur_(options.blur) {
    style_.raw = options.raw;
    style_.kept = !options.tracks;
    style_.screen = options.screen;
}

Frame Annotator::draw(const FrameResult& result) {
    WritableFrame image = converter_.bgr_copy(result.frame, pool_);
    if (blur_) redact(redact_image(image), regions_to_hide(result), result.redact);
    for_each_class(result, [&](const FrameResult& each) {
        annotate(image, each.kept.detections, each.raw.detections, style_);
        if (!blur_) draw_landmarks(image, each.kept);
        if (tracks_) draw_tracks(image, each.tracks);
    });
    return std::move(image).finish();
}

}  // namespace throng
