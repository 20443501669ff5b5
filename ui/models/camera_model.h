// List model of the available cameras.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <vector>

#include "core/video/source.h"

namespace throng::ui {

class CameraModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum Role { spec_role = Qt::UserRole + 1, title_role };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;
    [[nodiscard]] int count() const { return rowCount(); }

    Q_INVOKABLE [[nodiscard]] QString specAt(int row) const { return data(index(row), spec_role).toString(); }

    // The same cameras as before change nothing: a list on screen keeps its focus.
    void update(std::vector<CameraInfo> cameras);

signals:
    void countChanged();

private:
    std::vector<CameraInfo> cameras_;
};

}  // namespace throng::ui
