// Checks a list model on every change. A violation of Qt's model contract aborts the program.
#pragma once

#include <QAbstractItemModelTester>

namespace throng::test {

class ModelTester : public QAbstractItemModelTester {
public:
    explicit ModelTester(QAbstractItemModel* model) : QAbstractItemModelTester(model, FailureReportingMode::Fatal) {}
};

// Returns the value of a row in a column of this name.
[[nodiscard]] inline QVariant value(const QAbstractItemModel& model, int row, const char* column) {
    return model.data(model.index(row, 0), model.roleNames().key(column, -1));
}

}  // namespace throng::test
