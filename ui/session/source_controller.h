// Opens one source of the window or of the wall on a thread pool, holds its pipeline, and reports when it fails and when
// to open it again. A newer request cancels the previous one.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "ui/base/retry_timer.h"
#include "ui/session/session_setup.h"

namespace throng::ui {

struct OpenRequest {
    QString spec;
    PipelineSettings settings;
    PipelineOptions playback;
    bool stand_in = false;  // shown until another source is back: no part of the program's outputs
};

// Returns true if both sources may need the same device (a camera, also within a GStreamer pipeline or a mosaic): the
// open one must be closed first.
[[nodiscard]] bool may_share_device(const QString& a, const QString& b);

struct OpenedSource {
    QString spec;
    std::shared_ptr<Pipeline> pipeline;  // null: no source is open
    BackendChoice choice;
    bool has_sinks = false;  // the program's own output sinks
    int source_number = 1;   // see SessionSetup::make_sinks
};

struct SourcePolicy {
    bool one_of_several = false;  // of a wall: opened again after a failure, and files get no outputs
    int source_number = 1;        // until adopt brings another one
    // Shared by several sources; empty: that of the setup.
    std::function<BackendChoice(const DetectorParams&)> make_backend;
};

// Lives on the window's thread and emits its signals there; no function blocks, except the destructor.
class SourceController : public QObject {
    Q_OBJECT

public:
    // setup must outlive the object.
    explicit SourceController(const SessionSetup& setup, SourcePolicy policy = {}, QObject* parent = nullptr);
    // Cancels the request in progress and waits for the threads.
    ~SourceController() override;

    [[nodiscard]] const OpenedSource& source() const { return source_; }
    [[nodiscard]] const std::shared_ptr<Pipeline>& pipeline() const { return source_.pipeline; }
    [[nodiscard]] const QString& opening() const { return opening_; }  // spec of the request in progress; empty: none
    // The error of the open source, if it could not be opened or failed later. A source that fails to open while
    // another one runs leaves none.
    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
    [[nodiscard]] int retry_in() const { return retry_.seconds(); }  // 0: no attempt is due

    // Opens the source. The current one runs until the next one is open, and on if it cannot be opened; one that may
    // need the same device is closed first.
    void open(OpenRequest request);
    void cancel();  // the request in progress, and the next attempt
    // Continues with a source that another object has opened. Its pipeline may run.
    void adopt(OpenedSource source);
    [[nodiscard]] OpenedSource release();  // without a source afterwards
    void close() { destroy(release().pipeline); }
    void poll();                             // emits failed, once, if the source has failed since it was opened
    void set_delivers() { retry_.reset(); }  // it has recovered
    void expect_again();                     // its outputs hear that the source will be back

    // Completes the outputs of the pipeline, and of those that other threads destroy, and waits for it. For the end of
    // the program in the midst of its work: emits nothing, and leaves the objects.
    void complete();

    // Destroys a pipeline on another thread, if this is its last reference: closing a stream may take long.
    void destroy(std::shared_ptr<Pipeline> pipeline);
    // Runs a function on another thread.
    void run(std::function<void()> work) { pool_.start(std::move(work)); }

signals:
    void openingChanged();
    void closing(const QString& next);  // the source was taken away; next: what is shown instead, empty for nothing
    void opened();                      // or adopted
    void failed(const throng::Error& error);
    void retryDue();

private:
    void set_opening(const QString& spec);
    [[nodiscard]] OpenedSource take(const QString& next);
    void use(OpenedSource source);
    void fail(const Error& error);
    void work(int number, OpenRequest& request, std::shared_ptr<Pipeline> previous, std::shared_ptr<Pipeline> closing,
              const std::stop_token& stop);

    const SessionSetup& setup_;
    SourcePolicy policy_;
    OpenedSource source_;
    QString opening_;
    std::optional<Error> failure_;
    RetryTimer retry_{std::chrono::seconds(1), std::chrono::seconds(30)};
    std::atomic<int> number_ = 0;  // of the newest request
    std::stop_source stop_;        // of the newest request
    std::mutex engine_mutex_;      // held while pipelines are stopped, destroyed and made: one after the other
    bool has_made_sinks_ = false;  // the program's own, for a source that is open; guarded by engine_mutex_
    QThreadPool pool_;             // last: its threads use the others
};

}  // namespace throng::ui
