// The optimizations of the running detector that can be turned off, one row each.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <vector>

#include "core/detect/detector_switch.h"

namespace throng::ui {

class SwitchModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(int count READ count NOTIFY countChanged)
    Q_PROPERTY(int changedCount READ changed_count NOTIFY choicesChanged)

public:
    enum Role {
        id_role = Qt::UserRole + 1,
        title_role,
        help_role,
        choices_role,
        chosen_role,  // index into the choices
        toggle_role,  // the choices are on and off
        on_role,      // of a toggle
    };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;
    [[nodiscard]] int count() const { return rowCount(); }
    [[nodiscard]] int changed_count() const;  // that are not at their defaults
    [[nodiscard]] const std::vector<DetectorSwitch>& switches() const { return switches_; }

    // Rows stay where they are as long as the switches are the same.
    void update(std::vector<DetectorSwitch> switches);

signals:
    void countChanged();
    void choicesChanged();

private:
    std::vector<DetectorSwitch> switches_;
};

}  // namespace throng::ui
