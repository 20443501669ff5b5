#include "ui/clocks/sweep.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/language/language.h"
#include "ui/plot/plot_item.h"

namespace throng::ui {
namespace {

QString milliseconds(const SweepPoint& point, std::string_view stage) {
    const auto found = point.ms.find(std::string(stage));
    if (found == point.ms.end()) return QStringLiteral("–");
    const double ms = found->second;
    return fixed(ms, ms < 0.995 ? 3 : ms < 9.95 ? 2 : 1);
}

// In the order of their colors.
constexpr std::array kDrawn{stage::kTotal, stage::kNmsReduce, stage::kNmsMap};

// Returns where a value lies between both ends.
double part_of(double value, double low, double high) {
    return high > low ? (value - low) / (high - low) : 0.5;
}

QVariantMap axis_tick(double at, const QString& text) {
    return {{QStringLiteral("at"), at}, {QStringLiteral("text"), text}};
}

}  // namespace

std::vector<double> logarithmic_ticks(double low, double high) {
    high = std::max(high, low * 1.2);  // at least two ticks
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    std::vector<double> ticks;
    const bool few = last - first <= 2;
    for (int decade = first; decade <= last; ++decade) {
        for (const double digit : {1.0, 2.0, 5.0}) {
            if (digit == 1.0 || few) ticks.push_back(digit * std::pow(10.0, decade));
        }
    }
    // Keep the range from the last tick <= low to the first tick >= high.
    while (ticks.size() > 1 && ticks[1] <= low) ticks.erase(ticks.begin());
    while (ticks.size() > 1 && ticks[ticks.size() - 2] >= high) ticks.pop_back();
    return ticks;
}

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

// Returns the points with a clock and times, by rising clock.
std::vector<SweepPoint> Sweep::drawn() const {
    std::vector<SweepPoint> found = points_;
    std::erase_if(found, [](const SweepPoint& point) { return !point.clock || point.ms.empty(); });
    std::sort(found.begin(), found.end(), [](const SweepPoint& a, const SweepPoint& b) { return a.clock < b.clock; });
    return found;
}

std::vector<double> Sweep::tick_values() const {
    double low = 0;
    double high = 0;
    for (const SweepPoint& point : drawn()) {
        for (const std::string_view stage : kDrawn) {
            const auto found = point.ms.find(std::string(stage));
            if (found == point.ms.end() || found->second <= 0) continue;
            low = low == 0 ? found->second : std::min(low, found->second);
            high = std::max(high, found->second);
        }
    }
    return high > 0 ? logarithmic_ticks(low, high) : std::vector<double>{};
}

QVariant Sweep::plot() const {
    const std::vector<SweepPoint> points = drawn();
    const std::vector<double> ticks = tick_values();
    Plot plot;
    for (std::size_t i = 0; i < kDrawn.size() && !ticks.empty(); ++i) {
        PlotSeries& series = plot.emplace_back(PlotSeries{PlotSeries::Look::dots, static_cast<int>(i), {}});
        for (const SweepPoint& point : points) {
            const auto found = point.ms.find(std::string(kDrawn[i]));
            if (found == point.ms.end() || found->second <= 0) continue;
            series.values.emplace_back(
                part_of(static_cast<double>(*point.clock), static_cast<double>(*points.front().clock),
                        static_cast<double>(*points.back().clock)),
                part_of(std::log10(found->second), std::log10(ticks.front()), std::log10(ticks.back())));
        }
    }
    return QVariant::fromValue(plot);
}

QVariantList Sweep::time_ticks() const {
    QVariantList found;
    const std::vector<double> ticks = tick_values();
    for (const double tick : ticks) {
        found +=
            axis_tick(part_of(std::log10(tick), std::log10(ticks.front()), std::log10(ticks.back())), shortest(tick));
    }
    return found;
}

QVariantList Sweep::clock_ticks() const {
    constexpr double kApart = 0.13;  // otherwise their texts would overlap
    QVariantList found;
    const std::vector<SweepPoint> points = drawn();
    double last = -1;
    for (const SweepPoint& point : points) {
        const double at = part_of(static_cast<double>(*point.clock), static_cast<double>(*points.front().clock),
                                  static_cast<double>(*points.back().clock));
        if (at < last + kApart) continue;
        last = at;
        found += axis_tick(at, fixed(static_cast<double>(*point.clock) / 1e6, 0));
    }
    return found;
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
