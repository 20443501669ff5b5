#include "ui/settings/requested_settings.h"

namespace throng::ui {

PipelineSettings requested_settings(PipelineSettings settings, const DisplaySettings& display,
                                    const PipelineNeeds& needs) {
    settings.keep_raw = display.raw() || needs.raw;
    if (needs.measures) settings.carry = false;
    if (needs.measures || needs.fixed_sizes) settings.keep_rate = 0;
    settings.host_pixels = needs.host_pixels;
    settings.hiding.reset();
    if (display.hides_always()) {  // also while faces are revealed for a moment
        settings.hiding = strict_hiding_params(needs.hides_by);
        settings.hiding->search->detector.threads = settings.detector.threads;
    } else if (display.blur() || needs.hidden_faces) {
        settings.hiding = hiding_params(settings.detector.kind);
    }
    return settings;
}

bool same_settings(const PipelineSettings& a, const PipelineSettings& b) {
    return a.detector == b.detector && a.nms == b.nms && a.min_confidence == b.min_confidence &&
           a.tracking == b.tracking && a.carry == b.carry && a.keep_rate == b.keep_rate && a.hiding == b.hiding &&
           a.keep_raw == b.keep_raw && a.host_pixels == b.host_pixels;
}

}  // namespace throng::ui
