#include "ui/race/race_view.h"

#include <QVariantMap>
#include <utility>

#include "core/base/error.h"
#include "ui/base/post.h"
#include "ui/language/language.h"

namespace throng::ui {

RaceView::RaceView(RunRace suppression, RunRace detector, QObject* parent)
    : View(parent), run_suppression_(std::move(suppression)), run_detector_(std::move(detector)) {
    pool_.setMaxThreadCount(1);  // races do not disturb each other
}

RaceView::~RaceView() {
    stop_.request_stop();
    pool_.waitForDone();
}

void RaceView::change(bool open) {
    open_ = open;
    clear();
}

void RaceView::offer(const std::shared_ptr<const FrameResult>& result, const PipelineSettings& settings) {
    if (!open_ || !result || result->carried) return;
    if (result->raw.detections.size() + result->overflow < result->raw_count) return;  // not read back yet
    newest_ = result;
    settings_ = settings;
    if (!has_started_) start();
}

void RaceView::start() {
    if (!open_ || !newest_ || running_) return;
    has_started_ = running_ = true;
    raw_count_ = static_cast<int>(newest_->raw.detections.size());
    suppression_.clear();
    detector_.clear();
    error_.clear();
    stop_ = std::stop_source();
    RaceInput input{newest_->frame, newest_->raw, settings_};
    pool_.start([this, input = std::move(input), run = ++run_, stop = stop_.get_token()] { work(input, run, stop); });
    emit changed();
}

void RaceView::clear() {
    stop_.request_stop();
    ++run_;
    running_ = has_started_ = false;
    newest_.reset();
    raw_count_ = -1;
    suppression_.clear();
    detector_.clear();
    error_.clear();
    emit changed();
}

void RaceView::work(const RaceInput& input, int run, const std::stop_token& stop) {
    const auto race = [&](const RunRace& contest, QVariantList RaceView::*rows) {
        if (!contest || stop.stop_requested()) return;
        contest(
            input,
            [&](const RaceRow& row) {
                post(this, [this, row, rows, run] {
                    if (run == run_) add(this->*rows, row);
                });
            },
            stop);
    };
    Message error;
    try {
        race(run_suppression_, &RaceView::suppression_);
        race(run_detector_, &RaceView::detector_);
    } catch (...) {
        error = current_error().message();
    }
    post(this, [this, error, run] {
        if (run != run_) return;
        running_ = false;
        error_ = translated_message(error);
        emit changed();
    });
}

void RaceView::add(QVariantList& rows, const RaceRow& row) {
    rows += QVariantMap{{QStringLiteral("name"), translated_message(row.name)},
                        {QStringLiteral("note"), translated_message(row.note)},
                        {QStringLiteral("reason"), translated_message(row.unavailable_reason)},
                        {QStringLiteral("reference"), row.reference},
                        {QStringLiteral("ms"), row.ms},
                        {QStringLiteral("share"), row.ms / kFrameMs}};
    double reference = 0;
    for (const QVariant& each : std::as_const(rows)) {
        const QVariantMap map = each.toMap();
        if (map[QStringLiteral("reference")].toBool()) reference = map[QStringLiteral("ms")].toDouble();
    }
    for (QVariant& each : rows) {
        QVariantMap map = each.toMap();
        map[QStringLiteral("times")] = reference > 0 ? map[QStringLiteral("ms")].toDouble() / reference : 0.0;
        each = map;
    }
    emit changed();
}

}  // namespace throng::ui
