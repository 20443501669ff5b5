// The stages of a frame with their times, one row a stage, for the bars of the timing panel. What a change did to them
// is seen against a mark set before it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <map>
#include <optional>
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
        baseline_role,  // milliseconds at the mark; negative without one
        ratio_role,     // since the mark to then, medians; negative while it is not known
    };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    [[nodiscard]] int count() const { return rowCount(); }
    // Milliseconds at the right end of every bar: a round number above every p99.
    [[nodiscard]] double scale() const { return scale_; }

    // Rows stay where they are as long as the stages are the same; stages without samples are left out, and those that
    // the results noted lately did not have (of a previous detector).
    void update(const std::vector<StageSummary>& stages);

    // The times of one result: what medians of the moment are made of. update() shows them.
    void note(const StageTimes& times);
    // Keeps the medians of now as marks; title says what was so then. Without a result since the last mark that one
    // stays: nothing was seen of what it was set for.
    void set_baseline(const QString& title);
    Q_INVOKABLE void clearBaseline();
    void clear();  // another source
    [[nodiscard]] QString baseline_title() const { return baseline_title_; }

signals:
    void scaleChanged();
    void countChanged();
    void baselineChanged();

private:
    struct Moment {
        RollingStatistics now{32};  // since the mark
        std::optional<double> marked;
        int missed = 0;  // results since the last one that had the stage
    };
    [[nodiscard]] double marked(const std::string& name) const;
    [[nodiscard]] double ratio(const std::string& name) const;
    [[nodiscard]] bool shown(const StageSummary& stage) const;

    std::vector<StageSummary> stages_;
    std::map<std::string, Moment, std::less<>> moments_;  // by the stage's name
    QString baseline_title_;
    double scale_ = 1;
};

// "nms_map" to "NMS map".
[[nodiscard]] QString stage_label(const std::string& name);

// The smallest of 1, 2, 5 times a power of ten that is not below value; 0.1 for less.
[[nodiscard]] double round_scale(double value);

}  // namespace throng::ui
