#include "ui/session/capture_files.h"

#include <QBuffer>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QImageWriter>
#include <QStandardPaths>

#include <string_view>

#include "core/base/error.h"
#include "core/base/output_file.h"

namespace throng::ui {

QString reserve_capture(CaptureKind kind) {
    const bool video = kind == CaptureKind::video;
    QString folder =
        QStandardPaths::writableLocation(video ? QStandardPaths::MoviesLocation : QStandardPaths::PicturesLocation);
    if (folder.isEmpty() || !QDir().mkpath(folder)) folder = QDir::homePath();
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmmss"));
    const QString stem = QStringLiteral("%1/throng-%2").arg(folder, stamp);
    const QString suffix = video ? QStringLiteral(".mp4") : QStringLiteral(".png");
    QString path = stem + suffix;
    const auto create = [&] { return QFile(path).open(QIODevice::WriteOnly | QIODevice::NewOnly); };
    for (int n = 2; !create() && QFile::exists(path); ++n) path = stem + u'-' + QString::number(n) + suffix;
    return path;
}

void release_capture(const QString& path) {
    if (QFileInfo(path).size() == 0) QFile::remove(path);
}

OverlayOptions overlay_on_screen(const DisplaySettings& display) {
    OverlayOptions options;
    options.raw = display.raw();
    options.kept = display.kept();
    options.tracks = display.tracks();
    options.labels = display.labels();
    options.landmarks = display.landmarks();
    return options;
}

ImageRequest screenshot_request(const std::shared_ptr<const FrameResult>& result, const DisplaySettings& display) {
    ImageRequest request;
    request.result = result;
    request.item = QSizeF(result->frame.width(), result->frame.height());
    request.blur = display.blur();
    request.paint_overlay = true;
    request.overlay = overlay_on_screen(display);
    return request;
}

void write_screenshot(const ImageRequest& request, const QString& path) {
    write_png(ImageMaker().make(request).image, path);
}

void write_png(const QImage& image, const QString& path) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QImageWriter writer(&buffer, "png");
    if (!writer.write(image)) {
        throw Error(ErrorKind::internal, "cannot encode the screenshot: " + writer.errorString().toStdString());
    }
    write_file(path.toStdString(), {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace throng::ui
