#include "ui/session/feedback.h"

#include <utility>

#include "ui/language/language.h"
#include "ui/models/stage_model.h"

namespace throng::ui {
namespace {

constexpr int kAwaitedMs = 15000;  // a model may take seconds to load
constexpr int kMaxInFlight = 3;    // frames

}  // namespace

Feedback::Feedback(QObject* parent) : QObject(parent) {
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &Feedback::end);
}

void Feedback::say(const QString& text, int shown_ms) {
    results_left_ = 0;
    set(text);
    timer_.start(shown_ms);
}

void Feedback::say_with_result(const QString& text) {
    title_ = text;
    results_left_ = kMaxInFlight + 1;
    set(text);
    timer_.start(kAwaitedMs);
}

void Feedback::add(const FrameResult& result) {
    if (results_left_ == 0) return;
    --results_left_;
    const double ms = stage_ms(result.timings, stage::kTotal).value_or(0);
    const QString count = QString::number(result.kept.detections.size());
    set(ms > 0 ? tr("%1: %2 found, %3 ms").arg(title_, count, fixed(ms, ms < 9.95 ? 1 : 0))
               : tr("%1: %2 found").arg(title_, count));
    timer_.start(kShownMs);
}

void Feedback::mention(const QString& text, int shown_ms) {
    mentioned_ = text;
    mentioned_ms_ = shown_ms;
    if (text_.isEmpty()) end();
}

void Feedback::end() {
    results_left_ = 0;
    timer_.stop();
    if (const QString next = std::exchange(mentioned_, {}); !next.isEmpty()) return say(next, mentioned_ms_);
    set({});
}

void Feedback::clear() {
    mentioned_.clear();
    end();
}

void Feedback::set(const QString& text) {
    if (text_ == text) return;
    text_ = text;
    emit changed();
}

}  // namespace throng::ui
