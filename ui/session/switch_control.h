// The optimizations of the detector: shows what is requested, and changes it.
#pragma once

#include <QCoreApplication>
#include <vector>

#include "ui/base/run_listener.h"
#include "ui/models/stage_model.h"
#include "ui/models/switch_model.h"
#include "ui/session/feedback.h"
#include "ui/settings/detection_settings.h"

namespace throng::ui {

// Lives on the window's thread. The objects that it is made with outlive it.
class SwitchControl : public RunListener {
    Q_DECLARE_TR_FUNCTIONS(throng::ui::SwitchControl)

public:
    SwitchControl(SwitchModel& model, DetectionSettings& detection, StageModel& stages, Feedback& feedback)
        : model_(model), detection_(detection), stages_(stages), feedback_(feedback) {}

    void attach(std::shared_ptr<Pipeline>) override { model_.update({}); }
    void on_refresh(const RunFrame& frame) override { update(frame.pipeline.switches()); }
    // Both set a baseline, so that the bars show the effect.
    void set(const QString& id, const QString& choice);
    void reset();

private:
    // Shows the switches of a pipeline with the requested values: the detector applies them with its next frame.
    void update(std::vector<DetectorSwitch> now);

    SwitchModel& model_;
    DetectionSettings& detection_;
    StageModel& stages_;
    Feedback& feedback_;
};

}  // namespace throng::ui
