// File names of screenshots and recordings, and writing of screenshots.
#pragma once

#include <QImage>
#include <QString>

#include "ui/render/display_image.h"
#include "ui/settings/display_settings.h"

namespace throng::ui {

enum class CaptureKind { image, video };

// Creates an empty file in the user's folder of images or videos, named after the current time, and returns its path:
// "…/throng-2025-03-14-152653.png". No other capture gets this name, of another window neither. Creates a missing folder;
// uses the home folder if that fails.
[[nodiscard]] QString reserve_capture(CaptureKind kind);
// Removes the file if nothing was written to it.
void release_capture(const QString& path);

// Returns what the window draws over a frame.
[[nodiscard]] OverlayOptions overlay_on_screen(const DisplaySettings& display);

// Makes the request for an image of the frame at its own resolution, with the overlay that the window shows.
[[nodiscard]] ImageRequest screenshot_request(const std::shared_ptr<const FrameResult>& result,
                                              const DisplaySettings& display);

// Renders the image and writes it as PNG. May be called on any thread. Throws Error(input) if the file cannot be
// written.
void write_screenshot(const ImageRequest& request, const QString& path);

// Writes a complete PNG file or leaves an existing file unchanged. Throws as write_file does.
void write_png(const QImage& image, const QString& path);

}  // namespace throng::ui
