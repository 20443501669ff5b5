// Checks a list model on every change. A violation of Qt's model contract aborts the program.
#pragma once

#include <QAbstractItemModelTester>

namespace throng::test {

class ModelTester : public QAbstractItemModelTester {
public:
    explicit ModelTester(QAbstractItemModel* model) : QAbstractItemModelTester(model, FailureReportingMode::Fatal) {}
};

}  // namespace throng::test
