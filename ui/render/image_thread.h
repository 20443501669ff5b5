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
    // owner lives on the window's thread, and outlives the object.
    ImageThread(QObject* owner, std::size_t views);

    // receive is called on the window's thread: after each show, and after each set_view that changes the image. If
    // the image cannot be made, the error is logged and it receives the result alone. Set before the first show.
    using Receive = std::function<void(DisplayImage image)>;
    void set_receiver(Receive receive, std::size_t view) { receivers_[view] = std::move(receive); }

    // Makes the image of a result. Without a result or the properties of the view, there is no image.
    void show(std::shared_ptr<const FrameResult> result, std::size_t view);
    void set_view(const ImageView& properties, std::size_t view);
    void clear(std::size_t view);  // forgets the result, which may hold device memory

private:
    std::mutex mutex_;
    std::vector<ImageRequest> newest_;
    std::vector<Receive> receivers_;
    Worker<ImageRequest, std::pair<std::size_t, DisplayImage>> worker_;  // last: its thread uses the others
};

}  // namespace throng::ui
