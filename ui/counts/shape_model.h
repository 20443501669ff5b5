// The lines and zones with their counts, one row each, for the panel and the image.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "core/count/counter.h"
#include "ui/counts/plan_editor.h"

namespace throng::ui {

class ShapeModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the counts")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum Role {
        name_role = Qt::UserRole + 1,
        zone_role,
        points_role,  // fractions of the image
        in_role,      // lines: crossings
        out_role,
        occupancy_role,  // zones: people inside now
        visits_role,
        dwell_role,  // mean seconds of the visits that ended; negative: none did
    };

    explicit ShapeModel(const PlanEditor& editor, QObject* parent = nullptr)
        : QAbstractListModel(parent), editor_(editor) {}

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : count_; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;
    [[nodiscard]] int count() const { return count_; }

    void update_shapes();  // after an edit
    void update_totals(const CountTotals& totals);

signals:
    void countChanged();

private:
    const PlanEditor& editor_;
    int count_ = 0;
    CountTotals totals_;
};

}  // namespace throng::ui
