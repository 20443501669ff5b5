// Playback of the open source: state, position, speed and loop, and the commands of the transport bar.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <memory>

#include "core/pipeline/pipeline.h"

namespace throng::ui {

// Lives on the window's thread. No function blocks.
class Transport : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(QString state READ state NOTIFY stateChanged)
    Q_PROPERTY(bool playing READ playing NOTIFY stateChanged)
    Q_PROPERTY(double position READ position NOTIFY positionChanged)
    Q_PROPERTY(bool loop READ loop WRITE set_loop NOTIFY changed)
    Q_PROPERTY(double loopStart READ loop_start NOTIFY changed)
    Q_PROPERTY(double loopEnd READ loop_end NOTIFY changed)
    Q_PROPERTY(double speed READ speed WRITE set_speed NOTIFY changed)

public:
    enum class State { idle, opening, running, paused, ended, failed };

    // Loop and speed of `options` are the initial values.
    explicit Transport(const PipelineOptions& options, QObject* parent = nullptr);

    [[nodiscard]] QString state() const;  // the name of the enumerator
    [[nodiscard]] State current() const { return state_; }
    [[nodiscard]] bool playing() const { return state_ == State::running; }
    [[nodiscard]] double position() const { return position_; }  // seconds
    [[nodiscard]] bool loop() const { return options_.loop || repeats_; }
    void set_loop(bool loop);
    [[nodiscard]] double speed() const { return options_.speed; }
    void set_speed(double speed);  // ignores values that are not positive

    // Options of the next pipeline, with the current loop and speed.
    [[nodiscard]] const PipelineOptions& options() const { return options_; }

    Q_INVOKABLE void toggle();  // play or pause; an ended source starts again
    Q_INVOKABLE void step();    // one frame, then paused
    Q_INVOKABLE void stepBack();
    Q_INVOKABLE void seek(double seconds);
    // Pauses, and shows one frame of each source that is attached meanwhile. Later continues what it has paused.
    void hold(bool held);
    [[nodiscard]] bool held() const { return held_; }

    // The part that is repeated, in seconds; negative: not set.
    [[nodiscard]] double loop_start() const { return loop_start_; }
    [[nodiscard]] double loop_end() const { return loop_end_; }
    // Sets the start at the current position, then the end, then removes both. An end before the start swaps them. A
    // seek out of the part removes it, too.
    Q_INVOKABLE void markLoop();

    // Controls this pipeline from now on; null while there is none. Applies loop and speed to it, and forgets the part.
    // repeats: it plays in a loop until the user turns that off, as an animation does.
    void attach(std::shared_ptr<Pipeline> pipeline, bool repeats = false);
    void set_state(State state);  // "ended" returns to the start of a part that is repeated
    void set_position(double seconds);
    void set_frame_time(double seconds) { frame_time_ = seconds; }  // between frames; 0: unknown

signals:
    void stateChanged();
    void positionChanged();
    void changed();
    void commanded();        // a command may have changed the pipeline's state
    void reopenRequested();  // play without a usable pipeline

private:
    [[nodiscard]] bool moves() const;  // the source is not a still image

    PipelineOptions options_;
    std::shared_ptr<Pipeline> pipeline_;
    State state_ = State::idle;
    bool repeats_ = false;
    bool held_ = false;
    bool paused_by_hold_ = false;
    double position_ = 0;
    double frame_time_ = 0;
    double loop_start_ = -1;
    double loop_end_ = -1;
    std::weak_ptr<const FrameResult> returned_from_;  // last result of the source, before the part began again
};

// Returns the state of playback for that of the pipeline.
[[nodiscard]] Transport::State transport_state(PipelineState state);

}  // namespace throng::ui
