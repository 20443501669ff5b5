#include "ui/clocks/sweep.h"

#include <algorithm>

#include "ui/language/language.h"

namespace throng::ui {
namespace {

QString milliseconds(const SweepPoint& point, std::string_view stage) {
    const auto found = point.ms.find(std::string(stage));
    if (found == point.ms.end()) return QStringLiteral("–");
    const double ms = found->second;
    return fixed(ms, ms < 0.995 ? 3 : ms < 9.95 ? 2 : 1);
}

}  // namespace

Sweep::Sweep(Clocks& clocks, QObject* parent) : QObject(parent), clocks_(clocks) {
    timer_.setInterval(40);
    connect(&timer_, &QTimer::timeout, this, &Sweep::tick);
    connect(&clocks_, &Clocks::changed, this, [this] {
        if (!running()) emit changed();  // possible() may differ
    });
    connect(&clocks_, &Clocks::sampled, this, [this] {
        if (sweep_) sweep_->add(clocks_.history().back());
    });
}

bool Sweep::possible() const {
    return ClockSweep::ids_of(clocks_.status().profiles).size() >= 2;
}

int Sweep::at() const {
    return sweep_ ? static_cast<int>(sweep_->position()) : 0;
}

int Sweep::size() const {
    return sweep_ ? static_cast<int>(sweep_->size()) : 0;
}

QVariantList Sweep::rows() const {
    QVariantList rows;
    for (const SweepPoint& point : points_) {
        QString note;
        if (!point.rejected.empty()) {
            note = QString::fromStdString(point.rejected);
        } else if (point.frames == 0) {
            note = tr("no frames measured");
        } else if (point.throttled) {
            note = tr("the board throttled the clock");
        }
        rows += QVariantMap{
            {QStringLiteral("clock"), point.clock ? megahertz(point.clock) : QString::fromStdString(point.id)},
            {QStringLiteral("map"), milliseconds(point, stage::kNmsMap)},
            {QStringLiteral("reduce"), milliseconds(point, stage::kNmsReduce)},
            {QStringLiteral("total"), milliseconds(point, stage::kTotal)},
            {QStringLiteral("note"), note}};
    }
    return rows;
}

void Sweep::start() {
    if (running() || !possible()) return;
    ClockSweep::Options options;
    options.ids = ClockSweep::ids_of(clocks_.status().profiles);
    options.settle = pace_.settle;
    options.dwell = pace_.dwell;
    sweep_.emplace(std::move(options));
    previous_ = QString::fromStdString(clocks_.status().reading.applied);
    requested_.reset();
    points_.clear();
    status_.clear();
    emit pointsChanged();
    timer_.start();
    tick();
}

void Sweep::cancel() {
    if (running()) end(tr("Canceled"), true);
}

void Sweep::clear() {
    if (running()) return;
    points_.clear();
    status_.clear();
    emit pointsChanged();
    emit changed();
}

void Sweep::add(const FrameResult& result) {
    if (sweep_) sweep_->add(result.timings);
}

void Sweep::tick() {
    if (!sweep_) return;
    if (requested_ && clocks_.status().requested != *requested_) {  // keep the user's choice
        end(tr("Stopped: another profile was chosen"), false);
        return;
    }
    const std::optional<std::string> request = sweep_->step(std::chrono::steady_clock::now(), clocks_.status());
    if (sweep_->points().size() != points_.size()) {
        points_ = sweep_->points();
        emit pointsChanged();
    }
    if (sweep_->done()) {
        end({}, true);
    } else if (request) {
        requested_ = request;
        clocks_.apply(QString::fromStdString(*request));
        emit changed();
    }
}

void Sweep::end(const QString& status, bool restore_clock) {
    timer_.stop();
    sweep_.reset();
    status_ = status;
    if (restore_clock) previous_.isEmpty() ? clocks_.restore() : clocks_.apply(previous_);
    emit changed();
    emit finished();
}

}  // namespace throng::ui
