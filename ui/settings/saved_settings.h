// Saves what the user has switched in the window between runs: the overlay, and the detector with its model.
#pragma once

#include <QObject>
#include <QSettings>
#include <QString>

#include "ui/settings/detection_settings.h"
#include "ui/settings/display_settings.h"

namespace throng::ui {

// Sizes, thresholds and suppression settings are not saved: they would change what later runs find, unseen.
class SavedSettings : public QObject {
public:
    // All must outlive the object.
    SavedSettings(QSettings& store, DisplaySettings& display, DetectionSettings& detection, QObject* parent = nullptr);

    void restore_display();
    void restore_detector();  // unless its model is missing now

    // Saves each change from now on. Values that the program was started with are not saved.
    void watch();

private:
    void save_display();
    void save_detector();

    QSettings& store_;
    DisplaySettings& display_;
    DetectionSettings& detection_;
    QList<bool> switches_;  // the last ones
    QString kind_, model_;  // likewise
};

}  // namespace throng::ui
