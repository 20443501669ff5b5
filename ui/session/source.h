// Name and properties of the open source. The session sets them; QML reads them.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

#include "core/video/source.h"
#include "ui/language/language.h"

namespace throng::ui {

// Lives on the window's thread.
class Source : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(QString patterns READ patterns CONSTANT)
    Q_PROPERTY(QString spec READ spec NOTIFY changed)
    Q_PROPERTY(QString title READ title NOTIFY changed)
    Q_PROPERTY(QString opening READ opening NOTIFY openingChanged)
    Q_PROPERTY(QString details READ details NOTIFY infoChanged)
    Q_PROPERTY(bool live READ live NOTIFY infoChanged)
    Q_PROPERTY(bool seekable READ seekable NOTIFY infoChanged)
    Q_PROPERTY(bool still READ still NOTIFY infoChanged)
    Q_PROPERTY(double duration READ duration NOTIFY infoChanged)

public:
    using QObject::QObject;

    [[nodiscard]] static QString patterns();              // for a file dialog: "*.mp4 *.mkv … *.jpg"
    [[nodiscard]] QString spec() const { return spec_; }  // as it was opened; empty before the first source
    [[nodiscard]] QString title() const;                  // short name of the spec
    [[nodiscard]] QString opening() const;                // title of the source that is being opened; empty: none
    [[nodiscard]] QString details() const { return translated_message(info_.details); }
    [[nodiscard]] bool live() const { return info_.live; }
    [[nodiscard]] bool seekable() const { return info_.seekable && duration() > 0; }
    [[nodiscard]] bool still() const { return info_.frame_count == 1; }           // one frame, nothing to play
    [[nodiscard]] double duration() const { return info_.duration.value_or(0); }  // seconds; 0: unknown

    [[nodiscard]] const SourceInfo& info() const { return info_; }

    void set_spec(const QString& spec);  // another source: clears the info
    void set_info(const SourceInfo& info);
    void set_opening(const QString& spec);  // empty: the attempt has ended

signals:
    void changed();
    void infoChanged();
    void openingChanged();

private:
    QString spec_, opening_;
    SourceInfo info_;
};

}  // namespace throng::ui
