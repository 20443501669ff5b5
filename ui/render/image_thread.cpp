#include "ui/render/image_thread.h"

#include <exception>

#include "core/base/log.h"

namespace throng::ui {

ImageThread::ImageThread(std::function<void(DisplayImage)> done)
    : done_(std::move(done)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ImageThread::request(ImageRequest request) {
    {
        const std::lock_guard lock(mutex_);
        pending_ = std::move(request);
    }
    wake_.notify_one();
}

void ImageThread::run(const std::stop_token& stop) {
    ImageMaker maker;
    while (true) {
        ImageRequest request;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, stop, [this] { return pending_.has_value(); })) return;
            request = std::move(*pending_);
            pending_.reset();
        }
        try {
            done_(maker.make(request));
        } catch (const std::exception& error) {
            spdlog::error("cannot show a frame: {}", error.what());
        }
    }
}

}  // namespace throng::ui
