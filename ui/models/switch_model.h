// List model of the current detector's optimizations that can be turned off.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <vector>

#include "core/detect/detector_switch.h"
#include "ui/models/row_model.h"

namespace throng::ui {

class SwitchModel : public throng::ui::RowModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(int changedCount READ changed_count NOTIFY choicesChanged)

public:
    explicit SwitchModel(QObject* parent = nullptr);

    [[nodiscard]] int changed_count() const;  // number of switches that differ from their default
    [[nodiscard]] const std::vector<DetectorSwitch>& switches() const { return switches_; }

    // Resets the model only if the set of switches has changed.
    void update(std::vector<DetectorSwitch> switches);

signals:
    void choicesChanged();

private:
    [[nodiscard]] std::size_t size() const override { return switches_.size(); }

    std::vector<DetectorSwitch> switches_;
};

}  // namespace throng::ui
