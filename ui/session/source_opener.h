// Opens sources on a thread pool and makes their pipelines. A newer request cancels the previous one.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "ui/session/session_setup.h"

namespace throng::ui {

struct OpenRequest {
    std::string spec;
    PipelineSettings settings;
    PipelineOptions playback;
    std::shared_ptr<Pipeline> previous;  // runs until the source is open, then is stopped; may be null
    std::shared_ptr<Pipeline> closing;   // destroyed before the source is opened; the only reference; may be null
    bool stand_in = false;               // shown until another source is back: no part of the program's outputs
};

// Returns true if both sources may need the same device (a camera, also within a GStreamer pipeline or a mosaic): the
// open one must be closed first.
[[nodiscard]] bool may_share_device(const QString& a, const QString& b);

struct OpenedSource {
    std::shared_ptr<Pipeline> pipeline;  // not started
    BackendChoice choice;
    bool has_sinks = false;  // the program's own output sinks
    int source_number = 1;   // see SessionSetup::make_sinks
};

// Lives on the window's thread and emits its signals there; no function blocks, except the destructor.
class SourceOpener : public QObject {
    Q_OBJECT

public:
    // setup must outlive the object.
    explicit SourceOpener(const SessionSetup& setup, QObject* parent = nullptr);
    // Cancels the request in progress and waits for the threads.
    ~SourceOpener() override;

    // Opens the source, stops the previous pipeline, and makes the next one. Emits released after the stop, then opened
    // or failed. If the source cannot be opened, the previous pipeline continues and only failed is emitted.
    void open(OpenRequest request);

    void cancel();  // the request in progress: nothing is emitted for it

    // Destroys a pipeline on another thread, if this is its last reference: closing a stream may take long.
    void destroy(std::shared_ptr<Pipeline> pipeline);

    // Runs a function on another thread.
    void run(std::function<void()> work) { pool_.start(std::move(work)); }

signals:
    void released(const throng::Pipeline* previous);  // it has been stopped for another source
    void opened(const throng::ui::OpenedSource& source);
    void failed(const throng::Error& error);

private:
    void work(int number, OpenRequest& request, const std::stop_token& stop);

    const SessionSetup& setup_;
    std::atomic<int> number_ = 0;  // of the newest request
    std::stop_source stop_;        // of the newest request
    std::mutex engine_mutex_;      // held while pipelines are stopped, destroyed and made: one after the other
    bool has_made_sinks_ = false;  // the program's own, for a source that is open; guarded by engine_mutex_
    QThreadPool pool_;
};

}  // namespace throng::ui
