#include "ui/files/file_system.h"

#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QStandardPaths>

#include "ui/files/thumbnails.h"

namespace throng::ui {

bool FileSystem::desktop_asks() {
    const QString platform = QGuiApplication::platformName();
    if (QT_VERSION < QT_VERSION_CHECK(6, 3, 0) || (platform != u"xcb" && !platform.startsWith(u"wayland"))) {
        return false;
    }
    QStringList plugins;
    for (const QString& folder : QCoreApplication::libraryPaths()) {
        plugins += QDir(folder + QStringLiteral("/platformthemes")).entryList(QDir::Files);
    }
    return theme_asks(qEnvironmentVariable("QT_QPA_PLATFORMTHEME"), qEnvironmentVariable("XDG_CURRENT_DESKTOP"),
                      plugins);
}

// Qt loads the first theme that there is: one that the user names, then that of the desktop, which is GTK's on desktops
// that are made with it. Few have dialogs; others only set colors and fonts.
bool FileSystem::theme_asks(const QString& themes, const QString& desktops, const QStringList& plugins) {
    const QStringList with_dialogs{QStringLiteral("gtk3"), QStringLiteral("kde"), QStringLiteral("lxqt"),
                                   QStringLiteral("xdgdesktopportal")};
    QStringList names = themes.toLower().split(u':', Qt::SkipEmptyParts);
    for (const QString& desktop : desktops.toLower().split(u':', Qt::SkipEmptyParts)) {
        for (const char* gtk : {"gnome", "cinnamon", "pantheon", "unity", "mate", "xfce", "lxde"}) {
            if (desktop.endsWith(QLatin1String(gtk))) names += QStringLiteral("gtk3");
        }
        if (desktop == u"kde" || desktop == u"lxqt") names += desktop;
    }
    for (const QString& name : names) {
        for (const QString& plugin : plugins) {
            if (plugin.contains(name, Qt::CaseInsensitive)) return with_dialogs.contains(name);
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

bool FileSystem::isReadable(const QString& path) {
    return QFileInfo(path).isReadable();
}

QString FileSystem::parentOf(const QString& path) {
    return QFileInfo(QDir::cleanPath(path)).absolutePath();
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
