#include "ui/session/clock_effects.h"

#include <utility>

namespace throng::ui {

ClockEffects::ClockEffects(Clocks& clocks, Sweep& sweep, Transport& transport, StageModel& stages,
                           const BackendStatus& backend, Alert& alert)
    : clocks_(clocks), sweep_(sweep), transport_(transport), stages_(stages), backend_(backend), alert_(alert) {
    connect(&clocks, &Clocks::changed, this, &ClockEffects::handle_change);
    connect(&sweep, &Sweep::finished, this, [this] {
        swept_ = true;
        if (previous_loop_) transport_.set_loop(*std::exchange(previous_loop_, std::nullopt));
    });
}

void ClockEffects::start_or_stop_sweep() {
    if (sweep_.running()) {
        sweep_.cancel();
        return;
    }
    if (!sweep_.possible()) {
        alert_.show(Error(ErrorKind::unavailable, "a clock sweep needs at least two clock profiles", "",
                          clocks_.summary().toStdString()));
        return;
    }
    if (!transport_.playing()) {
        alert_.show(Error(ErrorKind::usage, "a clock sweep needs a running video", "",
                          "open a video or a camera, or start playback"));
        return;
    }
    sweep_.start();
    if (!sweep_.running()) return;
    stages_.clearBaseline();  // it was measured at another clock
    previous_loop_ = transport_.loop();
    transport_.set_loop(true);
}

// Sets a baseline when the clock profile changes, so that the bars show the effect.
void ClockEffects::handle_change() {
    const std::string& recovered = clocks_.status().recovered;
    if (!recovered.empty() && !std::exchange(recovery_reported_, true)) {
        alert_.show(tr("The clocks were restored"), QString::fromStdString(recovered));
    }
    if (clocks_.status().phase == ClockPhase::applying) return;
    const QString now = clocks_.chosen();
    const QString before = std::exchange(previous_clock_, now);
    if (sweep_.running() || std::exchange(swept_, false)) return;
    if (before == now || before.isEmpty() || now.isEmpty()) return;
    if (backend_.name() == QStringLiteral("cpu")) {  // the GPU clock has no effect on these times
        stages_.clearBaseline();
        return;
    }
    stages_.set_baseline(tr("GPU clock: %1").arg(clocks_.nameOf(before)));
}

}  // namespace throng::ui
