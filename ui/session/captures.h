// Files that the user makes from what is on screen: recordings and screenshots.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QThreadPool>
#include <memory>

#include "ui/base/run_listener.h"
#include "ui/session/alert.h"
#include "ui/session/recorder.h"
#include "ui/settings/display_settings.h"

namespace throng::ui {

// Lives on the window's thread. Files are written on other threads; the alert reports the path or the error.
class Captures : public QObject, public RunListener {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(throng::ui::Recorder* recorder READ recorder CONSTANT)

public:
    // display and alert must outlive the object.
    Captures(MakeRecording make_recording, const DisplaySettings& display, Alert& alert, QObject* parent = nullptr);
    ~Captures() override;

    [[nodiscard]] Recorder* recorder() { return &recorder_; }
    [[nodiscard]] bool used() const { return used_; }  // since the program's start

    Q_INVOKABLE void record();          // starts a recording, or stops the current one
    Q_INVOKABLE void saveScreenshot();  // the newest frame with its overlay, at the frame's resolution

    // Waits until the files of what was captured are written, except those of a recording that goes on.
    void wait_written();

    // Captures from this pipeline from now on; null while there is none. Ends the recording of the previous one.
    void attach(std::shared_ptr<Pipeline> pipeline) override;
    void add_needs(PipelineNeeds& needs) const override {
        if (recorder_.recording()) needs.results = needs.same_detector = needs.host_pixels = true;
        if (recorder_.hides_faces()) needs.hidden_faces = true;
    }

private:
    const DisplaySettings& display_;
    Alert& alert_;
    Recorder recorder_;
    bool used_ = false;
    std::shared_ptr<Pipeline> pipeline_;
    QThreadPool writer_;
};

}  // namespace throng::ui
