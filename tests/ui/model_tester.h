// Watches a list model all the while; one that breaks Qt's rules ends the program.
#pragma once

#include <QAbstractItemModelTester>

namespace throng::test {

class ModelTester : public QAbstractItemModelTester {
public:
    explicit ModelTester(QAbstractItemModel* model) : QAbstractItemModelTester(model, FailureReportingMode::Fatal) {}
};

}  // namespace throng::test
