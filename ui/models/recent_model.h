// List model of the recently opened sources, the newest first; saved between runs.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QStringList>

class QSettings;

namespace throng::ui {

class RecentModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum Role { spec_role = Qt::UserRole + 1, title_role, location_role };
    static constexpr int kLimit = 10;

    // store must outlive the model.
    explicit RecentModel(QSettings& store, QObject* parent = nullptr);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;
    [[nodiscard]] int count() const { return rowCount(); }

    [[nodiscard]] QString newest() const { return specs_.value(0); }
    Q_INVOKABLE [[nodiscard]] QString folder() const;  // of the newest file; the newest folder itself; empty: none
    void add(const QString& spec);  // moves an existing entry to the top; stored with "***" in place of secrets
    Q_INVOKABLE [[nodiscard]] static bool hasSecrets(const QString& spec);  // a password, user name or token
    Q_INVOKABLE void clear();

signals:
    void countChanged();

private:
    void save();

    QSettings& store_;
    QStringList specs_;
};

// Returns a short name of a source, without secrets: the file name, "Demo crowd", the URL.
[[nodiscard]] QString source_title(const QString& source);

// Titles of sources shown together. The distinguishing part comes first: "seed=2 · Demo crowd", "hall · entrance.mp4".
[[nodiscard]] QStringList source_titles(const QStringList& sources);

}  // namespace throng::ui
