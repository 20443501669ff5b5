// Figures of the running pipeline: detections of the newest frame, rate, latency, drops.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <memory>

#include "core/pipeline/pipeline.h"
#include "ui/session/frame_feed.h"

namespace throng::ui {

// Returns true if the pipeline of a live source runs or has ended, and delivers no results.
[[nodiscard]] bool is_silent(const Pipeline& pipeline, const PipelineCounters& counters);

// Lives on the window's thread. The figures change together, at the session's rate: faster ones would be unreadable.
class RunStatus : public QObject, public RunListener {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(int faces READ faces NOTIFY changed)
    Q_PROPERTY(int rawCount READ raw_count NOTIFY changed)
    Q_PROPERTY(int overflow READ overflow NOTIFY changed)
    Q_PROPERTY(double frameRate READ frame_rate NOTIFY changed)
    Q_PROPERTY(double frameMs READ frame_ms NOTIFY changed)
    Q_PROPERTY(double latency READ latency NOTIFY changed)
    Q_PROPERTY(double dropped READ dropped NOTIFY changed)
    Q_PROPERTY(bool silent READ silent NOTIFY changed)
    Q_PROPERTY(QString notice READ notice NOTIFY changed)
    Q_PROPERTY(QString givenUp READ given_up NOTIFY changed)

public:
    // feed brings the results, and outlives the object.
    explicit RunStatus(const FrameFeed& feed, QObject* parent = nullptr) : QObject(parent), feed_(feed) {}

    [[nodiscard]] int faces() const { return faces_; }
    [[nodiscard]] int raw_count() const { return raw_count_; }
    [[nodiscard]] int overflow() const { return overflow_; }           // detections beyond the buffer's capacity
    [[nodiscard]] double frame_rate() const { return counters_.fps; }  // results per second
    [[nodiscard]] double frame_ms() const { return frame_ms_; }        // milliseconds for the newest frame; 0: unknown
    [[nodiscard]] double latency() const { return latency_; }          // as FrameFeed::latency
    [[nodiscard]] double dropped() const { return static_cast<double>(counters_.dropped); }  // frames
    // A live source delivers no frames: the image on screen is an old one. faces, frame_rate and latency are 0 then.
    [[nodiscard]] bool silent() const { return silent_; }
    // An error that did not end the run: a stream that reconnects, a model that failed to load.
    [[nodiscard]] QString notice() const { return notice_; }
    // How detection reduces quality to keep its rate: "faces from 36 instead of 24 px"; normally empty.
    [[nodiscard]] QString given_up() const { return given_up_; }
    [[nodiscard]] const PipelineCounters& counters() const { return counters_; }

    void attach(std::shared_ptr<Pipeline> pipeline) override;
    // Shows the state of the pipeline and of what has arrived from it.
    void on_refresh(const RunFrame& frame) override;

signals:
    void changed();

private:
    const FrameFeed& feed_;
    int faces_ = 0;
    int raw_count_ = 0;
    int overflow_ = 0;
    double frame_ms_ = 0;
    bool silent_ = false;
    PipelineCounters counters_;
    QString notice_;
    QString given_up_;
    double latency_ = 0;
};

}  // namespace throng::ui
