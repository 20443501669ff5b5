// What the experiments share: backends, clocks, inputs that several of them use, and the measurement of one setting.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "core/clocks/clock_controller.h"
#include "core/detect/backend.h"
#include "core/eval/labels.h"
#include "core/frame/frame.h"

namespace throng {

struct ExperimentOptions {
    std::string out = "experiments";  // folder
    std::string photos;               // folder of annotated photographs (truth*.txt or truth*.jsonl); empty: none
    std::string source;               // SOURCE for the video experiment; empty: the drawn crowd
    ClockOptions clocks;
    bool change_clocks = true;  // false: the board's clocks are left alone
    double budget_ms = 300;     // of repetitions of one measurement
};

struct NmsTimes {
    double median_ms = 0;  // detections in, kept ones out; on CUDA of a replayed graph, in device memory
    double p99_ms = 0;
    std::map<std::string, double> stages;  // medians
    std::int64_t kept = 0;
};

// One image of the series in which more and more faces are uncovered.
struct CoveredImage {
    int uncovered = 0;
    DetectionSet raw;
};

class ExperimentBench {
public:
    // Throws as make_backend does. tell: one line about what is going on, for a progress display.
    ExperimentBench(const CommonOptions& common, ExperimentOptions options,
                    std::function<void(const std::string&)> tell);

    [[nodiscard]] const ExperimentOptions& options() const { return options_; }
    [[nodiscard]] const CommonOptions& common() const { return common_; }
    [[nodiscard]] Backend& backend() { return *backend_; }
    [[nodiscard]] Backend& cpu() { return *cpu_; }  // the same as backend() where there is no other
    [[nodiscard]] bool has_cuda() const { return backend_->name() == "cuda"; }
    [[nodiscard]] const std::string& why() const { return why_; }  // this backend
    [[nodiscard]] ClockController& clocks() { return *clocks_; }

    // The profiles that bound the clock to one step, slowest first, each step once; empty where the clock cannot be
    // changed: why_no_clocks says what rejected. The first call tries one of them.
    [[nodiscard]] const std::vector<ResolvedProfile>& clock_steps();
    [[nodiscard]] const std::string& why_no_clocks() const { return why_no_clocks_; }

    // A line of progress; throws Error(interrupted) after Ctrl-C. To be called between measurements.
    void step(const std::string& what);

    // Repeats for about the budget. dmax: 0 for as many as there are boxes.
    [[nodiscard]] NmsTimes time_nms(Backend& backend, const DetectionSet& boxes, const NmsParams& params,
                                    std::int32_t dmax = 0);
    [[nodiscard]] DetectionSet suppress(Backend& backend, const DetectionSet& boxes, const NmsParams& params);

    // Raw detections of a frame; capacity grows as needed.
    [[nodiscard]] DetectionSet detect(Backend& backend, Detector& detector, const Frame& frame);
    [[nodiscard]] DetectorParams detector_params() const;  // those of the experiments: frontal faces, alt2, factor 1.1

    // The crowd of 147 people at 4646x1800 with the first 0 to 147 faces uncovered. Made once.
    [[nodiscard]] const std::vector<CoveredImage>& covered_series();

private:
    const CommonOptions common_;
    const ExperimentOptions options_;
    std::function<void(const std::string&)> tell_;
    std::shared_ptr<Backend> backend_;
    std::shared_ptr<Backend> cpu_;
    std::string why_;
    std::unique_ptr<ClockController> clocks_;
    std::optional<std::vector<ResolvedProfile>> clock_steps_;
    std::string why_no_clocks_;
    std::vector<CoveredImage> covered_;
};

// The rules as the papers' experiments use them: greedy or one-pass on the IoU with this threshold.
[[nodiscard]] NmsParams nms_rule(NmsRule rule, float theta = 0.5F);
// The paper's kernels with this k.
[[nodiscard]] NmsParams paper_kernels(std::int32_t k);
// The least multiple of 1024 that is n or more: a D_max that every k from 1 to 64 divides.
[[nodiscard]] std::int32_t dmax_for(std::size_t n);

// A cell of a table; "-" for nothing.
[[nodiscard]] std::string ms_cell(double ms);
[[nodiscard]] std::string ms_cell(const std::map<std::string, double>& stages, std::string_view stage);
[[nodiscard]] std::optional<double> stage_ms(const NmsTimes& times, std::string_view stage);

}  // namespace throng
