// List model of the current detector's optimizations that can be turned off.
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
        toggle_role,  // true if the choices are on and off
        on_role,      // state of a toggle
    };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;
    [[nodiscard]] int count() const { return rowCount(); }
    [[nodiscard]] int changed_count() const;  // number of switches that differ from their default
    [[nodiscard]] const std::vector<DetectorSwitch>& switches() const { return switches_; }

    // Resets the model only if the set of switches has changed.
    void update(std::vector<DetectorSwitch> switches);

signals:
    void countChanged();
    void choicesChanged();

private:
    std::vector<DetectorSwitch> switches_;
};

}  // namespace throng::ui
