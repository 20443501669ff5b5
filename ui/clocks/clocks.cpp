#include "ui/clocks/clocks.h"

#include <algorithm>

#include "ui/base/post.h"
#include "ui/language/language.h"

namespace throng::ui {

Clocks::Clocks(ClockSetup setup, QObject* parent) : QObject(parent), samples_(std::move(setup.telemetry)) {
    connect(&timer_, &QTimer::timeout, this, &Clocks::sample);
    timer_.start(static_cast<int>(setup.period.count()));
    AsyncClocks::Options options;
    options.clocks = std::move(setup.clocks);
    options.period = setup.period;
    options.wake = [this] {
        if (!pull_pending_.exchange(true)) post(this, [this] { pull(); });
    };
    clocks_ = std::make_unique<AsyncClocks>(std::move(options));
    if (!setup.profile.empty()) apply(QString::fromStdString(setup.profile));
}

Clocks::~Clocks() = default;

void Clocks::attach(std::shared_ptr<Pipeline> pipeline) {
    pipeline_ = std::move(pipeline);
    sink_ = pipeline_ && samples_ ? std::make_shared<TelemetrySink>(samples_) : nullptr;
    if (sink_) pipeline_->add_sink(sink_);
}

void Clocks::detach() {
    if (sink_) pipeline_->remove_sink(sink_);
    attach(nullptr);
}

bool Clocks::present() const {
    return controllable() || !status_.location.empty() || !current_clock().isEmpty() || !error().isEmpty();
}

bool Clocks::controllable() const {
    return std::any_of(status_.profiles.begin(), status_.profiles.end(), [](const auto& e) { return e.available; });
}

QString Clocks::board() const {
    return QString::fromStdString(status_.board.model);
}

QString Clocks::summary() const {
    if (!known()) return tr("Detecting the GPU clock …");
    if (controllable()) return board().isEmpty() ? QString::fromStdString(status_.kind) : board();
    if (!status_.profiles.empty()) return translated_sentence(status_.profiles.front().reason);
    return status_.result.reason.empty() ? tr("No clock profiles available")
                                         : translated_sentence(status_.result.reason);
}

QString Clocks::location() const {
    return QString::fromStdString(status_.location);
}

QString Clocks::chosen() const {
    if (!status_.reading.applied.empty()) return shown_id(status_.reading.applied);
    // No profile has been applied yet: the full range is the profile "automatic".
    std::optional<Hertz> lowest, highest;
    for (const ResolvedProfile& entry : status_.profiles) {
        if (entry.gpu_min) lowest = std::min(lowest.value_or(*entry.gpu_min), *entry.gpu_min);
        if (entry.gpu_max) highest = std::max(highest.value_or(*entry.gpu_max), *entry.gpu_max);
    }
    const BoardClockReading& gpu = status_.reading.gpu;
    const bool whole = lowest && highest && gpu.min == lowest && gpu.max == highest && lowest != highest;
    return whole ? QStringLiteral("automatic") : QString();
}

QString Clocks::pending() const {
    return status_.phase == ClockPhase::applying ? shown_id(status_.requested) : QString();
}

// Returns the id of the button for this profile: another one may set the same clocks.
QString Clocks::shown_id(const std::string& id) const {
    const auto wanted = std::find_if(status_.profiles.begin(), status_.profiles.end(),
                                     [&](const ResolvedProfile& entry) { return entry.profile.id == id; });
    if (wanted != status_.profiles.end()) {
        for (const ResolvedProfile& entry : distinct_profiles(status_.profiles)) {
            if (sets_same_clocks(entry, *wanted)) return QString::fromStdString(entry.profile.id);
        }
    }
    return QString::fromStdString(id);
}

QString Clocks::current_clock() const {
    return status_.reading.gpu.current ? megahertz(status_.reading.gpu.current) : QString();
}

QString Clocks::requested_clock() const {
    return status_.reading.requested ? megahertz(status_.reading.requested) : QString();
}

QString Clocks::warning() const {
    if (status_.reading.changed_by_another) return tr("Another program changed the clock");
    if (history_.empty() || !history_.back().throttled()) return {};
    return tr("The board is throttling: %1")
        .arg(QString::fromStdString(describe_throttling(history_.back().throttle_reasons)));
}

QString Clocks::error() const {
    if (status_.phase != ClockPhase::rejected || dismissed_ == requests_) return {};
    const QString reason = translated_message(status_.result.reason);
    switch (status_.result.status) {
        case ApplyStatus::needs_privilege: return tr("No permission to change the clock: %1").arg(reason);
        case ApplyStatus::unsupported: return tr("The clock cannot be changed: %1").arg(reason);
        case ApplyStatus::rejected: return tr("The board rejected the clock: %1").arg(reason);
        case ApplyStatus::applied: break;
    }
    return {};
}

QString Clocks::error_location() const {
    return QString::fromStdString(status_.result.where);
}

QString Clocks::error_advice() const {
    return translated_sentence(status_.result.advice);
}

void Clocks::pull() {
    pull_pending_ = false;
    status_ = clocks_->status();
    profiles_.update(distinct_profiles(status_.profiles));
    emit changed();
}

void Clocks::sample() {
    if (clocks_->status().version != status_.version) pull();
    if (!samples_ || samples_->count() == samples_seen_) return;
    samples_seen_ = samples_->count();
    history_ = samples_->history();
    telemetry_.update(history_);
    emit sampled();
    emit changed();
}

void Clocks::apply(const QString& id) {
    ++requests_;
    clocks_->request(id.toStdString());
    pull();
}

void Clocks::restore() {
    ++requests_;
    clocks_->restore();
    pull();
}

QString Clocks::nameOf(const QString& id) const {
    for (const ResolvedProfile& entry : status_.profiles) {
        if (entry.profile.id == id.toStdString()) return translated(entry.profile.name);
    }
    return id;
}

void Clocks::step(int by) {
    std::vector<ResolvedProfile> available = distinct_profiles(status_.profiles);
    std::erase_if(available, [](const ResolvedProfile& entry) { return !entry.available; });
    if (available.empty()) return;
    // The governor's profile comes first, then by rising clock.
    std::stable_sort(available.begin(), available.end(), [](const ResolvedProfile& a, const ResolvedProfile& b) {
        return a.gpu_max.value_or(0) < b.gpu_max.value_or(0);
    });
    const std::string from = (pending().isEmpty() ? chosen() : pending()).toStdString();
    const auto at =
        std::find_if(available.begin(), available.end(), [&](const auto& e) { return e.profile.id == from; });
    const std::ptrdiff_t index = at == available.end() ? 0 : (at - available.begin()) + by;
    const auto last = static_cast<std::ptrdiff_t>(available.size()) - 1;
    const ResolvedProfile& to = available[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(index, 0, last))];
    if (to.profile.id != from) apply(QString::fromStdString(to.profile.id));
}

void Clocks::dismiss() {
    dismissed_ = requests_;
    emit changed();
}

}  // namespace throng::ui
