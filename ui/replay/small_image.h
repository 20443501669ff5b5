// Images of results in low resolution, as JPEG: many of them are kept.
#pragma once

#include <QImage>
#include <memory>
#include <vector>

#include "ui/render/display_image.h"

namespace throng::ui {

using Jpeg = std::vector<unsigned char>;

// Returns the image of a result, at most so many pixels wide, with hidden faces if requested. For any thread.
[[nodiscard]] Jpeg small_jpeg(ImageMaker& maker, const std::shared_ptr<const FrameResult>& result, int max_width,
                              bool hides_faces);

// Returns a null image for data that is none.
[[nodiscard]] QImage image_of(const Jpeg& jpeg);

}  // namespace throng::ui
