#include "ui/models/stage_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/language/language.h"

namespace throng::ui {
namespace {

constexpr int kMaxMissedResults = 30;  // results without a stage after which its bar is removed
constexpr double kShortMs = 0.1;
constexpr double kNoLongerShortMs = 0.12;      // a row at the limit does not come and go
constexpr std::uint64_t kMinRatioResults = 8;  // results since the baseline before a ratio is shown

}  // namespace

StageModel::StageModel(QObject* parent)
    : RowModel({{"name", [this](auto row) { return QString::fromStdString(stages_[row].name); }},
                {"label", [this](auto row) { return stage_label(stages_[row].name); }},
                {"last", [this](auto row) { return stages_[row].ms.last; }},
                {"mean", [this](auto row) { return stages_[row].ms.mean; }},
                {"p50", [this](auto row) { return stages_[row].ms.p50; }},
                {"p99", [this](auto row) { return stages_[row].ms.p99; }},
                {"max", [this](auto row) { return stages_[row].ms.max; }},
                // Milliseconds of the baseline; negative: there is none.
                {"baselineMs", [this](auto row) { return baseline(stages_[row].name); }},
                // Takes less than 0.1 ms; never the stages of NMS, which the program is about.
                {"isShort", [this](auto row) { return short_stages_.count(stages_[row].name) > 0; }},
                // Median since the baseline, divided by the baseline; negative: not known yet.
                {"ratio", [this](auto row) { return ratio(stages_[row].name); }}},
               parent) {}

void StageModel::update(const std::vector<StageSummary>& stages) {
    std::vector<StageSummary> next;
    std::copy_if(stages.begin(), stages.end(), std::back_inserter(next),
                 [this](const StageSummary& stage) { return is_shown(stage); });
    const std::set<std::string> were_short = std::exchange(short_stages_, short_ones(next));
    replace(stages_, std::move(next), [](const auto& a, const auto& b) { return a.name == b.name; });
    if (short_stages_.size() != were_short.size()) emit shortStagesChanged();
    double largest = 0;
    for (const StageSummary& stage : stages_) {
        largest = std::max({largest, stage.ms.p99, stage.ms.last, baseline(stage.name)});
    }
    const double scale = round_scale(largest);
    if (scale != scale_) {
        scale_ = scale;
        emit scaleChanged();
    }
}

double StageModel::total_ms() const {
    const auto total =
        std::find_if(stages_.begin(), stages_.end(), [](const auto& each) { return each.name == stage::kTotal; });
    return total == stages_.end() ? 0 : total->ms.p50;
}

void StageModel::add(const StageTimes& times) {
    if (times.empty()) return;  // a GPU recorder returns none before its first measured frame
    for (auto& [name, recent] : recent_stages_) ++recent.missed_results;
    for (const StageTime& time : times) {
        auto found = recent_stages_.find(time.name);
        if (found == recent_stages_.end()) found = recent_stages_.emplace(std::string(time.name), RecentStage{}).first;
        found->second.now.add(time.ms);
        found->second.missed_results = 0;
    }
}

void StageModel::set_baseline(const QString& title) {
    bool any = false;
    for (auto& [name, recent] : recent_stages_) {
        const RollingSummary now = recent.now.summary();
        if (now.count == 0) continue;
        recent.baseline = now.p50;
        recent.now.clear();
        any = true;
    }
    if (!any) return;
    baseline_title_ = title;
    emit baselineChanged();
}

void StageModel::clearBaseline() {
    for (auto& [name, recent] : recent_stages_) recent.baseline.reset();
    baseline_title_.clear();
    announce_values();
    emit baselineChanged();
}

void StageModel::clear() {
    recent_stages_.clear();
    baseline_title_.clear();
    update({});
    emit baselineChanged();
}

bool StageModel::is_shown(const StageSummary& stage) const {
    if (stage.ms.count == 0) return false;
    const auto found = recent_stages_.find(stage.name);
    return found == recent_stages_.end() || found->second.missed_results < kMaxMissedResults;
}

// One row alone is as long as the row that would stand for it.
std::set<std::string> StageModel::short_ones(const std::vector<StageSummary>& stages) const {
    std::set<std::string> found;
    for (const StageSummary& stage : stages) {
        if (stage.name == stage::kNmsMap || stage.name == stage::kNmsReduce || stage.name == stage::kTotal) continue;
        if (stage.ms.p50 < (short_stages_.count(stage.name) > 0 ? kNoLongerShortMs : kShortMs))
            found.insert(stage.name);
    }
    if (found.size() < 2) found.clear();
    return found;
}

double StageModel::baseline(const std::string& name) const {
    const auto found = recent_stages_.find(name);
    return found == recent_stages_.end() ? -1 : found->second.baseline.value_or(-1);
}

double StageModel::ratio(const std::string& name) const {
    const auto found = recent_stages_.find(name);
    if (found == recent_stages_.end() || !(found->second.baseline.value_or(0) > 0)) return -1;
    const RollingSummary now = found->second.now.summary();
    return now.count < kMinRatioResults ? -1 : now.p50 / *found->second.baseline;
}

std::optional<double> stage_ms(const StageTimes& times, std::string_view stage) {
    const auto found = std::find_if(times.begin(), times.end(), [&](const auto& each) { return each.name == stage; });
    return found == times.end() ? std::nullopt : std::optional(found->ms);
}

QString stage_label(const std::string& name) {
    QString text = QString::fromStdString(name);
    text.replace(QLatin1Char('_'), QLatin1Char(' '));
    for (const QLatin1String acronym :
         {QLatin1String("nms"), QLatin1String("svm"), QLatin1String("hog"), QLatin1String("cnn")}) {
        if (text == acronym || text.startsWith(acronym + QLatin1Char(' '))) {
            text.replace(0, acronym.size(), QString(acronym).toUpper());
        }
    }
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return translated(text.toStdString());
}

double round_scale(double value) {
    if (!(value > 0.1)) return 0.1;
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double step : {1.0, 2.0, 5.0}) {
        if (value <= step * power * (1 + 1e-9)) return step * power;
    }
    return 10 * power;
}

}  // namespace throng::ui
