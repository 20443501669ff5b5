// The clocks as the window shows and changes them. Lives on the window's thread; AsyncClocks and Telemetry read and
// write the system's files on threads of their own.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>

#include "core/clocks/async_clocks.h"
#include "core/clocks/telemetry.h"
#include "ui/clocks/profile_model.h"
#include "ui/clocks/telemetry_model.h"

namespace throng::ui {

struct ClockSetup {
    ClockOptions clocks;
    std::string profile;                     // to be set at the start; empty: none
    std::shared_ptr<Telemetry> telemetry;    // may be null
    std::chrono::milliseconds period{1000};  // between two looks
};

class Clocks : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the session")
    Q_PROPERTY(throng::ui::ProfileModel* profiles READ profiles CONSTANT)
    Q_PROPERTY(throng::ui::TelemetryModel* telemetry READ telemetry CONSTANT)
    Q_PROPERTY(bool known READ known NOTIFY changed)
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

    [[nodiscard]] ProfileModel* profiles() { return &profiles_; }
    [[nodiscard]] TelemetryModel* telemetry() { return &telemetry_; }

    [[nodiscard]] bool known() const { return status_.phase != ClockPhase::starting; }
    [[nodiscard]] bool controllable() const;        // some profile can be tried
    [[nodiscard]] QString board() const;            // the board's name, empty where it is none
    [[nodiscard]] QString summary() const;          // one line: what is controlled, or why nothing is
    [[nodiscard]] QString location() const;         // the node in the system
    [[nodiscard]] QString chosen() const;           // id of the profile in force; empty when it is none of them
    [[nodiscard]] QString pending() const;          // id of the one being set; empty
    [[nodiscard]] QString current_clock() const;    // "612 MHz"; empty where it is not known
    [[nodiscard]] QString requested_clock() const;  // the upper end of what was asked for; empty for nothing
    [[nodiscard]] QString warning() const;          // throttling, or another program's change; empty
    [[nodiscard]] QString error() const;            // why the newest wish was not granted; empty
    [[nodiscard]] QString error_location() const;   // the file that rejected
    [[nodiscard]] QString error_advice() const;     // the command that grants it

    [[nodiscard]] const ClockStatus& status() const { return status_; }
    [[nodiscard]] const std::vector<TelemetrySample>& history() const { return history_; }

    // Both return at once; pending() says that it is being done.
    Q_INVOKABLE void apply(const QString& id);
    Q_INVOKABLE void restore();     // what was found before the first change
    Q_INVOKABLE void step(int by);  // the available profile that many places on, by rising clock
    Q_INVOKABLE void dismiss();     // the error was read

signals:
    void changed();
    void sampled();  // history() has a new sample

private:
    void pull();
    void sample();

    std::shared_ptr<Telemetry> samples_;
    ProfileModel profiles_;
    TelemetryModel telemetry_;
    ClockStatus status_;
    std::vector<TelemetrySample> history_;
    std::uint64_t samples_seen_ = 0;
    std::optional<std::uint64_t> dismissed_;  // requests when the error was read
    std::uint64_t requests_ = 0;
    QTimer timer_;
    std::atomic<bool> pull_pending_ = false;
    std::unique_ptr<AsyncClocks> clocks_;  // last: its thread posts to this object
};

}  // namespace throng::ui
