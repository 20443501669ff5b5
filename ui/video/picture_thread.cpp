#include "ui/video/picture_thread.h"

#include <exception>

#include "core/base/log.h"

namespace throng::ui {

PictureThread::PictureThread(std::function<void(Picture)> done)
    : done_(std::move(done)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void PictureThread::request(PictureRequest request) {
    {
        const std::lock_guard lock(mutex_);
        waiting_ = std::move(request);
    }
    wake_.notify_one();
}

void PictureThread::run(const std::stop_token& stop) {
    PictureMaker maker;
    while (true) {
        PictureRequest request;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, stop, [this] { return waiting_.has_value(); })) return;
            request = std::move(*waiting_);
            waiting_.reset();
        }
        try {
            done_(maker.make(request));
        } catch (const std::exception& error) {
            spdlog::error("cannot show a frame: {}", error.what());
        }
    }
}

}  // namespace throng::ui
