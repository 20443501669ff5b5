// One source of the wall: what it shows, and its figures.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <memory>

#include "core/pipeline/pipeline.h"
#include "ui/session/frame_feed.h"
#include "ui/session/source_controller.h"

namespace throng::ui {

// Lives on the window's thread. The feed brings the images; QML reads the figures.
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
    Q_PROPERTY(throng::ui::FrameFeed* feed READ feed CONSTANT)

public:
    // images makes those of the tile.
    WallTile(int number, QString spec, QString title, ImageThread& images, const SessionSetup& setup,
             std::function<BackendChoice(const DetectorParams&)> make_backend, QObject* parent = nullptr);

    [[nodiscard]] int number() const { return number_; }  // from 0
    [[nodiscard]] const QString& spec() const { return spec_; }
    [[nodiscard]] const QString& title() const { return title_; }
    [[nodiscard]] QString state() const;                        // opening, running, paused, silent, ended, failed
    [[nodiscard]] QString problem() const { return problem_; }  // why it failed, or a notice; empty: none
    [[nodiscard]] int retry_in() const { return controller_.retry_in(); }  // seconds; failed only
    [[nodiscard]] int faces() const { return faces_; }
    [[nodiscard]] double frame_rate() const { return frame_rate_; }
    [[nodiscard]] double latency() const { return feed_.latency(); }
    [[nodiscard]] bool has_image() const { return !feed_.shown().image.isNull() || feed_.shown().on_device; }
    [[nodiscard]] FrameFeed* feed() { return &feed_; }
    [[nodiscard]] SourceController& controller() { return controller_; }
    [[nodiscard]] bool active() const { return controller_.pipeline() != nullptr; }  // open, and has not failed
    [[nodiscard]] bool delivers() const;                                             // frames: neither ended nor silent

    void refresh();  // the figures, for the wall

signals:
    void changed();
    void imageChanged();

private:
    void start();
    void fail(const Error& error);

    int number_;
    QString spec_;
    QString title_;
    FrameFeed feed_;
    bool failed_ = false;  // until it is open again
    bool silent_ = false;  // a live source without frames
    QString problem_;
    int faces_ = 0;
    double frame_rate_ = 0;
    SourceController controller_;  // last: its pipeline uses the feed
};

}  // namespace throng::ui
