// Small images of the photographs and videos in a folder, for Image of QML.
#pragma once

#include <QQuickImageProvider>
#include <QUrl>

namespace throng::ui {

// Makes them on Qt's thread for images. Of a file that cannot be read, the image is one transparent pixel.
class Thumbnails : public QQuickImageProvider {
public:
    Thumbnails() : QQuickImageProvider(Image, ForceAsynchronousImageLoading) {}

    static constexpr const char* kName = "thumbnail";
    [[nodiscard]] static QUrl url_of(const QString& path);

    // requested: the image is at most as large.
    QImage requestImage(const QString& id, QSize* size, const QSize& requested) override;
};

}  // namespace throng::ui
