// Answers what the file dialog asks of the file system, for QML.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QUrl>

namespace throng::ui {

class FileSystem : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_SINGLETON
    // The desktop has a file dialog that Qt can open. Otherwise the window shows its own.
    Q_PROPERTY(bool desktopAsks READ desktop_asks CONSTANT)

public:
    [[nodiscard]] static bool desktop_asks();
    // Decides by the values of QT_QPA_PLATFORMTHEME and XDG_CURRENT_DESKTOP, and by the names of the installed plugins.
    [[nodiscard]] static bool theme_asks(const QString& themes, const QString& desktops, const QStringList& plugins);

    // Returns the absolute path that a user means by this text, which may be relative to the folder, begin with "~/" or
    // be a file URL. suffix: of a name without one, "toml". Empty: it names no file and no folder.
    Q_INVOKABLE [[nodiscard]] static QString pathOf(const QString& text, const QString& folder, const QString& suffix);
    Q_INVOKABLE [[nodiscard]] static bool isFile(const QString& path);
    Q_INVOKABLE [[nodiscard]] static bool isFolder(const QString& path);
    Q_INVOKABLE [[nodiscard]] static bool isReadable(const QString& path);  // by this user
    Q_INVOKABLE [[nodiscard]] static QString parentOf(const QString& path);
    Q_INVOKABLE [[nodiscard]] static QString documents();  // the user's folder for them, or the home folder
    Q_INVOKABLE [[nodiscard]] static QUrl urlOf(const QString& path);
    Q_INVOKABLE [[nodiscard]] static QUrl thumbnailOf(const QString& path);  // see Thumbnails
};

}  // namespace throng::ui
