// Which sections of the side panel are expanded, and whether the panel is shown; saved between runs.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QSettings>
#include <map>
#include <utility>

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
    // False until setOpen, in this run or one before.
    Q_INVOKABLE [[nodiscard]] bool isKnown(const QString& key) const { return store_.contains(path(key)); }
    Q_INVOKABLE void setOpen(const QString& key, bool open) {
        at_start_.try_emplace(key, store_.value(path(key)));
        store_.setValue(path(key), open);
    }
    // Returns all sections to their state at the program's start.
    Q_INVOKABLE void restore() {
        for (const auto& [key, open] : std::exchange(at_start_, {})) {
            if (open.isValid())
                store_.setValue(path(key), open);
            else
                store_.remove(path(key));
            emit restored(key);
        }
    }

signals:
    void restored(const QString& key);

private:
    [[nodiscard]] static QString path(const QString& key) { return QStringLiteral("sections/") + key; }

    QSettings& store_;
    std::map<QString, QVariant> at_start_;  // of those that have changed; invalid: unknown
};

}  // namespace throng::ui
