#include "ui/counts/shape_model.h"

#include <QPointF>

namespace throng::ui {

QVariant ShapeModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const int row = index.row();
    const bool zone = editor_.is_zone(row);
    const auto lines = editor_.plan().lines.size();
    const auto at = static_cast<std::size_t>(row);
    // The totals may still be those of the plan before.
    const CountTotals::Line line = !zone && at < totals_.lines.size() ? totals_.lines[at] : CountTotals::Line{};
    const CountTotals::Zone of_zone =
        zone && at - lines < totals_.zones.size() ? totals_.zones[at - lines] : CountTotals::Zone{};
    switch (role) {
        case Qt::DisplayRole:
        case name_role: return QString::fromStdString(editor_.name(row));
        case zone_role: return zone;
        case points_role: {
            QVariantList points;
            for (const CountPoint& p : editor_.points(row)) {
                points += QPointF(p.x / editor_.plan().width, p.y / editor_.plan().height);
            }
            return points;
        }
        case in_role: return static_cast<double>(line.in);
        case out_role: return static_cast<double>(line.out);
        case occupancy_role: return of_zone.occupancy;
        case visits_role: return static_cast<double>(of_zone.visits);
        case dwell_role: return of_zone.exits > 0 ? of_zone.dwell / static_cast<double>(of_zone.exits) : -1;
        default: return {};
    }
}

QHash<int, QByteArray> ShapeModel::roleNames() const {
    return {{name_role, "name"},      {zone_role, "isZone"},         {points_role, "points"}, {in_role, "crossedIn"},
            {out_role, "crossedOut"}, {occupancy_role, "occupancy"}, {visits_role, "visits"}, {dwell_role, "dwell"}};
}

void ShapeModel::update_shapes() {
    if (editor_.rows() != count_) {
        beginResetModel();
        count_ = editor_.rows();
        endResetModel();
        emit countChanged();
    } else if (count_ > 0) {
        emit dataChanged(index(0), index(count_ - 1), {name_role, zone_role, points_role});
    }
}

void ShapeModel::update_totals(const CountTotals& totals) {
    totals_ = totals;
    if (count_ > 0) {
        emit dataChanged(index(0), index(count_ - 1), {in_role, out_role, occupancy_role, visits_role, dwell_role});
    }
}

}  // namespace throng::ui
