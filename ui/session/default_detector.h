// Runs the trial of a network: what it needs of the window, and what the user hears of it.
#pragma once

#include <QCoreApplication>

#include "ui/base/run_listener.h"
#include "ui/session/feedback.h"
#include "ui/session/network_trial.h"
#include "ui/settings/detection_settings.h"

namespace throng::ui {

class DefaultDetector : public RunListener {
    Q_DECLARE_TR_FUNCTIONS(throng::ui::DefaultDetector)

public:
    // due: as for NetworkTrial. least_rate: frames per second that the network must reach; 0: any.
    DefaultDetector(bool due, double least_rate, DetectionSettings& detection, Feedback& feedback)
        : trial_(due), least_rate_(least_rate), detection_(detection), feedback_(feedback) {}

    void attach(std::shared_ptr<Pipeline>) override { trial_.restart(); }
    // Starts, continues or ends the trial after a detected frame. On a still image the network is used without a
    // decision: there is nothing to keep up with.
    void on_result(const RunFrame& frame) override;
    void add_needs(PipelineNeeds& needs) const override {
        if (trial_.measuring()) needs.fixed_sizes = true;
    }

private:
    void decide(double ms);

    NetworkTrial trial_;
    double least_rate_;
    DetectionSettings& detection_;
    Feedback& feedback_;
    PipelineSettings before_, tried_;
};

}  // namespace throng::ui
