#include "ui/models/stage_model.h"

#include <algorithm>
#include <cmath>

#include "ui/language/language.h"

namespace throng::ui {
namespace {

constexpr int kMaxMissedResults = 30;  // results without a stage after which its bar is removed
constexpr double kShortMs = 0.1;
constexpr double kNoLongerShortMs = 0.12;      // a row at the limit does not come and go
constexpr std::uint64_t kMinRatioResults = 8;  // results since the baseline before a ratio is shown

}  // namespace

int StageModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(stages_.size());
}

QVariant StageModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const StageSummary& stage = stages_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
        case label_role: return stage_label(stage.name);
        case name_role: return QString::fromStdString(stage.name);
        case last_role: return stage.ms.last;
        case mean_role: return stage.ms.mean;
        case p50_role: return stage.ms.p50;
        case p99_role: return stage.ms.p99;
        case max_role: return stage.ms.max;
        case baseline_role: return baseline(stage.name);
        case short_role: return short_stages_.count(stage.name) > 0;
        case ratio_role: return ratio(stage.name);
        default: return {};
    }
}

QHash<int, QByteArray> StageModel::roleNames() const {
    return {{name_role, "name"},     {label_role, "label"}, {last_role, "last"}, {mean_role, "mean"},
            {p50_role, "p50"},       {p99_role, "p99"},     {max_role, "max"},   {baseline_role, "baselineMs"},
            {short_role, "isShort"}, {ratio_role, "ratio"}};
}

void StageModel::update(const std::vector<StageSummary>& stages) {
    std::vector<StageSummary> next;
    std::copy_if(stages.begin(), stages.end(), std::back_inserter(next),
                 [this](const StageSummary& stage) { return is_shown(stage); });
    const bool same = std::equal(next.begin(), next.end(), stages_.begin(), stages_.end(),
                                 [](const StageSummary& a, const StageSummary& b) { return a.name == b.name; });
    const int were_short = short_stages();
    if (!same) beginResetModel();
    stages_ = std::move(next);
    short_stages_ = short_ones();
    if (!same) {
        endResetModel();
        emit countChanged();
    } else if (!stages_.empty()) {
        emit dataChanged(index(0), index(rowCount() - 1));
    }
    if (short_stages() != were_short) emit shortStagesChanged();
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
    if (!stages_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
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
std::set<std::string> StageModel::short_ones() const {
    std::set<std::string> found;
    for (const StageSummary& stage : stages_) {
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
