#include "ui/models/stage_model.h"

#include <algorithm>
#include <cmath>

namespace throng::ui {

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
        default: return {};
    }
}

QHash<int, QByteArray> StageModel::roleNames() const {
    return {{name_role, "name"}, {label_role, "label"}, {last_role, "last"}, {mean_role, "mean"},
            {p50_role, "p50"},   {p99_role, "p99"},     {max_role, "max"}};
}

void StageModel::update(const std::vector<StageSummary>& stages) {
    std::vector<StageSummary> next;
    std::copy_if(stages.begin(), stages.end(), std::back_inserter(next),
                 [](const StageSummary& stage) { return stage.ms.count > 0; });
    const bool same = std::equal(next.begin(), next.end(), stages_.begin(), stages_.end(),
                                 [](const StageSummary& a, const StageSummary& b) { return a.name == b.name; });
    if (same) {
        stages_ = std::move(next);
        if (!stages_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
    } else {
        beginResetModel();
        stages_ = std::move(next);
        endResetModel();
        emit count_changed();
    }
    double largest = 0;
    for (const StageSummary& stage : stages_) largest = std::max({largest, stage.ms.p99, stage.ms.last});
    const double scale = round_scale(largest);
    if (scale != scale_) {
        scale_ = scale;
        emit scale_changed();
    }
}

QString stage_label(const std::string& name) {
    QString text = QString::fromStdString(name);
    text.replace(QLatin1Char('_'), QLatin1Char(' '));
    for (const QLatin1String acronym : {QLatin1String("nms"), QLatin1String("hog"), QLatin1String("cnn")}) {
        if (text == acronym || text.startsWith(acronym + QLatin1Char(' '))) {
            return QString(acronym).toUpper() + text.mid(acronym.size());
        }
    }
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
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
