// One source at a time on one pipeline: opens it, merges the settings that the user and the parts of the window request,
// and brings its results to these parts.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "ui/base/run_listener.h"
#include "ui/session/frame_feed.h"
#include "ui/session/session_setup.h"
#include "ui/session/source.h"
#include "ui/session/source_controller.h"
#include "ui/session/transport.h"
#include "ui/settings/detection_settings.h"
#include "ui/settings/display_settings.h"
#include "ui/settings/requested_settings.h"

namespace throng::ui {

// Lives on the window's thread. No function blocks, except the destructor.
class Run : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(throng::ui::Source* source READ source CONSTANT)
    Q_PROPERTY(throng::ui::Transport* transport READ transport CONSTANT)
    Q_PROPERTY(throng::ui::DetectionSettings* detection READ detection CONSTANT)
    Q_PROPERTY(throng::ui::DisplaySettings* display READ display CONSTANT)
    Q_PROPERTY(throng::ui::FrameFeed* feed READ feed CONSTANT)
    Q_PROPERTY(bool seen READ seen WRITE set_seen NOTIFY seenChanged)

public:
    [[nodiscard]] Source* source() { return &source_; }
    [[nodiscard]] Transport* transport() { return &transport_; }
    [[nodiscard]] DetectionSettings* detection() { return &detection_; }
    [[nodiscard]] DisplaySettings* display() { return &display_; }
    // Results and images, for the view.
    [[nodiscard]] FrameFeed* feed() { return &feed_; }

    // False while the window is minimized. Playback rests then, unless something else needs its results.
    [[nodiscard]] bool seen() const { return seen_; }
    void set_seen(bool seen);

    [[nodiscard]] const SessionSetup& setup() const { return setup_; }
    // The newest result of the open source; null before the first one.
    [[nodiscard]] const std::shared_ptr<const FrameResult>& result() const { return feed_.shown().result; }
    [[nodiscard]] const std::shared_ptr<Pipeline>& pipeline() const { return controller_.pipeline(); }
    [[nodiscard]] const std::optional<Error>& failure() const { return controller_.failure(); }

    // Continues with a source that the wall has opened, and returns it to the wall; without a pipeline: there is none.
    void adopt(OpenedSource opened) { controller_.adopt(std::move(opened)); }
    [[nodiscard]] OpenedSource release();

    // Completes the outputs: see SourceController::complete.
    void complete() { controller_.complete(); }

    // Opens a source. The current one remains on screen until the next one is open, and if it cannot be opened.
    Q_INVOKABLE void open(const QString& spec) { open(spec, false); }
    Q_INVOKABLE void openDemo();
    void open_stand_in();  // the demo, until another source is back

signals:
    void opened(const throng::ui::OpenedSource& source);  // or adopted
    void failed(const throng::Error& error);
    void reverted();       // the pipeline could not use the settings, and has its previous ones
    void resultChanged();  // a new result, or the result was cleared
    void refreshed();      // the figures have been updated
    void seenChanged();

protected:
    explicit Run(SessionSetup setup, QObject* parent);

    void add(RunListener& listener) { listeners_.push_back(&listener); }
    void request_update() { settings_timer_.start(); }  // of the pipeline: something needs other settings
    void update_pipeline();                             // at once
    [[nodiscard]] RunFrame frame() const;               // with a pipeline only

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
    void rest_or_play();
    [[nodiscard]] bool settled() const;  // the pipeline has the requested settings
    [[nodiscard]] PipelineNeeds needs() const;
    [[nodiscard]] PipelineSettings requested_settings() const;

    SessionSetup setup_;
    Source source_;
    Transport transport_;
    DetectionSettings detection_;
    DisplaySettings display_;
    std::vector<RunListener*> listeners_;
    std::shared_ptr<const FrameResult> newest_;  // last result that the listeners have received
    std::uint64_t number_ = 0;                   // of the results with times of their own
    bool seen_ = true;
    bool rests_ = false;  // playback, since nobody sees it

    QTimer refresh_timer_;
    QTimer settings_timer_;  // coalesces the changes of one event loop iteration
    ImageThread images_{this, 1};
    FrameFeed feed_{images_, 0};
    SourceController controller_{setup_};  // last: waits for its threads
};

}  // namespace throng::ui
