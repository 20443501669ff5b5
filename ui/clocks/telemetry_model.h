// List model of the board's telemetry: one row per quantity, each with the history of the last two minutes.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <vector>

#include "core/clocks/telemetry.h"
#include "ui/models/row_model.h"

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

class TelemetryModel : public throng::ui::RowModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the clocks")

public:
    explicit TelemetryModel(QObject* parent = nullptr);

    void update(const std::vector<TelemetrySample>& history);

private:
    [[nodiscard]] std::size_t size() const override { return rows_.size(); }

    std::vector<TelemetryRow> rows_;
};

}  // namespace throng::ui
