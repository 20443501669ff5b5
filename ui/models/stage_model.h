// The stages of a frame with their times, one row a stage, for the bars of the timing panel.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <vector>

#include "core/pipeline/pipeline.h"

namespace throng::ui {

class StageModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(double scale READ scale NOTIFY scale_changed)
    Q_PROPERTY(int count READ count NOTIFY count_changed)

public:
    enum Role { name_role = Qt::UserRole + 1, label_role, last_role, mean_role, p50_role, p99_role, max_role };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    [[nodiscard]] int count() const { return rowCount(); }
    // Milliseconds at the right end of every bar: a round number above every p99.
    [[nodiscard]] double scale() const { return scale_; }

    // Rows stay where they are as long as the stages are the same; stages without samples are left out.
    void update(const std::vector<StageSummary>& stages);

signals:
    void scale_changed();
    void count_changed();

private:
    std::vector<StageSummary> stages_;
    double scale_ = 1;
};

// "nms_map" to "NMS map".
[[nodiscard]] QString stage_label(const std::string& name);

// The smallest of 1, 2, 5 times a power of ten that is not below value; 0.1 for less.
[[nodiscard]] double round_scale(double value);

}  // namespace throng::ui
