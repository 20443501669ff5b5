// A frame made ready for the screen, together with the boxes that belong to it.
#pragma once

#include <QImage>
#include <memory>
#include <vector>

#include "core/pipeline/frame_result.h"
#include "core/video/convert.h"
#include "ui/video/overlay_plan.h"

namespace throng::ui {

// How an image is requested.
struct ImageRequest {
    std::shared_ptr<const FrameResult> result;
    int run = 0;  // which source it belongs to: Session::run
    QSizeF item;  // room on screen, logical pixels
    double device_ratio = 1;
    bool blur = false;            // make kept faces unrecognizable
    bool paint_overlay = false;   // the software renderer's way: final size, boxes painted in
    bool keep_on_device = false;  // a frame of device memory is shown from there, where it is to be shown as it is
    OverlayOptions overlay;
};

struct DisplayImage {
    std::shared_ptr<const FrameResult> result;
    int run = 0;
    QImage image;  // RGB32; null where the result's frame is shown from device memory
};

// Makes images and recycles their images. Not thread-safe; the images it gives may be read on any thread.
class ImageMaker {
public:
    // With keep_on_device a frame of device memory stays where it is, unless something is to be drawn into it. Else the
    // image is made in host memory, fetched from the device if need be: as the frame, or as large as on screen where
    // that is half of it or less; with paint_overlay it always has the size on screen. Throws Error(internal) when the
    // frame cannot be converted.
    [[nodiscard]] DisplayImage make(const ImageRequest& request);

private:
    [[nodiscard]] QImage take(QSize size);
    void recycle(const QImage& image);  // free once the others who hold it have let go
    [[nodiscard]] QImage convert(const Frame& frame);
    [[nodiscard]] QImage scaled(const QImage& image, QSize size);

    PixelConverter converter_;
    std::vector<QImage> images_;
    OverlayPlan plan_;
};

}  // namespace throng::ui
