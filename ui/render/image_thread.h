// Makes images on a separate thread, so that color conversion blocks neither the window nor the detector.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "ui/base/worker.h"
#include "ui/render/display_image.h"

namespace throng::ui {

// Makes images for one view, or for several that take turns. Holds the newest result of each only: a newer one replaces
// it. show and set_view may be called on any thread; they return at once.
class ImageThread {
public:
    // receive is called on the thread of `owner`: after each show, and after each set_view that changes the image. If
    // the image cannot be made, the error is logged and it receives the result alone.
    ImageThread(QObject* owner, std::size_t views, std::function<void(std::size_t view, DisplayImage image)> receive);

    // Makes the image of a result. Without a result or the properties of the view, there is no image.
    void show(std::shared_ptr<const FrameResult> result, std::size_t view = 0);
    void set_view(const ImageView& properties, std::size_t view = 0);
    void clear(std::size_t view = 0);  // forgets the result, which may hold device memory

private:
    std::mutex mutex_;
    std::vector<ImageRequest> newest_;
    Worker<ImageRequest, std::pair<std::size_t, DisplayImage>> worker_;  // last: its thread uses the others
};

}  // namespace throng::ui
