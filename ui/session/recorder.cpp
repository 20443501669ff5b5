#include "ui/session/recorder.h"

#include <algorithm>
#include <chrono>

#include "core/base/error.h"
#include "ui/base/post.h"
#include "ui/session/capture_files.h"

namespace throng::ui {
namespace {

constexpr double kMinFrameTime = 0.001;  // seconds

// Catches the errors of a recording, which would otherwise stop the pipeline, and reports how the recording ended.
class GuardedSink : public ResultSink {
public:
    // done: called once, on the thread that wrote or closed, with the error if there was one.
    using DoneCallback = std::function<void(std::optional<Error>)>;
    GuardedSink(std::shared_ptr<ResultSink> inner, DoneCallback done)
        : inner_(std::move(inner)), done_(std::move(done)) {}

    void write(const FrameResult& result) override {
        if (!inner_) return;
        try {
            inner_->write(as_shown(result));
            has_frames_ = true;
        } catch (...) {
            end(current_error());
        }
    }

    void close() override { end(std::nullopt); }

private:
    // Returns the result with the time of its appearance on screen, from the start of the recording: playback may be
    // faster or slower than the source, jump, or pause.
    FrameResult as_shown(const FrameResult& result) {
        const FrameInfo& info = result.frame.info();
        if (!has_frames_) start_ = info.captured;
        const double shown = std::chrono::duration<double>(info.captured - start_).count();
        last_ = has_frames_ ? std::max(shown, last_ + kMinFrameTime) : 0;
        FrameResult copy = result;
        copy.frame = result.frame.with_timing(info.index, last_, info.captured);
        return copy;
    }

    void end(std::optional<Error> error) {
        if (!inner_) return;
        try {
            inner_->close();
        } catch (...) {
            if (!error) error = current_error();
        }
        inner_.reset();
        if (!error && !has_frames_) {  // playback was paused
            error =
                Error(ErrorKind::input, "the recording contains no frames", {}, "record while the source is playing");
        }
        done_(std::move(error));
    }

    std::shared_ptr<ResultSink> inner_;
    DoneCallback done_;
    bool has_frames_ = false;                      // frames written
    std::chrono::steady_clock::time_point start_;  // capture of the first frame
    double last_ = 0;                              // seconds from the start to the last frame
};

}  // namespace

Recorder::Recorder(MakeRecording make, QObject* parent) : QObject(parent), make_(std::move(make)) {
    tick_.setInterval(1000);
    connect(&tick_, &QTimer::timeout, this, &Recorder::secondsChanged);
}

Recorder::~Recorder() {
    stop();
    wait_closed();
}

int Recorder::seconds() const {
    return since_.isValid() ? static_cast<int>(since_.elapsed() / 1000) : 0;
}

void Recorder::start(const std::shared_ptr<Pipeline>& pipeline, const SourceInfo& source,
                     const DisplaySettings& display) {
    stop();
    const QString path = reserve_capture(CaptureKind::video);
    std::shared_ptr<ResultSink> file;
    try {
        file = make_(path.toStdString(), source, display.raw(), display.blur());
    } catch (const Error& error) {
        release_capture(path);
        emit failed(error);
        return;
    }
    hides_faces_ = display.blur();
    const int number = ++number_;
    sink_ = std::make_shared<GuardedSink>(std::move(file), [this, path, number](const std::optional<Error>& error) {
        release_capture(path);
        post(this, [this, path, number, error] {
            if (error) {
                if (number == number_) stop();  // otherwise another recording has started
                emit failed(*error);
            } else {
                emit written(path);
            }
        });
    });
    pipeline_ = pipeline;
    pipeline->add_sink(sink_);
    since_.start();
    tick_.start();
    emit changed();
    emit secondsChanged();
}

void Recorder::stop() {
    if (!sink_) return;
    // Closing writes the rest of the file, so it runs on another thread. A destroyed pipeline has closed the sink
    // already.
    closer_.start([sink = std::move(sink_), pipeline = pipeline_.lock()] {
        if (pipeline) pipeline->remove_sink(sink);
    });
    sink_.reset();
    tick_.stop();
    since_.invalidate();
    emit changed();
    emit secondsChanged();
}

}  // namespace throng::ui
