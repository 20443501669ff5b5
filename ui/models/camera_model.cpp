#include "ui/models/camera_model.h"

#include <algorithm>

namespace throng::ui {

int CameraModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(cameras_.size());
}

QVariant CameraModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const CameraInfo& camera = cameras_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case spec_role: return QString::fromStdString(camera.spec);
        case Qt::DisplayRole:
        case title_role: return QString::fromStdString(camera.name.empty() ? camera.spec : camera.name);
        default: return {};
    }
}

QHash<int, QByteArray> CameraModel::roleNames() const {
    return {{spec_role, "spec"}, {title_role, "title"}};
}

void CameraModel::update(std::vector<CameraInfo> cameras) {
    const auto same = [](const CameraInfo& a, const CameraInfo& b) { return a.spec == b.spec && a.name == b.name; };
    if (std::equal(cameras.begin(), cameras.end(), cameras_.begin(), cameras_.end(), same)) return;
    const bool other_count = cameras.size() != cameras_.size();
    beginResetModel();
    cameras_ = std::move(cameras);
    endResetModel();
    if (other_count) emit countChanged();
}

}  // namespace throng::ui
