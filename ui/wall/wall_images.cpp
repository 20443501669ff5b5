#include "ui/wall/wall_images.h"

#include <exception>
#include <utility>

#include "core/base/log.h"

namespace throng::ui {

WallImages::WallImages(std::size_t tiles, std::function<void(std::size_t, DisplayImage)> done)
    : done_(std::move(done)) {
    for (std::size_t i = 0; i < tiles; ++i) tiles_.push_back(std::make_unique<Tile>());
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void WallImages::show(std::size_t tile, std::shared_ptr<const FrameResult> result, int run) {
    {
        const std::lock_guard lock(mutex_);
        tiles_[tile]->newest.result = std::move(result);
        tiles_[tile]->newest.run = run;
        tiles_[tile]->pending = true;
    }
    wake_.notify_one();
}

void WallImages::set_view(std::size_t tile, const ImageView& view) {
    {
        const std::lock_guard lock(mutex_);
        ImageView& current = tiles_[tile]->newest;
        if (current == view) return;
        current = view;
        if (!tiles_[tile]->newest.result) return;
        tiles_[tile]->pending = true;
    }
    wake_.notify_one();
}

void WallImages::run(const std::stop_token& stop) {
    std::size_t last = 0;
    while (true) {
        ImageRequest request;
        {
            std::unique_lock lock(mutex_);
            std::size_t next = 0;
            const auto find = [&] {
                for (std::size_t i = 1; i <= tiles_.size(); ++i) {
                    next = (last + i) % tiles_.size();
                    if (tiles_[next]->pending) return true;
                }
                return false;
            };
            if (!wake_.wait(lock, stop, find)) return;
            last = next;
            tiles_[next]->pending = false;
            request = tiles_[next]->newest;
        }
        DisplayImage image{request.result, request.run, {}, false, {}};
        try {
            if (request.result && !request.item.isEmpty()) image = tiles_[last]->maker.make(request);
        } catch (const std::exception& error) {
            spdlog::error("cannot show a frame: {}", error.what());
        }
        done_(last, std::move(image));
    }
}

}  // namespace throng::ui
