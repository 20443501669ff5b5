#include "ui/replay/small_image.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "core/video/jpeg.h"

namespace throng::ui {
namespace {

constexpr int kQuality = 70;  // about 10 KB for 320 pixels

}  // namespace

Jpeg small_jpeg(ImageMaker& maker, const std::shared_ptr<const FrameResult>& result, int max_width, bool hides_faces) {
    ImageRequest request;
    request.result = result;
    const Frame& frame = result->frame;
    request.blur = hides_faces;
    const int width = std::min(max_width, frame.width());
    request.item = QSizeF(width, std::max(1, frame.height() * width / frame.width()));
    const QImage image = maker.make(request).image;
    const cv::Mat pixels(image.height(), image.width(), CV_8UC4, const_cast<uchar*>(image.constBits()),
                         static_cast<std::size_t>(image.bytesPerLine()));
    cv::Mat small;
    cv::cvtColor(pixels, small, cv::COLOR_BGRA2BGR);
    if (small.cols > width) {
        cv::resize(small, small, cv::Size(width, static_cast<int>(request.item.height())), 0, 0, cv::INTER_AREA);
    }
    return encode_jpeg(small, kQuality);
}

QImage image_of(const Jpeg& jpeg) {
    const cv::Mat decoded = decode_jpeg(jpeg).image;
    if (decoded.empty()) return {};
    return QImage(decoded.data, decoded.cols, decoded.rows, static_cast<int>(decoded.step), QImage::Format_BGR888)
        .copy();
}

}  // namespace throng::ui
