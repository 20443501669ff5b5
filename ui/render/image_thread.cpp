#include "ui/render/image_thread.h"

#include <exception>
#include <utility>

#include "core/base/log.h"

namespace throng::ui {

ImageThread::ImageThread(std::function<void(DisplayImage)> done)
    : done_(std::move(done)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ImageThread::show(std::shared_ptr<const FrameResult> result, int run) {
    const std::lock_guard lock(mutex_);
    current_.result = std::move(result);
    current_.run = run;
    requests_.push(current_);
}

void ImageThread::set_view(const ImageView& view) {
    const std::lock_guard lock(mutex_);
    ImageView& current = current_;
    if (current == view) return;
    current = view;
    if (current_.result) requests_.push(current_);
}

void ImageThread::clear() {
    const std::lock_guard lock(mutex_);
    current_.result.reset();
    requests_.clear();
}

void ImageThread::run(const std::stop_token& stop) {
    ImageMaker maker;
    while (true) {
        ImageRequest request;
        if (requests_.pop(request, stop) != PopStatus::value) return;
        DisplayImage image{request.result, request.run, {}, false, {}};
        try {
            if (request.result && !request.item.isEmpty()) image = maker.make(request);
        } catch (const std::exception& error) {
            spdlog::error("cannot show a frame: {}", error.what());
        }
        done_(std::move(image));
    }
}

}  // namespace throng::ui
