// Makes the images of all tiles of the wall on one thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ui/render/display_image.h"

namespace throng::ui {

// Holds the newest result of each tile; the tiles take turns. All functions may be called on any thread and return at
// once, except the constructor and the destructor.
class WallImages {
public:
    // done is called on the thread of the images, with the tile, and must only post a message.
    WallImages(std::size_t tiles, std::function<void(std::size_t, DisplayImage)> done);

    // Makes the image of a result. Without a result or a view, `done` receives no image. run is passed through.
    void show(std::size_t tile, std::shared_ptr<const FrameResult> result, int run);
    // Makes the image of the newest result again if the view has changed.
    void set_view(std::size_t tile, const ImageView& view);

private:
    struct Tile {
        ImageRequest newest;
        bool pending = false;
        ImageMaker maker;  // its images are of one size
    };
    void run(const std::stop_token& stop);

    std::function<void(std::size_t, DisplayImage)> done_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::vector<std::unique_ptr<Tile>> tiles_;  // `maker` belongs to the thread
    std::jthread thread_;                       // last: it uses the others
};

}  // namespace throng::ui
