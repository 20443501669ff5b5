// The state behind the window: the objects that QML binds to, one per subject. Makes and connects them; what they take
// from the source that is open comes from Run.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QSettings>

#include "ui/clocks/clocks.h"
#include "ui/clocks/sweep.h"
#include "ui/models/camera_model.h"
#include "ui/models/recent_model.h"
#include "ui/models/stage_model.h"
#include "ui/models/switch_model.h"
#include "ui/plot/history.h"
#include "ui/session/alert.h"
#include "ui/session/backend_status.h"
#include "ui/session/captures.h"
#include "ui/session/clock_effects.h"
#include "ui/session/default_detector.h"
#include "ui/session/feedback.h"
#include "ui/session/panel_sections.h"
#include "ui/session/playlist.h"
#include "ui/session/run.h"
#include "ui/session/run_status.h"
#include "ui/session/switch_control.h"
#include "ui/session/views.h"

namespace throng::ui {

// Lives on the window's thread.
class Session : public throng::ui::Run {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(throng::ui::RunStatus* status READ status CONSTANT)
    Q_PROPERTY(throng::ui::BackendStatus* backend READ backend CONSTANT)
    Q_PROPERTY(throng::ui::Captures* captures READ captures CONSTANT)
    Q_PROPERTY(throng::ui::Alert* alert READ alert CONSTANT)
    Q_PROPERTY(throng::ui::Feedback* feedback READ feedback CONSTANT)
    Q_PROPERTY(throng::ui::StageModel* stages READ stages CONSTANT)
    Q_PROPERTY(throng::ui::Views* views READ views CONSTANT)
    Q_PROPERTY(throng::ui::History* history READ history CONSTANT)
    Q_PROPERTY(throng::ui::SwitchModel* switches READ switches CONSTANT)
    Q_PROPERTY(throng::ui::Clocks* clocks READ clocks CONSTANT)
    Q_PROPERTY(throng::ui::Sweep* sweep READ sweep CONSTANT)
    Q_PROPERTY(throng::ui::RecentModel* recent READ recent CONSTANT)
    Q_PROPERTY(throng::ui::CameraModel* cameras READ cameras CONSTANT)
    Q_PROPERTY(throng::ui::Playlist* playlist READ playlist CONSTANT)
    Q_PROPERTY(throng::ui::PanelSections* sections READ sections CONSTANT)

public:
    // store must outlive the session.
    Session(SessionSetup options, QSettings& store, QObject* parent = nullptr);
    ~Session() override;

    // Completes all files that the window writes, likewise.
    void complete();

    [[nodiscard]] RunStatus* status() { return &status_; }
    [[nodiscard]] BackendStatus* backend() { return &backend_; }
    [[nodiscard]] Captures* captures() { return &captures_; }
    [[nodiscard]] Alert* alert() { return &alert_; }
    [[nodiscard]] Feedback* feedback() { return &feedback_; }
    [[nodiscard]] StageModel* stages() { return &stages_; }
    [[nodiscard]] Views* views() { return &views_; }
    template <typename Class>
    [[nodiscard]] Class* view() {
        return &views_.get<Class>();
    }
    [[nodiscard]] History* history() { return &history_; }
    [[nodiscard]] SwitchModel* switches() { return &switches_; }
    [[nodiscard]] Clocks* clocks() { return &clocks_; }
    [[nodiscard]] Sweep* sweep() { return &sweep_; }
    [[nodiscard]] RecentModel* recent() { return &recent_; }
    [[nodiscard]] CameraModel* cameras() { return &cameras_; }
    [[nodiscard]] Playlist* playlist() { return &playlist_; }
    [[nodiscard]] PanelSections* sections() { return &sections_; }

    // An optimization of the detector.
    Q_INVOKABLE void setSwitch(const QString& id, const QString& choice) { switch_control_.set(id, choice); }
    Q_INVOKABLE void resetSwitches() { switch_control_.reset(); }
    Q_INVOKABLE void startOrStopSweep() { clock_effects_.start_or_stop_sweep(); }  // of the GPU clocks

private:
    Playlist playlist_{*source()};
    RunStatus status_;
    BackendStatus backend_;
    Alert alert_;
    Feedback feedback_;
    DefaultDetector default_detector_;
    Captures captures_;
    StageModel stages_;
    History history_;
    SwitchModel switches_;
    SwitchControl switch_control_{switches_, *detection(), stages_, feedback_};
    Clocks clocks_;
    Sweep sweep_{clocks_};
    ClockEffects clock_effects_{clocks_, sweep_, *transport(), stages_, backend_, alert_};
    RecentModel recent_;
    CameraModel cameras_;
    PanelSections sections_;
    Views views_;
};

}  // namespace throng::ui
