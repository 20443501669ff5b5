// Converts a frame for display, together with the boxes that belong to it.
#pragma once

#include <QImage>
#include <memory>
#include <utility>
#include <vector>

#include "core/pipeline/frame_result.h"
#include "core/video/convert.h"
#include "ui/render/overlay_plan.h"

namespace throng::ui {

// How a view shows frames.
struct ImageView {
    QSizeF item;  // size of the item, logical pixels; empty: there is no view
    double device_ratio = 1;
    Zoom zoom;
    bool blur = false;            // make the faces of kept detections unrecognizable
    bool paint_overlay = false;   // for the software renderer: final size, boxes painted into the image
    bool keep_on_device = false;  // show a frame in device memory without a host copy, if nothing is drawn into it
    OverlayOptions overlay;

    friend bool operator==(const ImageView&, const ImageView&) = default;
};

// Parameters of an image to make.
struct ImageRequest : ImageView {
    std::shared_ptr<const FrameResult> result;
};

struct DisplayImage {
    std::shared_ptr<const FrameResult> result;
    QImage image;            // RGB32; null if on_device, or if there is nothing to draw
    bool on_device = false;  // the result's frame is shown from device memory
    QRect part;              // of the frame in pixels, shown by the image
    bool hides_faces = false;
};

// Makes images and reuses their memory. Not thread-safe; the returned images may be read on any thread.
class ImageMaker {
public:
    // With keep_on_device, a frame in device memory stays there unless something is drawn into it. Otherwise makes the
    // image in host memory, after a copy from the device if necessary. The image has the frame's size, or the size on
    // screen if that is at most half of it; with paint_overlay it has the size on screen and, if magnified, contains
    // the visible part only. Throws Error(internal)
    // if the frame cannot be converted.
    [[nodiscard]] DisplayImage make(const ImageRequest& request);

private:
    [[nodiscard]] QImage take(QSize size);
    void recycle(const QImage& image);  // reusable once it is no longer shared
    [[nodiscard]] QImage convert(const Frame& frame);
    [[nodiscard]] QImage scaled(const QImage& image, QSize size, const QRect& part);

    PixelConverter converter_;
    std::vector<QImage> images_;
    std::pair<QSize, QSize> sizes_;  // of the last frame, and on screen: images of others are not needed again
    OverlayPlan plan_;
};

}  // namespace throng::ui
