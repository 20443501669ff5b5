#include "ui/render/image_thread.h"

#include <exception>
#include <utility>

#include "core/base/log.h"

namespace throng::ui {

ImageThread::ImageThread(std::function<void(DisplayImage)> done)
    : done_(std::move(done)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ImageThread::show(std::shared_ptr<const FrameResult> result, int run) {
    {
        const std::lock_guard lock(mutex_);
        request_.result = std::move(result);
        request_.run = run;
        is_pending_ = true;
    }
    wake_.notify_one();
}

void ImageThread::set_view(const ImageView& view) {
    {
        const std::lock_guard lock(mutex_);
        ImageView& current = request_;
        if (current == view) return;
        current = view;
        if (!request_.result) return;
        is_pending_ = true;
    }
    wake_.notify_one();
}

void ImageThread::clear() {
    const std::lock_guard lock(mutex_);
    request_.result.reset();
    is_pending_ = false;
}

void ImageThread::run(const std::stop_token& stop) {
    ImageMaker maker;
    while (true) {
        ImageRequest request;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, stop, [this] { return is_pending_; })) return;
            request = request_;
            is_pending_ = false;
        }
        DisplayImage image{request.result, request.run, {}, false};
        try {
            if (request.result && !request.item.isEmpty()) image = maker.make(request);
        } catch (const std::exception& error) {
            spdlog::error("cannot show a frame: {}", error.what());
        }
        done_(std::move(image));
    }
}

}  // namespace throng::ui
