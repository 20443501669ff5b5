// Makes images on a thread of its own, so that neither the window nor the detector waits for color conversion.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "ui/video/display_image.h"

namespace throng::ui {

// Holds one waiting request: a newer one replaces it.
class ImageThread {
public:
    // done is called on the thread, once an image; must only post a message.
    explicit ImageThread(std::function<void(DisplayImage)> done);

    void request(ImageRequest request);

private:
    void run(const std::stop_token& stop);

    std::function<void(DisplayImage)> done_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<ImageRequest> waiting_;
    std::jthread thread_;  // last: stops before the rest goes
};

}  // namespace throng::ui
