#include "ui/render/image_thread.h"

#include <exception>
#include <utility>

#include "core/base/log.h"

namespace throng::ui {

ImageThread::ImageThread(QObject* owner, std::size_t views)
    : newest_(views),
      receivers_(views),
      worker_(
          owner, [this](auto made, const Message&) { receivers_[made.first](std::move(made.second)); }, views) {
    // The images of a view are of one size.
    worker_.open([makers = std::vector<ImageMaker>(views)](const ImageRequest& request, const auto& job) mutable {
        DisplayImage image{request.result, {}, false, {}};
        try {
            if (request.result && !request.item.isEmpty()) image = makers[job.lane()].make(request);
        } catch (const std::exception& error) {
            logger().error("cannot show a frame: {}", error.what());
        }
        job.report({job.lane(), std::move(image)});
    });
}

void ImageThread::show(std::shared_ptr<const FrameResult> result, std::size_t view) {
    const std::lock_guard lock(mutex_);
    newest_[view].result = std::move(result);
    worker_.push(newest_[view], view);
}

void ImageThread::set_view(const ImageView& properties, std::size_t view) {
    const std::lock_guard lock(mutex_);
    ImageView& current = newest_[view];
    if (current == properties) return;
    current = properties;
    if (newest_[view].result) worker_.push(newest_[view], view);
}

void ImageThread::clear(std::size_t view) {
    const std::lock_guard lock(mutex_);
    newest_[view].result.reset();
    worker_.clear(view);
}

}  // namespace throng::ui
