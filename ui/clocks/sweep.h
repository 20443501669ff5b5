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
#include "ui/base/run_listener.h"
#include "ui/clocks/clocks.h"

namespace throng::ui {

// Returns the tick values of a logarithmic axis: 1, 2 and 5 times powers of ten, or the powers alone over many decades.
// low and high must be positive; the ticks enclose both.
[[nodiscard]] std::vector<double> logarithmic_ticks(double low, double high);

class Sweep : public QObject, public RunListener {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(bool possible READ possible NOTIFY changed)
    Q_PROPERTY(bool running READ running NOTIFY changed)
    Q_PROPERTY(int at READ at NOTIFY changed)
    Q_PROPERTY(int size READ size NOTIFY changed)
    Q_PROPERTY(QString status READ status NOTIFY changed)
    Q_PROPERTY(QVariantList rows READ rows NOTIFY pointsChanged)
    Q_PROPERTY(QVariant plot READ plot NOTIFY pointsChanged)
    Q_PROPERTY(QVariantList timeTicks READ time_ticks NOTIFY pointsChanged)
    Q_PROPERTY(QVariantList clockTicks READ clock_ticks NOTIFY pointsChanged)

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
    // Total, reduce and map over the clocks, in milliseconds on a logarithmic axis; colors 0 to 2. Stages of very
    // different duration stay readable, and halving a time is the same distance everywhere.
    [[nodiscard]] QVariant plot() const;
    [[nodiscard]] QVariantList time_ticks() const;   // {at, text}: fraction of the height, milliseconds
    [[nodiscard]] QVariantList clock_ticks() const;  // {at, text}: fraction of the width, megahertz
    [[nodiscard]] const std::vector<SweepPoint>& points() const { return points_; }

    // Does nothing while a sweep runs.
    Q_INVOKABLE void start();
    // Stops the sweep early: keeps the points measured so far, restores the clock.
    Q_INVOKABLE void cancel();
    Q_INVOKABLE void clear();

    void attach(std::shared_ptr<Pipeline> pipeline) override {
        if (!pipeline) cancel();
    }
    void on_result(const RunFrame& frame) override {
        if (sweep_ && !frame.result->carried) sweep_->add(frame.result->timings);
    }
    void add_needs(PipelineNeeds& needs) const override {
        if (running()) needs.results = needs.same_detector = true;
    }

signals:
    void changed();
    void pointsChanged();
    void finished();

private:
    void tick();
    [[nodiscard]] std::vector<SweepPoint> drawn() const;
    [[nodiscard]] std::vector<double> tick_values() const;
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
