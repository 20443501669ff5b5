#include "ui/models/camera_model.h"

#include <algorithm>

#include "ui/base/post.h"

namespace throng::ui {

CameraModel::CameraModel(std::function<std::vector<CameraInfo>()> list, QObject* parent)
    : RowModel({{"spec", [this](auto row) { return QString::fromStdString(cameras_[row].spec); }},
                {"title",
                 [this](auto row) {
                     const CameraInfo& camera = cameras_[row];
                     return QString::fromStdString(camera.name.empty() ? camera.spec : camera.name);
                 }}},
               parent),
      list_(std::move(list)) {}

QString CameraModel::specAt(int row) const {
    return QString::fromStdString(cameras_.at(static_cast<std::size_t>(row)).spec);
}

void CameraModel::find() {
    pool_.start([this] {
        std::vector<CameraInfo> found = list_();
        post(this, [this, found = std::move(found)]() mutable { update(std::move(found)); });
    });
}

void CameraModel::update(std::vector<CameraInfo> cameras) {
    const auto same = [](const CameraInfo& a, const CameraInfo& b) { return a.spec == b.spec && a.name == b.name; };
    replace(cameras_, std::move(cameras), same);
}

}  // namespace throng::ui
