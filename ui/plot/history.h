// History of the last 300 results for the scrolling plot: raw detections, and the times of map and reduce.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QVariant>
#include <cstdint>
#include <optional>
#include <vector>

#include "ui/base/run_listener.h"

namespace throng::ui {

struct HistoryPoint {
    double raw = 0;                // raw detections of the frame
    std::optional<double> map_ms;  // empty if the stage did not run
    std::optional<double> reduce_ms;
};

class History : public QObject, public RunListener {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(QVariant plot READ plot NOTIFY changed)
    Q_PROPERTY(double rawScale READ raw_scale NOTIFY changed)
    Q_PROPERTY(double msScale READ ms_scale NOTIFY changed)

public:
    static constexpr std::size_t kLength = 300;

    using QObject::QObject;

    void attach(std::shared_ptr<Pipeline> pipeline) override {
        if (!pipeline) clear();
    }
    void on_result(const RunFrame& frame) override {
        if (!frame.result->carried) add(*frame.result);  // otherwise its times are those of a frame before
    }
    void add(const FrameResult& result);
    void clear();

    // Raw detections as an area, the times of reduce and map as lines, cut values as marks; colors 0 to 2. The newest
    // result is at the right.
    [[nodiscard]] QVariant plot() const;
    [[nodiscard]] double raw_scale() const;  // raw detections at the upper edge
    // Milliseconds at the upper edge: above all but the highest 2 % of the times, which are cut and marked.
    [[nodiscard]] double ms_scale() const;
    // Returns the number of the result that is drawn at this fraction of the width (added() after it); negative: none is.
    Q_INVOKABLE [[nodiscard]] double numberAt(double fraction) const;

    [[nodiscard]] std::uint64_t added() const { return added_; }  // results since the window was opened
    [[nodiscard]] const std::vector<HistoryPoint>& points() const { return points_; }  // oldest first

signals:
    void changed();

private:
    std::vector<HistoryPoint> points_;
    std::uint64_t added_ = 0;
};

}  // namespace throng::ui
