#include "core/frame/frame.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/frame/host_copies.h"

namespace throng {

Frame::Frame(const FrameInfo& info, const PlaneView (&planes)[kMaxPlanes], std::shared_ptr<const void> owner,
             HostCopy host_copy) {
    auto data = std::make_shared<Data>();
    data->info = info;
    std::copy(std::begin(planes), std::end(planes), std::begin(data->planes));
    data->owner = std::move(owner);
    data->host_copy = host_copy;
    data_ = std::move(data);
}

Frame::Frame(const FrameInfo& info, std::shared_ptr<const FrameRows> rows) {
    auto data = std::make_shared<Data>();
    data->info = info;
    data->rows = std::move(rows);
    data_ = std::move(data);
}

Frame Frame::on_host() const {
    if (data_->rows) {
        throw Error(ErrorKind::internal, "a frame that is read in strips cannot be copied to the host");
    }
    if (data_->info.memory != MemoryKind::device) return *this;
    if (data_->host_copy == nullptr) throw Error(ErrorKind::internal, "this device frame cannot be copied to the host");
    Frame copy = data_->host_copy(data_->info, data_->owner.get());
    for (int p = 0; p < plane_count(copy.info().format); ++p) {
        count_host_copy(static_cast<std::uint64_t>(copy.plane(p).width) *
                        static_cast<std::uint64_t>(copy.plane(p).height));
    }
    return copy;
}

Frame Frame::with_timing(std::int64_t index, double pts, std::chrono::steady_clock::time_point captured) const {
    auto data = std::make_shared<Data>(*data_);
    data->info.index = index;
    data->info.pts = pts;
    data->info.captured = captured;
    Frame frame;
    frame.data_ = std::move(data);
    return frame;
}

Frame Frame::as_damaged() const {
    auto data = std::make_shared<Data>(*data_);
    data->info.damaged = true;
    Frame frame;
    frame.data_ = std::move(data);
    return frame;
}

int plane_count(PixelFormat format) noexcept {
    switch (format) {
        case PixelFormat::nv12: return 2;
        case PixelFormat::yuv420p: return 3;
        case PixelFormat::gray8:
        case PixelFormat::bgr24: return 1;
    }
    return 0;
}

PlaneView plane_shape(PixelFormat format, int width, int height, int p) noexcept {
    PlaneView shape;
    const int half_width = (width + 1) / 2;
    const int half_height = (height + 1) / 2;
    switch (format) {
        case PixelFormat::gray8: shape.width = width; break;
        case PixelFormat::bgr24: shape.width = 3 * width; break;
        case PixelFormat::nv12: shape.width = p == 0 ? width : 2 * half_width; break;
        case PixelFormat::yuv420p: shape.width = p == 0 ? width : half_width; break;
    }
    shape.height = p == 0 ? height : half_height;
    return shape;
}

}  // namespace throng
