#include "ui/session/default_detector.h"

#include "ui/language/language.h"
#include "ui/session/shortcut_model.h"

namespace throng::ui {
namespace {

constexpr int kDecisionMs = 6000;  // for a message of two sentences

}  // namespace

bool DefaultDetector::add(const FrameResult& result, bool busy, bool settled) {
    if (trial_.due()) {
        if (detection_.detector_chosen()) trial_.end();
        if (busy || !trial_.due() || !detection_.has_network()) return false;
        trial_.start();
        before_ = detection_.values();
        detection_.try_network();
        tried_ = detection_.values();
        return false;
    }
    if (!trial_.measuring()) return false;
    const PipelineSettings& now = detection_.values();
    if (now.detector != tried_.detector || now.nms != tried_.nms || now.min_confidence != tried_.min_confidence) {
        trial_.end();  // the user has changed them, or the network cannot run
        return true;
    }
    if (busy) trial_.restart();
    if (busy || !settled) return false;
    const std::optional<double> ms = trial_.add(result);
    if (!ms) return false;
    trial_.end();
    decide(*ms);
    return true;
}

void DefaultDetector::decide(double ms) {
    const QString tried = detection_.title();
    const QString time = fixed(ms, ms < 9.95 ? 1 : 0);
    const QString key = shortcut_keys(QStringLiteral("detector"));
    if (least_rate_ <= 0 || ms * least_rate_ <= 1000) {
        detection_.make_default();
        feedback_.mention(tr("%1: %2 ms per frame; using it. Key %3 changes it").arg(tried, time, key), kDecisionMs);
    } else {
        detection_.set_values(before_);
        feedback_.mention(tr("%1: %2 ms per frame, too slow here; using %3. Key %4 changes it")
                              .arg(tried, time, detection_.title(), key),
                          kDecisionMs);
    }
}

}  // namespace throng::ui
