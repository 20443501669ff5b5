#include "ui/counts/shape_model.h"

#include <QPointF>

namespace throng::ui {

ShapeModel::ShapeModel(const PlanEditor& editor, QObject* parent)
    : RowModel({{"name", [this](auto row) { return QString::fromStdString(editor_.name(static_cast<int>(row))); }},
                {"isZone", [this](auto row) { return editor_.is_zone(static_cast<int>(row)); }},
                // Fractions of the image.
                {"points",
                 [this](auto row) {
                     QVariantList points;
                     for (const CountPoint& p : editor_.points(static_cast<int>(row))) {
                         points += QPointF(p.x / editor_.plan().width, p.y / editor_.plan().height);
                     }
                     return points;
                 }},
                {"crossedIn", [this](auto row) { return static_cast<double>(line(row).in); }},
                {"crossedOut", [this](auto row) { return static_cast<double>(line(row).out); }},
                {"occupancy", [this](auto row) { return zone(row).occupancy; }},  // people inside now
                {"visits", [this](auto row) { return static_cast<double>(zone(row).visits); }},
                // Mean seconds of the visits that ended; negative: none did.
                {"dwell",
                 [this](auto row) {
                     const CountTotals::Zone of_zone = zone(row);
                     return of_zone.exits > 0 ? of_zone.dwell / static_cast<double>(of_zone.exits) : -1;
                 }}},
               parent),
      editor_(editor) {}

CountTotals::Line ShapeModel::line(std::size_t row) const {
    return row < totals_.lines.size() ? totals_.lines[row] : CountTotals::Line{};
}

CountTotals::Zone ShapeModel::zone(std::size_t row) const {
    const std::size_t at = row - editor_.plan().lines.size();  // of a line: none
    return at < totals_.zones.size() ? totals_.zones[at] : CountTotals::Zone{};
}

void ShapeModel::update_shapes() {
    if (editor_.rows() != count_) {
        beginResetModel();
        count_ = editor_.rows();
        endResetModel();
        emit countChanged();
    } else {
        announce_values();
    }
}

void ShapeModel::update_totals(const CountTotals& totals) {
    totals_ = totals;
    announce_values();
}

}  // namespace throng::ui
