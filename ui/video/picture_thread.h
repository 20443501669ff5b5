// Makes pictures on a thread of its own, so that neither the window nor the detector waits for colour conversion.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "ui/video/picture.h"

namespace throng::ui {

// Holds one waiting request: a newer one replaces it.
class PictureThread {
public:
    // done is called on the thread, once a picture; must only post a message.
    explicit PictureThread(std::function<void(Picture)> done);

    void request(PictureRequest request);

private:
    void run(const std::stop_token& stop);

    std::function<void(Picture)> done_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<PictureRequest> waiting_;
    std::jthread thread_;  // last: stops before the rest goes
};

}  // namespace throng::ui
