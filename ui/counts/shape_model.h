// The lines and zones with their counts, one row each, for the panel and the image.
#pragma once

#include <QtQml/qqmlregistration.h>

#include "core/count/counter.h"
#include "ui/counts/plan_editor.h"
#include "ui/models/row_model.h"

namespace throng::ui {

class ShapeModel : public throng::ui::RowModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the counts")

public:
    explicit ShapeModel(const PlanEditor& editor, QObject* parent = nullptr);

    void update_shapes();  // after an edit
    void update_totals(const CountTotals& totals);

private:
    [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(count_); }
    // The totals may still be those of the plan before: zeros then.
    [[nodiscard]] CountTotals::Line line(std::size_t row) const;
    [[nodiscard]] CountTotals::Zone zone(std::size_t row) const;

    const PlanEditor& editor_;
    int count_ = 0;
    CountTotals totals_;
};

}  // namespace throng::ui
