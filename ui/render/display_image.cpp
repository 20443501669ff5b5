#include "ui/render/display_image.h"

#include <QPainter>
#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "core/base/error.h"
#include "core/video/annotate.h"
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

// True if the device converts the frame itself: 4:2:0 and gray frames with nothing drawn into them.
bool is_kept_on_device(const ImageRequest& request) {
    const Frame& frame = request.result->frame;
    return request.keep_on_device && frame.info().memory == MemoryKind::device && frame.has_luma() && !request.blur &&
           !request.paint_overlay;
}

}  // namespace

DisplayImage ImageMaker::make(const ImageRequest& request) {
    if (is_kept_on_device(request)) return {request.result, request.run, {}, true};
    const FrameResult& result = *request.result;
    const QSize frame(result.frame.width(), result.frame.height());
    const ViewMapping mapping(request.item, frame, request.device_ratio);
    const QSize requested = mapping.device_size();

    QImage image = convert(result.frame);
    // Linear filtering on the GPU skips pixels below half the size, so scale here. The software renderer would scale on
    // the window's thread, so always scale for it.
    const bool scale = request.paint_overlay ? requested != frame : 2 * requested.width() <= frame.width();
    if (scale && !requested.isEmpty()) {
        QImage small = scaled(image, requested);
        recycle(image);
        image = std::move(small);
    }
    if (request.blur) {
        cv::Mat pixels = mat_of(image);
        hide_faces(pixels, result.kept.detections, Privacy::blur,
                   static_cast<float>(image.width()) / static_cast<float>(frame.width()),
                   static_cast<float>(image.height()) / static_cast<float>(frame.height()));
    }
    if (request.paint_overlay && !requested.isEmpty()) {
        plan_overlay(result, mapping, request.overlay, request.device_ratio, plan_);
        QPainter painter(&image);
        painter.scale(request.device_ratio, request.device_ratio);
        painter.translate(-mapping.target().topLeft());
        paint_overlay(painter, plan_);
    }
    recycle(image);
    return {request.result, request.run, image, false};
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
    std::erase_if(images_, [&](const QImage& image) { return image.size() != size && image.isDetached(); });
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

QImage ImageMaker::scaled(const QImage& image, QSize size) {
    QImage result = take(size);
    cv::Mat to = mat_of(result);
    const bool smaller = size.width() < image.width();
    cv::resize(mat_of(image), to, {size.width(), size.height()}, 0, 0, smaller ? cv::INTER_AREA : cv::INTER_LINEAR);
    return result;
}

}  // namespace throng::ui
