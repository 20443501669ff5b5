#include "ui/files/thumbnails.h"

#include <memory>

#include "core/base/log.h"
#include "core/video/source.h"
#include "ui/render/display_image.h"

namespace throng::ui {
namespace {

QImage first_image(const QString& path, const QSize& size) {
    SourceOptions options;
    options.decoder = DecoderKind::software;  // those of the hardware are few, and the open video needs one
    options.open_timeout = options.read_timeout = 2;
    const std::unique_ptr<VideoSource> source = open_source(path.toStdString(), options);
    auto result = std::make_shared<FrameResult>();
    const ReadStatus status = source->read(result->frame, {});
    if (status != ReadStatus::frame && status != ReadStatus::format_changed) return {};
    ImageRequest request;
    request.result = result;
    return ImageMaker().make(request).image.scaled(size, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

}  // namespace

// In hexadecimal digits: QML would decode other names.
QUrl Thumbnails::url_of(const QString& path) {
    return QUrl(QStringLiteral("image://%1/%2").arg(QLatin1String(kName), QLatin1String(path.toUtf8().toHex())));
}

QImage Thumbnails::requestImage(const QString& id, QSize* size, const QSize& requested) {
    const QString path = QString::fromUtf8(QByteArray::fromHex(id.toLatin1()));
    QImage image;
    try {
        image = first_image(path, requested);
    } catch (const std::exception& error) {
        logger().debug("no small image of {}: {}", path.toStdString(), error.what());
    }
    if (image.isNull()) {
        image = QImage(1, 1, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
    }
    *size = image.size();
    return image;
}

}  // namespace throng::ui
