// List model of the available cameras.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QThreadPool>
#include <functional>
#include <utility>
#include <vector>

#include "core/video/source.h"
#include "ui/models/row_model.h"

namespace throng::ui {

class CameraModel : public throng::ui::RowModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")

public:
    // list: called on another thread by find().
    explicit CameraModel(std::function<std::vector<CameraInfo>()> list = {}, QObject* parent = nullptr);

    Q_INVOKABLE [[nodiscard]] QString specAt(int row) const;

    Q_INVOKABLE void find();  // again: cameras come and go
    // The same cameras as before change nothing: a list on screen keeps its focus.
    void update(std::vector<CameraInfo> cameras);

private:
    [[nodiscard]] std::size_t size() const override { return cameras_.size(); }

    std::function<std::vector<CameraInfo>()> list_;
    std::vector<CameraInfo> cameras_;
    QThreadPool pool_;  // last: its threads use the others
};

}  // namespace throng::ui
