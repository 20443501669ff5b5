#include "core/frame/frame_pool.h"

#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace throng {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMaxFrame = std::size_t{1} << 30;

std::size_t rounded_up(std::size_t n) {
    return (n + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

struct FramePool::Shared {
    struct FreeDeleter {
        void operator()(void* p) const noexcept { std::free(p); }
    };
    using Block = std::unique_ptr<void, FreeDeleter>;

    std::mutex mutex;
    std::vector<std::pair<std::size_t, Block>> idle;
    std::size_t idle_limit = 0;

    Block take(std::size_t bytes) {
        {
            const std::lock_guard lock(mutex);
            // Blocks of another size belong to a previous format: free them.
            std::erase_if(idle, [bytes](const auto& entry) { return entry.first != bytes; });
            if (!idle.empty()) {
                Block block = std::move(idle.back().second);
                idle.pop_back();
                return block;
            }
        }
        Block block(std::aligned_alloc(kAlignment, bytes));
        if (!block) throw std::bad_alloc();
        return block;
    }

    void release(std::size_t bytes, Block block) {
        const std::lock_guard lock(mutex);
        if (idle.size() < idle_limit) idle.emplace_back(bytes, std::move(block));
    }
};

FramePool::FramePool(std::size_t idle_limit) : shared_(std::make_shared<Shared>()) {
    shared_->idle_limit = idle_limit;
    shared_->idle.reserve(idle_limit);
}

WritableFrame FramePool::take(PixelFormat format, int width, int height) {
    const auto rejected = [&](const char* why, const std::string& advice = {}) {
        return Error(ErrorKind::input, why, std::to_string(width) + "x" + std::to_string(height), advice);
    };
    if (width < 1 || height < 1) throw rejected("a frame must have at least one pixel");
    if (height > kMaxPixels / width) {
        throw rejected("the frame is too large", "at most " + std::to_string(kMaxPixels >> 20) + " megapixels");
    }

    WritableFrame frame;
    frame.info_.width = width;
    frame.info_.height = height;
    frame.info_.format = format;

    std::size_t offsets[Frame::kMaxPlanes] = {};
    std::size_t bytes = 0;
    for (int p = 0; p < plane_count(format); ++p) {
        frame.planes_[p] = plane_shape(format, width, height, p);
        frame.planes_[p].pitch =
            static_cast<std::ptrdiff_t>(rounded_up(static_cast<std::size_t>(frame.planes_[p].width)));
        offsets[p] = bytes;
        bytes += static_cast<std::size_t>(frame.planes_[p].pitch) * static_cast<std::size_t>(frame.planes_[p].height);
    }
    if (bytes > kMaxFrame) throw rejected("the frame is larger than 1 gigabyte");
    bytes += kAlignment;

    Shared::Block block = shared_->take(bytes);
    auto* base = static_cast<std::uint8_t*>(block.get());
    for (int p = 0; p < plane_count(format); ++p) {
        frame.data_[p] = base + offsets[p];
        frame.planes_[p].data = frame.data_[p];
    }
    frame.owner_ = std::shared_ptr<void>(
        block.release(), [shared = shared_, bytes](void* p) { shared->release(bytes, Shared::Block(p)); });
    return frame;
}

}  // namespace throng
