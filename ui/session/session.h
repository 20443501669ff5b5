// State behind the window: one source at a time on one pipeline. Polls the pipeline for results. Lives on the window's
// thread; slow operations run on a thread pool.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QSettings>
#include <QThreadPool>
#include <QTimer>
#include <QUrl>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "core/pipeline/pipeline.h"
#include "ui/clocks/clocks.h"
#include "ui/clocks/sweep.h"
#include "ui/models/camera_model.h"
#include "ui/models/recent_model.h"
#include "ui/models/stage_model.h"
#include "ui/models/switch_model.h"
#include "ui/plot/history.h"
#include "ui/session/alert.h"
#include "ui/session/detection_settings.h"
#include "ui/session/display_settings.h"
#include "ui/session/recorder.h"

namespace throng::ui {

struct BackendChoice {
    std::shared_ptr<Backend> backend;
    std::string why;  // one line: why this backend was selected
};

// Dependencies and initial settings of a session. The functions are called on other threads and may throw Error.
struct SessionSetup {
    // A stop request cancels the call: another source was opened, or the window is closed.
    std::function<std::unique_ptr<VideoSource>(const std::string& spec, const std::stop_token& stop)> open_source;
    std::function<BackendChoice(const DetectorParams&)> make_backend;  // called for each source that is opened
    std::function<std::vector<CameraInfo>()> list_cameras;
    MakeRecording make_recording;
    // Makes the program's own output sinks. Called for the first source only; empty if there is nothing to write.
    std::function<std::vector<std::shared_ptr<ResultSink>>(const SourceInfo&)> make_sinks;
    PipelineSettings settings;
    PipelineOptions playback;
    ClockSetup clocks;
    // Names of the detector kinds to choose from.
    std::vector<std::string> detectors = [] {
        std::vector<std::string> names;
        for (const DetectorKind& kind : detector_kinds()) names.emplace_back(kind.name);
        return names;
    }();
};

class Session : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(throng::ui::DetectionSettings* detection READ detection CONSTANT)
    Q_PROPERTY(throng::ui::DisplaySettings* display READ display CONSTANT)
    Q_PROPERTY(throng::ui::Alert* alert READ alert CONSTANT)
    Q_PROPERTY(throng::ui::StageModel* stages READ stages CONSTANT)
    Q_PROPERTY(throng::ui::SwitchModel* switches READ switches CONSTANT)
    Q_PROPERTY(throng::ui::RecentModel* recent READ recent CONSTANT)
    Q_PROPERTY(throng::ui::CameraModel* cameras READ cameras CONSTANT)
    Q_PROPERTY(throng::ui::History* history READ history CONSTANT)
    Q_PROPERTY(throng::ui::Recorder* recorder READ recorder CONSTANT)
    Q_PROPERTY(throng::ui::Clocks* clocks READ clocks CONSTANT)
    Q_PROPERTY(throng::ui::Sweep* sweep READ sweep CONSTANT)

    Q_PROPERTY(QString sourcePatterns READ source_patterns CONSTANT)
    Q_PROPERTY(QString source READ source NOTIFY sourceChanged)
    Q_PROPERTY(QString title READ title NOTIFY sourceChanged)
    Q_PROPERTY(QString details READ details NOTIFY statusChanged)
    Q_PROPERTY(bool live READ live NOTIFY statusChanged)
    Q_PROPERTY(bool seekable READ seekable NOTIFY statusChanged)
    Q_PROPERTY(double duration READ duration NOTIFY statusChanged)
    Q_PROPERTY(double position READ position NOTIFY resultChanged)
    Q_PROPERTY(QString state READ state NOTIFY statusChanged)
    Q_PROPERTY(bool playing READ playing NOTIFY statusChanged)
    Q_PROPERTY(bool loop READ loop WRITE set_loop NOTIFY playbackChanged)
    Q_PROPERTY(double speed READ speed WRITE set_speed NOTIFY playbackChanged)

    Q_PROPERTY(int faces READ faces NOTIFY statusChanged)
    Q_PROPERTY(int rawCount READ raw_count NOTIFY statusChanged)
    Q_PROPERTY(int overflow READ overflow NOTIFY statusChanged)
    Q_PROPERTY(double frameRate READ frame_rate NOTIFY statusChanged)
    Q_PROPERTY(double latency READ latency NOTIFY statusChanged)
    Q_PROPERTY(double dropped READ dropped NOTIFY statusChanged)
    Q_PROPERTY(QString backend READ backend NOTIFY statusChanged)
    Q_PROPERTY(QString backendDescription READ backend_description NOTIFY statusChanged)
    Q_PROPERTY(QString backendReason READ backend_reason NOTIFY statusChanged)
    Q_PROPERTY(double memoryUsed READ memory_used NOTIFY statusChanged)
    Q_PROPERTY(double memoryTotal READ memory_total NOTIFY statusChanged)
    Q_PROPERTY(QString notice READ notice NOTIFY statusChanged)
    Q_PROPERTY(bool still READ still NOTIFY statusChanged)

public:
    // store must outlive the session.
    Session(SessionSetup setup, QSettings& store, QObject* parent = nullptr);
    ~Session() override;

    [[nodiscard]] DetectionSettings* detection() { return &detection_; }
    [[nodiscard]] DisplaySettings* display() { return &display_; }
    [[nodiscard]] Alert* alert() { return &alert_; }
    [[nodiscard]] StageModel* stages() { return &stages_; }
    [[nodiscard]] SwitchModel* switches() { return &switches_; }
    [[nodiscard]] RecentModel* recent() { return &recent_; }
    [[nodiscard]] CameraModel* cameras() { return &cameras_; }
    [[nodiscard]] History* history() { return &history_; }
    [[nodiscard]] Recorder* recorder() { return &recorder_; }
    [[nodiscard]] Clocks* clocks() { return &clocks_; }
    [[nodiscard]] Sweep* sweep() { return &sweep_; }

    [[nodiscard]] static QString source_patterns();  // for a file dialog: "*.mp4 *.mkv … *.jpg"
    [[nodiscard]] QString source() const { return source_; }
    [[nodiscard]] QString title() const { return source_title(source_); }
    [[nodiscard]] QString details() const { return QString::fromStdString(info_.details); }
    [[nodiscard]] bool live() const { return info_.live; }
    [[nodiscard]] bool seekable() const { return info_.seekable && duration() > 0; }
    [[nodiscard]] double duration() const { return info_.duration.value_or(0); }  // seconds; 0: unknown
    [[nodiscard]] double position() const;                                        // seconds
    [[nodiscard]] QString state() const;  // "idle", "opening", "running", "paused", "ended", "failed"
    [[nodiscard]] bool playing() const { return state_ == PipelineState::running; }
    [[nodiscard]] bool loop() const { return setup_.playback.loop; }
    void set_loop(bool loop);
    [[nodiscard]] double speed() const { return setup_.playback.speed; }
    void set_speed(double speed);

    [[nodiscard]] int faces() const;
    [[nodiscard]] int raw_count() const;
    [[nodiscard]] int overflow() const;  // detections of the frame beyond the buffer's capacity
    [[nodiscard]] double frame_rate() const { return counters_.fps; }
    [[nodiscard]] double latency() const;  // milliseconds from capture to screen, median of recent frames; 0: unknown
    [[nodiscard]] double dropped() const { return static_cast<double>(counters_.dropped); }
    [[nodiscard]] QString backend() const { return backend_; }
    [[nodiscard]] QString backend_description() const { return backend_description_; }
    [[nodiscard]] QString backend_reason() const { return backend_reason_; }
    // Bytes of device memory, of all programs; 0 if the device has no memory of its own.
    [[nodiscard]] double memory_used() const { return memory_ ? static_cast<double>(memory_->used) : 0; }
    [[nodiscard]] double memory_total() const { return memory_ ? static_cast<double>(memory_->total) : 0; }
    [[nodiscard]] QString notice() const { return notice_; }
    [[nodiscard]] bool still() const { return info_.frame_count == 1; }  // one frame, nothing to play

    // The newest result of the open source; null before the first one.
    [[nodiscard]] const std::shared_ptr<const FrameResult>& result() const { return result_; }
    // Number of sources opened so far. Distinguishes late frames of the previous source from those of the current one.
    [[nodiscard]] int run() const { return run_; }
    [[nodiscard]] const PipelineCounters& counters() const { return counters_; }
    // Copies frames from the backend's device into the window's textures. Null if the backend has no bridge, and while
    // a source is being opened. Each source has its own bridge.
    [[nodiscard]] const std::shared_ptr<GlBridge>& gl_bridge() const { return gl_bridge_; }
    // on: the window draws frames directly from device memory. Otherwise frames are copied to the host. They are also
    // copied while another consumer needs them: a recording, the blurring of faces, the program's own output files.
    void set_shows_device_frames(bool on);
    [[nodiscard]] bool shows_device_frames() const { return shows_device_frames_; }
    // The error of the last source, if it could not be opened or failed later; cleared when another source is opened.
    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

    Q_INVOKABLE void open(const QString& spec);
    Q_INVOKABLE void openUrl(const QUrl& url);
    Q_INVOKABLE void openDemo();
    Q_INVOKABLE void findCameras();
    Q_INVOKABLE void findModels();  // again: files may have been installed meanwhile
    Q_INVOKABLE void togglePlay();
    Q_INVOKABLE void step();
    Q_INVOKABLE void seek(double seconds);
    Q_INVOKABLE void record();          // starts a recording, or stops the current one
    Q_INVOKABLE void saveScreenshot();  // the frame with its overlay, at the frame's resolution

    Q_INVOKABLE void setSwitch(const QString& id, const QString& choice);  // an optimization of the detector
    Q_INVOKABLE void resetSwitches();
    Q_INVOKABLE void startOrStopSweep();  // of the GPU clocks; the video loops meanwhile

    // Stores which sections of the side panel are expanded; all are by default.
    Q_INVOKABLE [[nodiscard]] bool isSectionOpen(const QString& key) const;
    Q_INVOKABLE void setSectionOpen(const QString& key, bool open);

    // Updates the latency: the frame of this result has been presented on screen.
    void record_presented(const std::shared_ptr<const FrameResult>& result);

signals:
    void sourceChanged();
    void resultChanged();  // a new result, or the result was cleared
    void statusChanged();
    void playbackChanged();
    void failed();

private:
    void wake();  // any thread
    void pull();
    void refresh();
    // Parameters for opening a source, copied for another thread.
    struct OpenRequest {
        std::string spec;
        PipelineSettings settings;
        PipelineOptions playback;
    };
    void open_in_background(int run, const OpenRequest& request, const std::stop_token& stop,
                            std::shared_ptr<Pipeline> previous);
    struct Opened {
        std::shared_ptr<Pipeline> pipeline;
        BackendChoice choice;
        bool has_sinks = false;  // the program's own output sinks
    };
    void start(const Opened& opened);
    void fail(const Error& error);
    void apply_settings();
    void update_pipeline();
    void handle_clock_change();
    void query_memory();
    void update_switches();
    [[nodiscard]] PipelineSettings requested_settings() const;
    void set_state(PipelineState state);

    QSettings& store_;
    SessionSetup setup_;
    DetectionSettings detection_;
    DisplaySettings display_;
    Alert alert_;
    StageModel stages_;
    SwitchModel switches_;
    RecentModel recent_;
    CameraModel cameras_;
    History history_;
    Recorder recorder_;
    Clocks clocks_;
    Sweep sweep_{clocks_};
    bool recovery_reported_ = false;
    bool swept_ = false;                 // a sweep has ended and its clock is being restored
    QString previous_clock_;             // profile at the last check, for the title of the next baseline
    std::optional<bool> previous_loop_;  // set while a sweep runs

    QString source_;
    std::atomic<int> run_ = 0;
    std::stop_source open_stop_;  // of the source that is being opened
    bool opening_ = false;
    PipelineState state_ = PipelineState::idle;
    SourceInfo info_;
    PipelineCounters counters_;
    std::shared_ptr<const FrameResult> result_;
    std::weak_ptr<const FrameResult> on_screen_;  // weak: a decoder has few device surfaces
    std::shared_ptr<GlBridge> gl_bridge_;
    bool shows_device_frames_ = false;
    bool has_sinks_ = false;
    RollingStatistics latency_{60};
    std::optional<Error> failure_;
    std::optional<DeviceMemory> memory_;
    QString backend_, backend_description_, backend_reason_, notice_;

    QTimer refresh_timer_;
    QTimer memory_timer_;
    QTimer settings_timer_;  // coalesces the changes of one event loop iteration
    std::atomic<bool> wake_pending_ = false;
    std::mutex engine_mutex_;  // the previous pipeline is destroyed before the next one is made
    std::shared_ptr<Pipeline> pipeline_;
    QThreadPool pool_;  // opens and closes sources, writes files
};

}  // namespace throng::ui
