#include "ui/session/default_detector.h"

#include "ui/language/language.h"
#include "ui/session/shortcut_model.h"

namespace throng::ui {
namespace {

constexpr int kDecisionMs = 6000;  // for a message of two sentences

}  // namespace

void DefaultDetector::on_result(const RunFrame& frame) {
    if (frame.result->carried) return;
    // A comparison, a recording and a sweep need the same detector throughout, or slow it down.
    const bool busy = frame.needs.measures || frame.needs.same_detector;
    if (trial_.due()) {
        if (detection_.detector_chosen()) trial_.end();
        if (busy || !trial_.due() || !detection_.has_network()) return;
        trial_.start();
        before_ = detection_.values();
        detection_.try_network();
        tried_ = detection_.values();
        return;
    }
    if (!trial_.measuring()) return;
    const PipelineSettings& now = detection_.values();
    if (now.detector != tried_.detector || now.nms != tried_.nms || now.min_confidence != tried_.min_confidence) {
        return trial_.end();  // the user has changed them, or the network cannot run
    }
    if (busy) trial_.restart();
    if (busy || !frame.settled) return;
    const std::optional<double> ms = trial_.add(*frame.result);
    if (!ms) return;
    trial_.end();
    decide(*ms);
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
