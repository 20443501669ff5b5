// Measures latency against clock while the video runs: applies the profiles one after the other, collects the stage
// times of each, and restores the previous profile. The sequence is core's ClockSweep.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>
#include <QVariantList>
#include <optional>
#include <vector>

#include "core/clocks/clock_sweep.h"
#include "core/pipeline/frame_result.h"
#include "ui/clocks/clocks.h"

namespace throng::ui {

class Sweep : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool possible READ possible NOTIFY changed)
    Q_PROPERTY(bool running READ running NOTIFY changed)
    Q_PROPERTY(int at READ at NOTIFY changed)
    Q_PROPERTY(int size READ size NOTIFY changed)
    Q_PROPERTY(QString status READ status NOTIFY changed)
    Q_PROPERTY(QVariantList rows READ rows NOTIFY pointsChanged)

public:
    struct Pace {
        std::chrono::milliseconds settle{700};
        std::chrono::milliseconds dwell{2500};
    };

    explicit Sweep(Clocks& clocks, QObject* parent = nullptr);

    void set_pace(const Pace& pace) { pace_ = pace; }

    [[nodiscard]] bool possible() const;  // at least two profiles are available
    [[nodiscard]] bool running() const { return sweep_.has_value(); }
    [[nodiscard]] int at() const;    // number of profiles done
    [[nodiscard]] int size() const;  // number of profiles in the sweep
    [[nodiscard]] QString status() const { return status_; }
    [[nodiscard]] QVariantList rows() const;  // {clock, map, reduce, total, note} as text, by rising clock
    [[nodiscard]] const std::vector<SweepPoint>& points() const { return points_; }

    // Does nothing while a sweep runs.
    Q_INVOKABLE void start();
    // Stops the sweep early: keeps the points measured so far, restores the clock.
    Q_INVOKABLE void cancel();
    Q_INVOKABLE void clear();

    // Adds the stage times of one result of the pipeline.
    void add(const FrameResult& result);

signals:
    void changed();
    void pointsChanged();
    void finished();

private:
    void tick();
    void end(const QString& status, bool restore_clock);

    Clocks& clocks_;
    Pace pace_;
    std::optional<ClockSweep> sweep_;
    std::optional<std::string> requested_;  // profile that the sweep requested last
    QString previous_;                      // id of the profile to restore; empty: the state before the first change
    QString status_;
    std::vector<SweepPoint> points_;
    QTimer timer_;
};

}  // namespace throng::ui
