// The files to look at one after the other: those that were dropped together, or those beside the open file.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QUrl>

#include "core/base/error.h"
#include "ui/session/source.h"

namespace throng::ui {

// Returns the videos and images that these paths name: files as they are given, those below folders in natural order.
// At most 10,000.
[[nodiscard]] QStringList media_files(const QStringList& paths);

// Lives on the window's thread. Folders are listed on another one.
class Playlist : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(int count READ count NOTIFY changed)
    Q_PROPERTY(QString place READ place NOTIFY changed)

public:
    // source must outlive the object.
    explicit Playlist(Source& source, QObject* parent = nullptr);

    [[nodiscard]] int count() const { return static_cast<int>(files_.size()); }
    [[nodiscard]] QString place() const;                       // of the open file: "3 of 12"; empty: there is no other
    [[nodiscard]] bool together() const { return together_; }  // they were dropped together: one follows the other

    // One: opens it. Several: opens the first one, and the others follow.
    Q_INVOKABLE void openAll(const QList<QUrl>& urls);
    // Opens the file that is so many files later. Returns false if there is none.
    Q_INVOKABLE bool step(int files);

signals:
    void changed();
    void openRequested(const QString& spec);
    void failed(const throng::Error& error);

private:
    [[nodiscard]] qsizetype index() const;  // of the open file; -1: it is not in the list
    void list(const QStringList& paths, bool together);
    void follow_source();

    Source& source_;
    QStringList files_;
    bool together_ = false;
    int list_number_ = 0;  // of the newest one
    QThreadPool pool_;     // last: its threads post to this object
};

}  // namespace throng::ui
