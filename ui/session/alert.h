// The message banner of the window: what happened, where, and what to do about it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

#include "core/base/error.h"

namespace throng::ui {

class Alert : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool visible READ visible NOTIFY changed)
    Q_PROPERTY(bool isError READ is_error NOTIFY changed)
    Q_PROPERTY(QString what READ what NOTIFY changed)
    Q_PROPERTY(QString where READ where NOTIFY changed)
    Q_PROPERTY(QString advice READ advice NOTIFY changed)

public:
    using QObject::QObject;

    [[nodiscard]] bool visible() const { return !what_.isEmpty(); }
    [[nodiscard]] bool is_error() const { return is_error_; }  // shown until dismissed; other messages may fade out
    [[nodiscard]] QString what() const { return what_; }
    [[nodiscard]] QString where() const { return where_; }
    [[nodiscard]] QString advice() const { return advice_; }

    // A new message replaces the current one.
    void show(const Error& error);
    void show(const QString& what, const QString& where = {});  // a notification: a file was written
    Q_INVOKABLE void notify(const QString& what, const QString& where) { show(what, where); }
    Q_INVOKABLE void dismiss();

signals:
    void changed();

private:
    void set(bool is_error, const QString& what, const QString& where, const QString& advice);

    bool is_error_ = false;
    QString what_, where_, advice_;
};

}  // namespace throng::ui
