// Which sections of the side panel are expanded, and whether the panel is shown; saved between runs.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QSettings>

namespace throng::ui {

class PanelSections : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")

public:
    // store must outlive the object.
    explicit PanelSections(QSettings& store, QObject* parent = nullptr) : QObject(parent), store_(store) {}

    // All sections are open by default.
    Q_INVOKABLE [[nodiscard]] bool isOpen(const QString& key) const { return store_.value(path(key), true).toBool(); }
    Q_INVOKABLE void setOpen(const QString& key, bool open) { store_.setValue(path(key), open); }

private:
    [[nodiscard]] static QString path(const QString& key) { return QStringLiteral("sections/") + key; }

    QSettings& store_;
};

}  // namespace throng::ui
