// Clock profiles and telemetry for the window. Lives on the window's thread. AsyncClocks and Telemetry access the
// system's files on their own threads.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>

#include "core/clocks/async_clocks.h"
#include "core/clocks/telemetry_sink.h"
#include "ui/base/run_listener.h"
#include "ui/clocks/profile_model.h"
#include "ui/clocks/telemetry_model.h"

namespace throng::ui {

struct ClockSetup {
    ClockOptions clocks;
    std::string profile;                     // profile to apply at program start; empty: none
    std::shared_ptr<Telemetry> telemetry;    // may be null
    std::chrono::milliseconds period{1000};  // polling period
};

class Clocks : public QObject, public RunListener {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(throng::ui::ProfileModel* profiles READ profiles CONSTANT)
    Q_PROPERTY(throng::ui::TelemetryModel* telemetry READ telemetry CONSTANT)
    Q_PROPERTY(bool known READ known NOTIFY changed)
    Q_PROPERTY(bool present READ present NOTIFY changed)
    Q_PROPERTY(bool controllable READ controllable NOTIFY changed)
    Q_PROPERTY(QString board READ board NOTIFY changed)
    Q_PROPERTY(QString summary READ summary NOTIFY changed)
    Q_PROPERTY(QString location READ location NOTIFY changed)
    Q_PROPERTY(QString chosen READ chosen NOTIFY changed)
    Q_PROPERTY(QString pending READ pending NOTIFY changed)
    Q_PROPERTY(QString currentClock READ current_clock NOTIFY changed)
    Q_PROPERTY(QString requestedClock READ requested_clock NOTIFY changed)
    Q_PROPERTY(QString warning READ warning NOTIFY changed)
    Q_PROPERTY(QString error READ error NOTIFY changed)
    Q_PROPERTY(QString errorLocation READ error_location NOTIFY changed)
    Q_PROPERTY(QString errorAdvice READ error_advice NOTIFY changed)

public:
    explicit Clocks(ClockSetup setup, QObject* parent = nullptr);
    ~Clocks() override;

    // The telemetry counts the frames of this pipeline.
    void attach(std::shared_ptr<Pipeline> pipeline) override;
    void detach() override;

    [[nodiscard]] ProfileModel* profiles() { return &profiles_; }
    [[nodiscard]] TelemetryModel* telemetry() { return &telemetry_; }

    [[nodiscard]] bool known() const { return status_.phase != ClockPhase::starting; }
    [[nodiscard]] bool present() const;             // there is a GPU clock, or an error about one
    [[nodiscard]] bool controllable() const;        // at least one profile is available
    [[nodiscard]] QString board() const;            // name of the board; empty if there is none
    [[nodiscard]] QString summary() const;          // one line: the controlled device, or why none is
    [[nodiscard]] QString location() const;         // path of the clock's device node
    [[nodiscard]] QString chosen() const;           // id of the profile in force; empty if no profile matches
    [[nodiscard]] QString pending() const;          // id of the profile being applied; empty: none
    [[nodiscard]] QString current_clock() const;    // "612 MHz"; empty if unknown
    [[nodiscard]] QString requested_clock() const;  // upper limit that was requested; empty: none
    [[nodiscard]] QString warning() const;          // throttling, or a change by another program; empty: none
    [[nodiscard]] QString error() const;            // why the last request failed; empty: it did not
    [[nodiscard]] QString error_location() const;   // the file that could not be written
    [[nodiscard]] QString error_advice() const;     // the command that grants access

    [[nodiscard]] const ClockStatus& status() const { return status_; }
    [[nodiscard]] const std::vector<TelemetrySample>& history() const { return history_; }

    // Both return at once; pending() holds the requested profile meanwhile.
    Q_INVOKABLE void apply(const QString& id);
    Q_INVOKABLE void restore();                                         // to the state before the first change
    Q_INVOKABLE [[nodiscard]] QString nameOf(const QString& id) const;  // "50 %"; the id for an unknown profile
    Q_INVOKABLE void step(int by);  // moves by this many available profiles, in order of rising clock
    Q_INVOKABLE void dismiss();     // clears the error

signals:
    void changed();
    void sampled();  // history() has a new sample

private:
    void pull();
    void sample();

    [[nodiscard]] QString shown_id(const std::string& id) const;

    std::shared_ptr<Telemetry> samples_;
    std::shared_ptr<Pipeline> pipeline_;
    std::shared_ptr<ResultSink> sink_;  // of the pipeline

    ProfileModel profiles_;
    TelemetryModel telemetry_;
    ClockStatus status_;
    std::vector<TelemetrySample> history_;
    std::uint64_t samples_seen_ = 0;
    std::optional<std::uint64_t> dismissed_;  // value of requests_ when the error was dismissed
    std::uint64_t requests_ = 0;
    QTimer timer_;
    std::atomic<bool> pull_pending_ = false;
    std::unique_ptr<AsyncClocks> clocks_;  // last: its thread posts to this object
};

}  // namespace throng::ui
