// List model of the board's telemetry: one row per quantity, each with the history of the last two minutes.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>
#include <vector>

#include "core/clocks/telemetry.h"

namespace throng::ui {

// One quantity. A quantity without a current value has no row.
struct TelemetryRow {
    QString id;            // "gpu_load"
    QString title;         // "GPU load"
    QString value;         // "43 %"
    QString details;       // all sensors or rails by name; for a tooltip
    QList<double> series;  // oldest first; NaN where there was no value
    double highest = 1;    // value at the upper edge of a plot; the lower edge is 0
};

// Returns the rows for a history. The newest sample is last.
[[nodiscard]] std::vector<TelemetryRow> telemetry_rows(const std::vector<TelemetrySample>& history);

class TelemetryModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the clocks")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum Role { id_role = Qt::UserRole + 1, title_role, value_role, details_role, plot_role };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;
    [[nodiscard]] int count() const { return rowCount(); }

    void update(const std::vector<TelemetrySample>& history);

signals:
    void countChanged();

private:
    std::vector<TelemetryRow> rows_;
};

}  // namespace throng::ui
