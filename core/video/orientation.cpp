#include "core/video/orientation.h"

#include <cmath>
#include <cstdlib>
#include <opencv2/core.hpp>
#include <utility>

namespace throng {
namespace {

int channels(PixelFormat format, int plane) {
    if (format == PixelFormat::bgr24) return 3;
    return format == PixelFormat::nv12 && plane == 1 ? 2 : 1;
}

void transform_plane(const cv::Mat& from, cv::Mat& to, Orientation orientation) {
    if (orientation.transpose) {
        cv::transpose(from, to);
    } else {
        from.copyTo(to);
    }
    if (!orientation.flip_x && !orientation.flip_y) return;
    cv::flip(to, to, orientation.flip_x && orientation.flip_y ? -1 : (orientation.flip_x ? 1 : 0));
}

}  // namespace

Orientation orientation_of(const std::int32_t* display_matrix) {
    // The matrix maps (x, y) to (a x + c y, b x + d y).
    const double a = display_matrix[0];
    const double b = display_matrix[1];
    const double c = display_matrix[3];
    const double d = display_matrix[4];
    Orientation result;
    result.transpose = std::abs(b) + std::abs(c) > std::abs(a) + std::abs(d);
    result.flip_x = result.transpose ? c < 0 : a < 0;
    result.flip_y = result.transpose ? b < 0 : d < 0;
    return result;
}

Orientation orientation_of_exif(std::uint32_t value) {
    switch (value) {
        case 2: return {false, true, false};
        case 3: return {false, true, true};
        case 4: return {false, false, true};
        case 5: return {true, false, false};
        case 6: return {true, true, false};
        case 7: return {true, true, true};
        case 8: return {true, false, true};
        default: return {};
    }
}

Orientation combined(Orientation first, Orientation second) {
    // A transposition after mirroring swaps the axes of the mirrors.
    if (second.transpose) std::swap(first.flip_x, first.flip_y);
    return {first.transpose != second.transpose, first.flip_x != second.flip_x, first.flip_y != second.flip_y};
}

Frame rotated(const Frame& frame, Orientation orientation, FramePool& pool) {
    const FrameInfo& info = frame.info();
    const int width = orientation.transpose ? info.height : info.width;
    const int height = orientation.transpose ? info.width : info.height;
    WritableFrame result = pool.take(info.format, width, height);
    result.info() = info;
    result.info().width = width;
    result.info().height = height;
    for (int p = 0; p < plane_count(info.format); ++p) {
        const int depth = channels(info.format, p);
        const PlaneView& source = frame.plane(p);
        const PlaneView& target = result.plane(p);
        const cv::Mat from(source.height, source.width / depth, CV_8UC(depth), const_cast<std::uint8_t*>(source.data),
                           static_cast<std::size_t>(source.pitch));
        cv::Mat to(target.height, target.width / depth, CV_8UC(depth), result.data(p),
                   static_cast<std::size_t>(target.pitch));
        transform_plane(from, to, orientation);
    }
    return std::move(result).finish();
}

}  // namespace throng
