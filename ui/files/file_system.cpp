#include "ui/files/file_system.h"

#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLibraryInfo>
#include <QStandardPaths>

#include "ui/files/thumbnails.h"

namespace throng::ui {

// Qt loads the plugin of the desktop by this name, or that of GTK on desktops that are made with it.
bool FileSystem::desktop_asks() {
    const QString platform = QGuiApplication::platformName();
    if (QT_VERSION < QT_VERSION_CHECK(6, 3, 0) || (platform != u"xcb" && !platform.startsWith(u"wayland"))) {
        return false;
    }
    QStringList names = qEnvironmentVariable("QT_QPA_PLATFORMTHEME").toLower().split(u':', Qt::SkipEmptyParts);
    for (const QString& desktop : qEnvironmentVariable("XDG_CURRENT_DESKTOP").toLower().split(u':')) {
        for (const char* gtk : {"gnome", "cinnamon", "pantheon", "unity", "mate", "xfce", "lxde"}) {
            if (desktop.endsWith(QLatin1String(gtk))) names += QStringLiteral("gtk3");
        }
        if (desktop == u"kde" || desktop == u"lxqt") names += desktop;
    }
    const QDir plugins(QLibraryInfo::path(QLibraryInfo::PluginsPath) + QStringLiteral("/platformthemes"));
    for (const QString& file : plugins.entryList(QDir::Files)) {
        for (const QString& name : names) {
            if (file.contains(name, Qt::CaseInsensitive)) return true;
        }
    }
    return false;
}

QString FileSystem::pathOf(const QString& text, const QString& folder, const QString& suffix) {
    QString name = text.trimmed();
    if (name.startsWith(QStringLiteral("file://"))) name = QUrl(name).toLocalFile();
    if (name == u"~" || name.startsWith(QStringLiteral("~/"))) name.replace(0, 1, QDir::homePath());
    if (name.isEmpty()) return {};
    QFileInfo file(QDir(folder), name);
    if (!file.isDir() && name.endsWith(u'/')) return {};
    if (!file.isDir() && !suffix.isEmpty() && file.suffix().isEmpty()) {
        file.setFile(file.filePath() + u'.' + suffix);
    }
    return QDir::cleanPath(file.absoluteFilePath());
}

bool FileSystem::isFile(const QString& path) {
    const QFileInfo file(path);
    return file.exists() && !file.isDir();
}

bool FileSystem::isFolder(const QString& path) {
    return QFileInfo(path).isDir();
}

QString FileSystem::parentOf(const QString& path) {
    return QFileInfo(path).absolutePath();
}

QString FileSystem::documents() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QFileInfo(folder).isDir() ? folder : QDir::homePath();
}

QUrl FileSystem::urlOf(const QString& path) {
    return QUrl::fromLocalFile(path);
}

QUrl FileSystem::thumbnailOf(const QString& path) {
    return Thumbnails::url_of(path);
}

}  // namespace throng::ui
