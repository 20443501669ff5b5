// The state behind the window of a review: tracks and decisions, the frame on screen, and writing.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QImage>
#include <QRectF>
#include <optional>
#include <thread>
#include <vector>

#include "ui/models/row_model.h"
#include "ui/review/review_player.h"
#include "ui/review/review_window.h"

namespace throng::ui {

// A list model of the tracks. Lives on the window's thread.
class Review : public throng::ui::RowModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("created by the program")
    Q_PROPERTY(QString input READ input CONSTANT)
    Q_PROPERTY(QString output READ output CONSTANT)
    Q_PROPERTY(int open READ num_open NOTIFY decisionsChanged)
    Q_PROPERTY(bool unsaved READ unsaved NOTIFY decisionsChanged)
    Q_PROPERTY(int current READ current WRITE select NOTIFY currentChanged)
    Q_PROPERTY(QString title READ title NOTIFY currentChanged)
    Q_PROPERTY(bool playing READ playing WRITE set_playing NOTIFY playingChanged)
    Q_PROPERTY(double position READ position NOTIFY frameChanged)
    Q_PROPERTY(QVariant frameImage READ frame_image NOTIFY frameChanged)
    Q_PROPERTY(QSize frameSize READ frame_size NOTIFY frameChanged)
    Q_PROPERTY(QVariant outlines READ outlines NOTIFY outlineChanged)
    Q_PROPERTY(bool onRight READ on_right NOTIFY frameChanged)
    Q_PROPERTY(bool writing READ writing NOTIFY writingChanged)
    Q_PROPERTY(double progress READ progress NOTIFY progressChanged)
    Q_PROPERTY(QString message READ message NOTIFY messageChanged)
    Q_PROPERTY(bool failed READ failed NOTIFY messageChanged)

public:
    explicit Review(ReviewOptions options, QObject* parent = nullptr);

    [[nodiscard]] QString input() const { return QString::fromStdString(options_.input); }
    [[nodiscard]] QString output() const { return QString::fromStdString(options_.output); }
    [[nodiscard]] int num_open() const;  // tracks without a decision
    [[nodiscard]] bool unsaved() const;  // a decision is not written
    [[nodiscard]] int current() const { return current_; }
    void select(int row);                 // shows the middle of the track
    [[nodiscard]] QString title() const;  // "Track 3"
    [[nodiscard]] bool playing() const { return playing_; }
    void set_playing(bool playing);  // the track and half a second around it, in a loop
    [[nodiscard]] double position() const { return pts_; }
    // Returns true if the current track is in the right half of the frame.
    [[nodiscard]] bool on_right() const { return outline().center().x() > image_.width() / 2.0; }
    [[nodiscard]] bool writing() const { return writing_; }
    [[nodiscard]] double progress() const { return progress_; }
    [[nodiscard]] QString message() const { return message_; }
    [[nodiscard]] bool failed() const { return failed_; }  // the message is an error

    // Decides about the current track, and selects the next one without a decision, if any.
    Q_INVOKABLE void decide(bool keep);
    // Takes the decision about the current track back.
    Q_INVOKABLE void undecide();
    Q_INVOKABLE void write();
    Q_INVOKABLE void cancel();  // writing

    [[nodiscard]] const QImage& image() const { return image_; }
    // Returns where the current track is in the frame on screen, in pixels of the frame; empty outside its time.
    [[nodiscard]] QRectF outline() const;
    [[nodiscard]] QVariant frame_image() const { return image_; }
    [[nodiscard]] QSize frame_size() const { return image_.size(); }
    [[nodiscard]] QVariant outlines() const;  // the outline, if there is one, as std::vector<Box>

signals:
    void outlineChanged();  // with the frame or the current track
    void decisionsChanged();
    void currentChanged();
    void playingChanged();
    void frameChanged();
    void writingChanged();
    void progressChanged();
    void messageChanged();

private:
    [[nodiscard]] std::size_t size() const override { return tracks_.size(); }
    void set_decision(ReviewTrack::Decision decision);
    void show();
    void set_message(const QString& text, bool failed);
    void finish(std::optional<std::vector<ReviewTrack>> tracks, const Message& error);

    ReviewOptions options_;
    std::vector<ReviewTrack> tracks_;
    std::vector<ReviewTrack::Decision> written_;  // decisions of the report
    int current_ = -1;
    bool playing_ = false;
    QImage image_;
    double pts_ = 0;
    bool writing_ = false;
    double progress_ = 0;
    QString message_;
    bool failed_ = false;
    ReviewPlayer player_;
    std::jthread writer_;
};

}  // namespace throng::ui
