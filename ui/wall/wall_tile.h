// One source of the wall: opens it, runs its pipeline, and opens it again after a failure.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/base/rolling.h"
#include "core/pipeline/pipeline.h"
#include "ui/render/display_image.h"
#include "ui/session/source_opener.h"

namespace throng::ui {

// Lives on the window's thread. The wall sets the pipeline and the image; QML reads the figures.
class WallTile : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the wall")
    Q_PROPERTY(QString title READ title CONSTANT)
    Q_PROPERTY(QString state READ state NOTIFY changed)
    Q_PROPERTY(QString problem READ problem NOTIFY changed)
    Q_PROPERTY(int retryIn READ retry_in NOTIFY changed)
    Q_PROPERTY(int faces READ faces NOTIFY changed)
    Q_PROPERTY(double frameRate READ frame_rate NOTIFY changed)
    Q_PROPERTY(double latency READ latency NOTIFY changed)
    Q_PROPERTY(bool hasImage READ has_image NOTIFY imageChanged)

public:
    WallTile(int number, QString spec, QString title, QObject* parent = nullptr);

    [[nodiscard]] int number() const { return number_; }  // from 0
    [[nodiscard]] const QString& spec() const { return spec_; }
    [[nodiscard]] const QString& title() const { return title_; }
    [[nodiscard]] QString state() const;                        // opening, running, paused, silent, ended, failed
    [[nodiscard]] QString problem() const { return problem_; }  // why it failed, or a notice; empty: none
    [[nodiscard]] int retry_in() const;                         // seconds until it is opened again; failed only
    [[nodiscard]] int faces() const { return faces_; }
    [[nodiscard]] double frame_rate() const { return frame_rate_; }
    [[nodiscard]] double latency() const { return latency_.summary().p50; }  // milliseconds to the screen; 0: unknown
    [[nodiscard]] bool has_image() const { return !image_.image.isNull(); }

    [[nodiscard]] const DisplayImage& image() const { return image_; }
    [[nodiscard]] const OpenedSource& opened() const { return opened_; }  // without a pipeline: not open
    [[nodiscard]] bool active() const { return opened_.pipeline && !failed_; }
    [[nodiscard]] bool delivers() const;  // frames: neither ended nor silent

    // For the wall. number of the attempt: a late result of another one is dropped.
    int begin_opening();
    [[nodiscard]] int attempt() const { return attempt_; }
    [[nodiscard]] std::stop_token stop_token() const { return stop_.get_token(); }
    void set_opened(const OpenedSource& opened);
    std::shared_ptr<Pipeline> take_pipeline();  // the tile is not open then
    std::shared_ptr<Pipeline> fail(const Error& error);
    void set_image(DisplayImage image);
    void refresh();  // the figures
    void add_presented(const std::shared_ptr<const FrameResult>& result);

signals:
    void changed();
    void imageChanged();
    void retryRequested();

private:
    int number_;
    QString spec_;
    QString title_;
    OpenedSource opened_;
    DisplayImage image_;
    int attempt_ = 0;
    std::stop_source stop_;
    bool failed_ = false;
    bool silent_ = false;  // a live source without frames
    int failures_ = 0;     // since it last showed a frame
    QString problem_;
    QTimer retry_;
    int faces_ = 0;
    double frame_rate_ = 0;
    RollingStatistics latency_{60};
    std::weak_ptr<const FrameResult> on_screen_;
};

}  // namespace throng::ui
