// Makes images on a separate thread, so that color conversion blocks neither the window nor the detector.
#pragma once

#include <functional>
#include <mutex>
#include <thread>

#include "core/base/latest_value.h"
#include "ui/render/display_image.h"

namespace throng::ui {

// Holds the newest result only: a newer one replaces it. All functions may be called on any thread; they return at
// once.
class ImageThread {
public:
    // done is called on the image thread and must only post a message: after each show, and after each set_view that
    // changes the image. If the image cannot be made, the error is logged and `done` receives the result alone.
    explicit ImageThread(std::function<void(DisplayImage)> done);

    // Makes the image of a result. Without a result or a view, `done` receives no image. run is passed through.
    void show(std::shared_ptr<const FrameResult> result, int run);
    void set_view(const ImageView& view);
    void clear();  // forgets the result, which may hold device memory

private:
    void run(const std::stop_token& stop);

    std::function<void(DisplayImage)> done_;
    std::mutex mutex_;
    ImageRequest current_;  // newest result and view
    LatestValue<ImageRequest> requests_;
    std::jthread thread_;  // last: stops before the other members are destroyed
};

}  // namespace throng::ui
