#include "ui/session/captures.h"

#include <utility>

#include "ui/base/post.h"
#include "ui/session/capture_files.h"

namespace throng::ui {

Captures::Captures(MakeRecording make_recording, const DisplaySettings& display, Alert& alert, QObject* parent)
    : QObject(parent), display_(display), alert_(alert), recorder_(std::move(make_recording)) {
    connect(&recorder_, &Recorder::written, this,
            [this](const QString& path) { alert_.show(tr("Recording saved"), path); });
    connect(&recorder_, &Recorder::failed, this, [this](const Error& error) { alert_.show(error); });
}

Captures::~Captures() {
    recorder_.stop();
    wait_written();
}

void Captures::wait_written() {
    recorder_.wait_closed();
    writer_.waitForDone();
}

void Captures::attach(std::shared_ptr<Pipeline> pipeline) {
    recorder_.stop();
    pipeline_ = std::move(pipeline);
}

void Captures::record() {
    if (recorder_.recording()) {
        recorder_.stop();
    } else if (pipeline_) {
        used_ = true;
        recorder_.start(pipeline_, pipeline_->source_info(), display_);
    }
}

void Captures::saveScreenshot() {
    const auto result = pipeline_ ? pipeline_->latest() : nullptr;
    if (!result) return;
    used_ = true;
    const QString path = reserve_capture(CaptureKind::image);
    writer_.start([this, path, shot = screenshot_request(result, display_)] {
        try {
            write_screenshot(shot, path);
            post(this, [this, path] { alert_.show(tr("Screenshot saved"), path); });
        } catch (const Error& error) {
            release_capture(path);
            post(this, [this, error] { alert_.show(error); });
        }
    });
}

}  // namespace throng::ui
