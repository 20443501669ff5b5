// Latency against clock, live: steps through the profiles while the video runs, draws what each makes of the stages,
// and puts back what was. The steps are core's ClockSweep.
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

    [[nodiscard]] bool possible() const;  // there are two clocks at least
    [[nodiscard]] bool running() const { return sweep_.has_value(); }
    [[nodiscard]] int at() const;    // profiles done …
    [[nodiscard]] int size() const;  // … of so many
    [[nodiscard]] QString status() const { return status_; }
    [[nodiscard]] QVariantList rows() const;  // {clock, map, reduce, total, note} in words, by rising clock
    [[nodiscard]] const std::vector<SweepPoint>& points() const { return points_; }

    // Nothing happens while one runs.
    Q_INVOKABLE void start();
    // Ends it early: points measured so far stay, the clock goes back.
    Q_INVOKABLE void cancel();
    Q_INVOKABLE void clear();

    // A result of the pipeline.
    void note(const FrameResult& result);

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
    std::optional<std::string> requested_;  // the sweep's own newest wish
    QString previous_;                      // id of the profile to go back to; empty: what was found
    QString status_;
    std::vector<SweepPoint> points_;
    QTimer timer_;
};

}  // namespace throng::ui
