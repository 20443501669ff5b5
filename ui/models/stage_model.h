// List model of the stage times of a frame, one row per stage, for the bars of the timing panel. The effect of a change
// is shown relative to a baseline.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/pipeline/pipeline.h"

namespace throng::ui {

class StageModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(double scale READ scale NOTIFY scaleChanged)
    Q_PROPERTY(int count READ count NOTIFY countChanged)
    Q_PROPERTY(int shortStages READ short_stages NOTIFY shortStagesChanged)
    Q_PROPERTY(QString baselineTitle READ baseline_title NOTIFY baselineChanged)

public:
    enum Role {
        name_role = Qt::UserRole + 1,
        label_role,
        last_role,
        mean_role,
        p50_role,
        p99_role,
        max_role,
        baseline_role,  // milliseconds of the baseline; negative: no baseline
        short_role,     // takes less than 0.1 ms; never the stages of NMS, which the program is about
        ratio_role,     // median since the baseline, divided by the baseline; negative: not known yet
    };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    [[nodiscard]] int count() const { return rowCount(); }
    // Milliseconds at the right end of the bars: a round number above all p99 values.
    [[nodiscard]] double scale() const { return scale_; }
    [[nodiscard]] int short_stages() const { return static_cast<int>(short_stages_.size()); }  // 0 or at least 2

    // Resets the model only if the set of stages has changed. Skips stages without samples and stages that are missing
    // from the latest results (of a previous detector).
    void update(const std::vector<StageSummary>& stages);

    // Adds the times of one result to the medians since the baseline. update() shows them.
    void add(const StageTimes& times);
    // Stores the current medians as the baseline. title: the settings they were measured with. Without a result since
    // the previous baseline, keeps that one: the effect of its change has not been measured.
    void set_baseline(const QString& title);
    Q_INVOKABLE void clearBaseline();
    void clear();  // for another source
    [[nodiscard]] QString baseline_title() const { return baseline_title_; }

signals:
    void scaleChanged();
    void countChanged();
    void shortStagesChanged();
    void baselineChanged();

private:
    struct RecentStage {
        RollingStatistics now{32};  // since the baseline
        std::optional<double> baseline;
        int missed_results = 0;  // results since the last one that had the stage
    };
    [[nodiscard]] double baseline(const std::string& name) const;
    [[nodiscard]] double ratio(const std::string& name) const;
    [[nodiscard]] bool is_shown(const StageSummary& stage) const;
    [[nodiscard]] std::set<std::string> short_ones() const;

    std::vector<StageSummary> stages_;
    std::map<std::string, RecentStage, std::less<>> recent_stages_;  // by stage name
    std::set<std::string> short_stages_;                             // by name
    QString baseline_title_;
    double scale_ = 1;
};

// Returns the label of a stage: "NMS map" for "nms_map".
[[nodiscard]] QString stage_label(const std::string& name);

// Returns the smallest 1, 2 or 5 times a power of ten that is at least value, and at least 0.1.
[[nodiscard]] double round_scale(double value);

}  // namespace throng::ui
