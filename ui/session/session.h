// State behind the window: one source at a time on one pipeline. Wires the objects that QML binds to, one per subject,
// and does what concerns several of them.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QSettings>
#include <QTimer>
#include <memory>
#include <optional>

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
#include "ui/session/frame_feed.h"
#include "ui/session/panel_sections.h"
#include "ui/session/playlist.h"
#include "ui/session/run_status.h"
#include "ui/session/session_setup.h"
#include "ui/session/source.h"
#include "ui/session/source_controller.h"
#include "ui/session/switch_control.h"
#include "ui/session/transport.h"
#include "ui/session/views.h"
#include "ui/settings/detection_settings.h"
#include "ui/settings/display_settings.h"
#include "ui/settings/requested_settings.h"

namespace throng::ui {

// Lives on the window's thread. No function blocks, except the destructor.
class Session : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(throng::ui::Source* source READ source CONSTANT)
    Q_PROPERTY(throng::ui::Transport* transport READ transport CONSTANT)
    Q_PROPERTY(throng::ui::RunStatus* status READ status CONSTANT)
    Q_PROPERTY(throng::ui::BackendStatus* backend READ backend CONSTANT)
    Q_PROPERTY(throng::ui::DetectionSettings* detection READ detection CONSTANT)
    Q_PROPERTY(throng::ui::DisplaySettings* display READ display CONSTANT)
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
    Q_PROPERTY(throng::ui::FrameFeed* feed READ feed CONSTANT)
    Q_PROPERTY(bool seen READ seen WRITE set_seen NOTIFY seenChanged)

public:
    // store must outlive the session.
    Session(SessionSetup setup, QSettings& store, QObject* parent = nullptr);
    ~Session() override;

    [[nodiscard]] Source* source() { return &source_; }
    [[nodiscard]] Transport* transport() { return &transport_; }
    [[nodiscard]] RunStatus* status() { return &status_; }
    [[nodiscard]] BackendStatus* backend() { return &backend_; }
    [[nodiscard]] DetectionSettings* detection() { return &detection_; }
    [[nodiscard]] DisplaySettings* display() { return &display_; }
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

    // False while the window is minimized. Playback rests then, unless something else needs its results.
    [[nodiscard]] bool seen() const { return seen_by_user_; }
    void set_seen(bool seen);

    // Results and images, for the view.
    [[nodiscard]] FrameFeed* feed() { return &feed_; }
    // The clock profile given at program start; empty: none.
    [[nodiscard]] QString configured_clock() const { return QString::fromStdString(setup_.clocks.profile); }
    // Images were written to files, or are being written: by the program's outputs or the user's captures.
    [[nodiscard]] bool stores_images() const { return setup_.sinks_store_images || captures_.used(); }
    // The newest result of the open source; null before the first one.
    [[nodiscard]] const std::shared_ptr<const FrameResult>& result() const { return feed_.shown().result; }
    [[nodiscard]] const std::optional<Error>& failure() const { return controller_.failure(); }

    [[nodiscard]] const SessionSetup& setup() const { return setup_; }
    // Continues with a source that the wall has opened, and returns it to the wall; without a pipeline: there is none.
    void adopt(OpenedSource opened) { controller_.adopt(std::move(opened)); }
    [[nodiscard]] OpenedSource release();

    // Opens a source. The current one remains on screen until the next one is open, and if it cannot be opened.
    Q_INVOKABLE void open(const QString& spec);
    Q_INVOKABLE void openDemo();
    void open_stand_in();  // the demo, until another source is back
    Q_INVOKABLE void findCameras();
    Q_INVOKABLE void findModels();  // that the detectors can use; again: files may have been installed meanwhile

    // An optimization of the detector.
    Q_INVOKABLE void setSwitch(const QString& id, const QString& choice) { switch_control_.set(id, choice); }
    Q_INVOKABLE void resetSwitches() { switch_control_.reset(); }
    Q_INVOKABLE void startOrStopSweep() { clock_effects_.start_or_stop_sweep(); }  // of the GPU clocks

signals:
    void resultChanged();  // a new result, or the result was cleared
    void refreshed();      // the figures have been updated
    void seenChanged();

private:
    void open(const QString& spec, bool stand_in);
    void detach();
    void reset(const QString& next);
    void start();
    [[nodiscard]] Transport::State state_on_screen() const;
    void fail(const Error& error);
    void pull();
    void refresh();
    void apply_settings();
    void update_pipeline();
    void query_memory();
    void rest_or_play();
    void hold_playback(bool held);
    void choose_default_detector();
    [[nodiscard]] const std::shared_ptr<Pipeline>& pipeline() const { return controller_.pipeline(); }
    [[nodiscard]] bool settled() const;  // the pipeline has the requested settings
    [[nodiscard]] ViewFrame view_frame() const;
    [[nodiscard]] double median_ms() const;
    [[nodiscard]] PipelineSettings requested_settings() const;

    SessionSetup setup_;
    Source source_;
    Playlist playlist_{source_, [this](std::function<void()> call) { controller_.run(std::move(call)); }};
    Transport transport_;
    RunStatus status_;
    BackendStatus backend_;
    DetectionSettings detection_;
    DisplaySettings display_;
    Alert alert_;
    Feedback feedback_;
    DefaultDetector default_detector_;
    Captures captures_;
    StageModel stages_;
    History history_;
    SwitchModel switches_;
    SwitchControl switch_control_{switches_, detection_, stages_, feedback_};
    Clocks clocks_;
    Sweep sweep_{clocks_};
    ClockEffects clock_effects_{clocks_, sweep_, transport_, stages_, backend_, alert_};
    RecentModel recent_;
    CameraModel cameras_;
    PanelSections sections_;
    Views views_;

    std::shared_ptr<ResultSink> telemetry_sink_;  // of the pipeline
    std::shared_ptr<const FrameResult> seen_;     // last result that the models have received
    bool playback_held_ = false;                  // a view has paused playback
    bool seen_by_user_ = true;
    bool rests_ = false;  // playback, since nobody sees it

    QTimer refresh_timer_;
    QTimer memory_timer_;
    QTimer settings_timer_;  // coalesces the changes of one event loop iteration
    ImageThread images_{this, 1};
    FrameFeed feed_{images_, 0};
    SourceController controller_{setup_};  // last: waits for its threads
};

}  // namespace throng::ui
