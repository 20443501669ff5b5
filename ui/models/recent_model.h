// List model of the recently opened sources, the newest first; saved between runs.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QStringList>

#include "ui/models/row_model.h"

class QSettings;

namespace throng::ui {

class RecentModel : public throng::ui::RowModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")

public:
    static constexpr int kLimit = 10;

    // store must outlive the model.
    explicit RecentModel(QSettings& store, QObject* parent = nullptr);

    [[nodiscard]] QString newest() const { return specs_.value(0); }
    Q_INVOKABLE [[nodiscard]] QString folder() const;  // of the newest file; the newest folder itself; empty: none
    void add(const QString& spec);  // moves an existing entry to the top; stored with "***" in place of secrets
    Q_INVOKABLE [[nodiscard]] static bool hasSecrets(const QString& spec);  // a password, user name or token
    Q_INVOKABLE void clear();

private:
    [[nodiscard]] std::size_t size() const override { return static_cast<std::size_t>(specs_.size()); }
    void load();
    void save();

    QSettings& store_;
    QStringList specs_;
};

// Returns a short name of a source, without secrets: the file name, "Demo crowd", the URL.
[[nodiscard]] QString source_title(const QString& source);

// Titles of sources shown together. The distinguishing part comes first: "seed=2 · Demo crowd", "hall · entrance.mp4".
[[nodiscard]] QStringList source_titles(const QStringList& sources);

}  // namespace throng::ui
