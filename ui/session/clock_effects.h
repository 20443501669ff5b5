// What the clocks of the board do to the rest of the window: baselines of the bars, and the video during a sweep.
#pragma once

#include <QObject>
#include <optional>

#include "ui/clocks/clocks.h"
#include "ui/clocks/sweep.h"
#include "ui/models/stage_model.h"
#include "ui/session/alert.h"
#include "ui/session/backend_status.h"
#include "ui/session/transport.h"

namespace throng::ui {

// Lives on the window's thread. The objects that it is made with outlive it.
class ClockEffects : public QObject {
    Q_OBJECT

public:
    ClockEffects(Clocks& clocks, Sweep& sweep, Transport& transport, StageModel& stages, const BackendStatus& backend,
                 Alert& alert);

    void start_or_stop_sweep();  // the video loops meanwhile

private:
    void handle_change();

    Clocks& clocks_;
    Sweep& sweep_;
    Transport& transport_;
    StageModel& stages_;
    const BackendStatus& backend_;
    Alert& alert_;
    bool recovery_reported_ = false;
    bool swept_ = false;                 // a sweep has ended and its clock is being restored
    QString previous_clock_;             // profile at the last check, for the title of the next baseline
    std::optional<bool> previous_loop_;  // set while a sweep runs
};

}  // namespace throng::ui
