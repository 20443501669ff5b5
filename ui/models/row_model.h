// A list model whose rows are those of a class below: each column is a name in QML and a function of the row.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace throng::ui {

// Lives on the window's thread. Classes that derive from it name it with its namespace, as for View.
class RowModel : public QAbstractListModel {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;
    [[nodiscard]] int count() const { return rowCount(); }

signals:
    void countChanged();

protected:
    struct Column {
        const char* name;
        std::function<QVariant(std::size_t row)> value;
    };

    explicit RowModel(std::vector<Column> columns, QObject* parent = nullptr)
        : QAbstractListModel(parent), columns_(std::move(columns)) {}

    [[nodiscard]] virtual std::size_t size() const = 0;  // rows

    // Announces other values of all rows.
    void announce_values();
    // Replaces the rows. Resets the model only if they are other rows; `same` compares what identifies a row.
    template <class Row, class Same>
    void replace(std::vector<Row>& rows, std::vector<Row> next, Same same) {
        if (std::equal(rows.begin(), rows.end(), next.begin(), next.end(), same)) {
            rows = std::move(next);
            return announce_values();
        }
        const bool other_count = next.size() != rows.size();
        beginResetModel();
        rows = std::move(next);
        endResetModel();
        if (other_count) emit countChanged();
    }

private:
    const std::vector<Column> columns_;
};

}  // namespace throng::ui
