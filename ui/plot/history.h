// History of the last 300 results for the scrolling plot: raw detections, and the times of map and reduce.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/pipeline/frame_result.h"

namespace throng::ui {

struct HistoryPoint {
    double raw = 0;                // raw detections of the frame
    std::optional<double> map_ms;  // empty if the stage did not run
    std::optional<double> reduce_ms;
};

class History : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")

public:
    static constexpr std::size_t kLength = 300;

    using QObject::QObject;

    void add(const FrameResult& result);
    void clear();

    [[nodiscard]] std::uint64_t added() const { return added_; }  // results since the window was opened
    [[nodiscard]] const std::vector<HistoryPoint>& points() const { return points_; }  // oldest first

signals:
    void changed();

private:
    std::vector<HistoryPoint> points_;
    std::uint64_t added_ = 0;
};

}  // namespace throng::ui
