#include "ui/render/display_image.h"

#include <QPainter>
#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "core/base/error.h"
#include "ui/render/overlay_painter.h"

namespace throng::ui {
namespace {

constexpr std::size_t kImages = 6;  // kept for reuse: one is being made, the others wait to be shown

cv::Mat mat_of(QImage& image) {
    return {image.height(), image.width(), CV_8UC4, image.bits(), static_cast<std::size_t>(image.bytesPerLine())};
}

cv::Mat mat_of(const QImage& image) {
    return {image.height(), image.width(), CV_8UC4, const_cast<uchar*>(image.constBits()),
            static_cast<std::size_t>(image.bytesPerLine())};
}

// True if the device converts the frame itself and hides its faces: 4:2:0 and gray frames with nothing drawn into them.
bool is_kept_on_device(const ImageRequest& request) {
    const Frame& frame = request.result->frame;
    return request.keep_on_device && frame.info().memory == MemoryKind::device && frame.has_luma() &&
           !request.paint_overlay;
}

}  // namespace

DisplayImage ImageMaker::make(const ImageRequest& request) {
    const FrameResult& result = *request.result;
    const QSize frame(result.frame.width(), result.frame.height());
    const QRect whole(QPoint(0, 0), frame);
    if (is_kept_on_device(request)) return {request.result, {}, true, whole, request.blur};
    const ViewMapping mapping(request.item, frame, request.device_ratio, request.zoom);
    const QSize requested = mapping.device_size();
    if (const std::pair sizes{frame, requested}; std::exchange(sizes_, sizes) != sizes) images_.clear();

    QImage image = convert(result.frame);
    // Linear filtering on the GPU skips pixels below half the size, so scale here. The software renderer would scale on
    // the window's thread, so always scale for it.
    const bool magnified = request.paint_overlay && request.zoom.factor > 1;
    const bool scale = magnified               ? false
                       : request.paint_overlay ? requested != frame
                                               : 2 * requested.width() <= frame.width();
    if (scale && !requested.isEmpty()) {
        QImage small = scaled(image, requested, image.rect());
        recycle(image);
        image = std::move(small);
    }
    if (request.blur) {
        const RedactRegions regions = throng::scaled(
            regions_to_hide(result), static_cast<float>(image.width()) / static_cast<float>(frame.width()),
            static_cast<float>(image.height()) / static_cast<float>(frame.height()));
        redact(bgra_image(image.bits(), image.bytesPerLine(), image.width(), image.height()), regions, result.redact);
    }
    QRect part = whole;
    if (magnified) {
        part = mapping.visible_part();
        QImage cropped = scaled(image, (mapping.map_part(part).size() * request.device_ratio).toSize(), part);
        recycle(image);
        image = std::move(cropped);
    }
    if (request.paint_overlay && !requested.isEmpty()) {
        plan_overlay(result, mapping, request.overlay, request.device_ratio, plan_);
        QPainter painter(&image);
        painter.scale(request.device_ratio, request.device_ratio);
        painter.translate(-mapping.map_part(part).topLeft());
        paint_overlay(painter, plan_);
    }
    recycle(image);
    return {request.result, image, false, part, request.blur};
}

void ImageMaker::recycle(const QImage& image) {
    if (images_.size() >= kImages) {
        const auto unused =
            std::find_if(images_.begin(), images_.end(), [](const QImage& i) { return i.isDetached(); });
        images_.erase(unused != images_.end() ? unused : images_.begin());
    }
    images_.push_back(image);
}

QImage ImageMaker::take(QSize size) {
    const auto unused = std::find_if(images_.begin(), images_.end(),
                                     [&](const QImage& image) { return image.size() == size && image.isDetached(); });
    QImage image;
    if (unused != images_.end()) {
        image = std::move(*unused);
        images_.erase(unused);
    } else {
        image = QImage(size, QImage::Format_RGB32);
    }
    if (image.isNull()) throw Error(ErrorKind::internal, "cannot allocate an image of this size");
    return image;
}

QImage ImageMaker::convert(const Frame& frame) {
    QImage image = take({frame.width(), frame.height()});
    converter_.convert(frame, Packing::bgra32, image.bits(), image.bytesPerLine());
    return image;
}

QImage ImageMaker::scaled(const QImage& image, QSize size, const QRect& part) {
    QImage result = take(size.expandedTo({1, 1}));
    cv::Mat to = mat_of(result);
    const bool smaller = size.width() < part.width();
    const cv::Mat from = mat_of(image)(cv::Rect(part.x(), part.y(), part.width(), part.height()));
    cv::resize(from, to, to.size(), 0, 0, smaller ? cv::INTER_AREA : cv::INTER_LINEAR);
    return result;
}

}  // namespace throng::ui
