// The files to look at one after the other: those that were dropped together, or those beside the open file.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QObject>
#include <QStringList>
#include <QUrl>
#include <functional>

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
    using Run = std::function<void(std::function<void()>)>;

    // run: calls a function on another thread. Both outlive the object.
    Playlist(Source& source, Run run, QObject* parent = nullptr);

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
    Run run_;
    QStringList files_;
    bool together_ = false;
    int run_number_ = 0;  // of the newest list
};

}  // namespace throng::ui
