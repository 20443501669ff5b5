#include "ui/models/row_model.h"

namespace throng::ui {
namespace {

constexpr int kFirstRole = Qt::UserRole + 1;

}  // namespace

int RowModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(size());
}

QVariant RowModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const auto column = static_cast<std::size_t>(role - kFirstRole);  // of a smaller role: no column
    return column < columns_.size() ? columns_[column].value(static_cast<std::size_t>(index.row())) : QVariant();
}

QHash<int, QByteArray> RowModel::roleNames() const {
    QHash<int, QByteArray> names;
    for (std::size_t i = 0; i < columns_.size(); ++i) names[kFirstRole + static_cast<int>(i)] = columns_[i].name;
    return names;
}

void RowModel::announce_values() {
    if (size() > 0) emit dataChanged(index(0), index(count() - 1));
}

}  // namespace throng::ui
