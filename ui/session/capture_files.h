// Where screenshots and recordings go, and how a screenshot is written.
#pragma once

#include <QImage>
#include <QString>

#include "ui/session/display_settings.h"
#include "ui/video/display_image.h"

namespace throng::ui {

enum class CaptureKind { image, video };

// A new file named after the time of day in the user's folder of images or videos (made when it is missing), else in
// the home folder: "…/throng-2025-03-14-152653.png".
[[nodiscard]] QString capture_path(CaptureKind kind);

// The frame at its own size with what the window shows over it.
[[nodiscard]] ImageRequest screenshot_request(const std::shared_ptr<const FrameResult>& result,
                                              const DisplaySettings& display);

// Makes the image and writes it as PNG; on any thread. Throws Error(input) when the file cannot be written.
void write_screenshot(const ImageRequest& request, const QString& path);

// Writes a whole PNG file or leaves what was there. Throws as write_file does. compression: 0 to 100, -1 for the usual.
void write_png(const QImage& image, const QString& path, int compression = -1);

}  // namespace throng::ui
