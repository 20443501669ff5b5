// Sources opened lately, the newest first; kept between runs.
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
    void add(const QString& spec);  // moves one that is there to the top; addresses lose their password
    Q_INVOKABLE void clear();

signals:
    void countChanged();

private:
    void save();

    QSettings& store_;
    QStringList specs_;
};

// A short name for a source: the file's name, "Demo crowd", the address.
[[nodiscard]] QString source_title(const QString& spec);

}  // namespace throng::ui
