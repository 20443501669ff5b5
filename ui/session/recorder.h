// Records the frames with their overlay to a video file.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <memory>
#include <string>

#include "core/pipeline/pipeline.h"
#include "ui/settings/display_settings.h"

namespace throng::ui {

// Makes the sink that writes an annotated video; throws Error(input) when the file cannot be created.
using MakeRecording =
    std::function<std::shared_ptr<ResultSink>(const std::string& path, const SourceInfo& source, bool raw, bool blur)>;

class Recorder : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool recording READ recording NOTIFY changed)
    Q_PROPERTY(int seconds READ seconds NOTIFY secondsChanged)

public:
    explicit Recorder(MakeRecording make, QObject* parent = nullptr);
    ~Recorder() override;

    [[nodiscard]] bool recording() const { return sink_ != nullptr; }
    [[nodiscard]] bool hides_faces() const { return recording() && hides_faces_; }
    [[nodiscard]] int seconds() const;  // since the start

    // Writes each result of the pipeline from now on to a new file in the user's video folder. Uses the current
    // settings for boxes and blur, and the times at which the frames were shown, whatever the playback speed. An error (a full disk) stops the recording only and emits failed().
    void start(const std::shared_ptr<Pipeline>& pipeline, const SourceInfo& source, const DisplaySettings& display);
    // Closes the file on another thread, then emits written(), or failed() if no frame was recorded.
    void stop();
    // Waits until the files of recordings that were stopped are closed.
    void wait_closed() { closer_.waitForDone(); }

signals:
    void changed();
    void secondsChanged();
    void written(const QString& path);
    void failed(const throng::Error& error);

private:
    MakeRecording make_;
    std::weak_ptr<Pipeline> pipeline_;
    std::shared_ptr<ResultSink> sink_;
    int number_ = 0;  // of the newest recording
    bool hides_faces_ = false;
    QElapsedTimer since_;
    QTimer tick_;
    QThreadPool closer_;
};

}  // namespace throng::ui
