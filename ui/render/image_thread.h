// Makes images on a separate thread, so that color conversion blocks neither the window nor the detector.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "ui/render/display_image.h"

namespace throng::ui {

// Holds one pending request: a newer one replaces it.
class ImageThread {
public:
    // done is called on the image thread, once per image, and must only post a message.
    explicit ImageThread(std::function<void(DisplayImage)> done);

    void request(ImageRequest request);

private:
    void run(const std::stop_token& stop);

    std::function<void(DisplayImage)> done_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<ImageRequest> pending_;
    std::jthread thread_;  // last: stops before the other members are destroyed
};

}  // namespace throng::ui
