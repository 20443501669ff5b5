// Shared by the experiments: backends, clocks, common inputs, and the measurement of one setting.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lab/measure/image_bench.h"
#include "app/lab/measure/nms_measurement.h"
#include "app/lab/measure/result_list.h"
#include "app/options/command.h"
#include "core/annotations/labels.h"
#include "core/clocks/clock_controller.h"
#include "core/detect/backend.h"
#include "core/frame/frame.h"

namespace throng {

struct ExperimentOptions {
    std::string out = "experiments";  // folder
    std::string photos;               // folder of annotated photographs (truth*.txt or truth*.jsonl); empty: none
    std::string source;               // source of the video experiment; empty: the drawn crowd
    ClockOptions clocks;
    bool change_clocks = true;  // false: the board's clocks are not changed
    double budget_ms = 300;     // time to repeat one measurement
};

// One image of the series with an increasing number of uncovered faces.
struct CoveredImage {
    int uncovered = 0;
    DetectionSet raw;
};

class ExperimentBench {
public:
    // show_step: receives one line about the current step, for a progress display. Throws as make_backend does.
    ExperimentBench(const CommonOptions& common, ExperimentOptions options,
                    std::function<void(const std::string&)> show_step);

    [[nodiscard]] const ExperimentOptions& options() const { return options_; }
    [[nodiscard]] const CommonOptions& common() const { return common_; }
    [[nodiscard]] Backend& backend() { return *backend_; }
    [[nodiscard]] const std::shared_ptr<Backend>& shared_backend() const { return backend_; }
    [[nodiscard]] Backend& cpu() { return *cpu_; }  // the same as backend() if that is the CPU
    [[nodiscard]] bool has_cuda() const { return backend_->kind() == BackendKind::cuda; }
    [[nodiscard]] const std::string& why() const { return why_; }  // why this backend was selected
    [[nodiscard]] ClockController& clocks() { return *clocks_; }

    // Returns the profiles that fix the clock at one step, slowest first, each step once. Empty where the clock cannot
    // be changed; why_no_clocks() then returns the reason. The first call applies one of them as a test.
    [[nodiscard]] const std::vector<ResolvedProfile>& clock_steps();
    [[nodiscard]] const std::string& why_no_clocks() const { return why_no_clocks_; }

    // Shows a line of progress. Throws Error(interrupted) after Ctrl-C. To be called between measurements.
    void step(const std::string& what);
    [[nodiscard]] auto stepper() {
        return [this](const std::string& what) { step(what); };
    }

    // Measures for about budget_ms. dmax: 0 for the number of boxes.
    [[nodiscard]] NmsMeasurement time_nms(Backend& backend, const DetectionSet& boxes, const NmsParams& params,
                                          std::int32_t dmax = 0);
    [[nodiscard]] DetectionSet suppress(Backend& backend, const DetectionSet& boxes, const NmsParams& params);

    // Returns the raw detections of a frame.
    [[nodiscard]] DetectionSet detect(const Frame& frame);
    [[nodiscard]] DetectorParams detector_params() const;  // common to the experiments: frontal faces, alt2, factor 1.1

    // Returns the crowd of 147 people at 4646x1800 with the first 0 to 147 faces uncovered. Computed once.
    [[nodiscard]] const std::vector<CoveredImage>& covered_series();

private:
    const CommonOptions common_;
    const ExperimentOptions options_;
    std::function<void(const std::string&)> show_step_;
    std::shared_ptr<Backend> backend_;
    std::shared_ptr<Backend> cpu_;
    std::string why_;
    std::unique_ptr<ClockController> clocks_;
    std::optional<std::vector<ResolvedProfile>> clock_steps_;
    std::string why_no_clocks_;
    std::vector<CoveredImage> covered_;
    std::optional<DetectorRun> detector_;
};

// Returns the parameters of the papers' experiments: greedy or one-pass on the IoU with this threshold.
[[nodiscard]] NmsParams nms_rule(NmsRule rule, float theta = 0.5F);
// Returns parameters that select the paper's kernels with this k.
[[nodiscard]] NmsParams paper_kernels(std::int32_t k);
// Returns n rounded up to a multiple of 1024: a D_max that is divisible by every k of the experiments (powers of two).
[[nodiscard]] std::int32_t dmax_for(std::size_t n);

}  // namespace throng
