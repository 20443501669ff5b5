// The CUDA detector for Haar and LBP cascades: from a frame to raw detections, with kernel launches only.
#pragma once

#include <optional>
#include <vector>

#include "gpu/cascade/cascade_launch.h"
#include "gpu/cascade/device_cascade.h"
#include "gpu/cascade/window_plan.h"
#include "gpu/frame/planned_detector.h"

namespace throng::gpu {

// How the stages are divided, and by which kernels they are evaluated.
struct CascadeForm {
    int split = 0;      // the first stage of the last segment; the number of stages: the first segment has all
    bool pairs = true;  // the first segment evaluates pairs of windows
    bool tail = true;   // the last segment has one warp per pair of windows

    friend bool operator==(const CascadeForm&, const CascadeForm&) = default;
};

// Ignores params.switches: gpu/lab has a detector with switches, which replaces steps of this one.
class CascadeDetector : public PlannedDetector<WindowPlan> {
public:
    // Work is enqueued on the stream, which must outlive the detector. Throws Error(usage, unavailable, input) as
    // Backend::make_detector does.
    CascadeDetector(StreamView stream, const DeviceInfo& device, const CascadeModel& model,
                    const DetectorParams& params);
    ~CascadeDetector() override { wait(); }

    [[nodiscard]] bool reserve(std::uint32_t candidates) final;
    void configure(const DetectorParams& params) override;

protected:
    // Returns the first stage after that many weak classifiers.
    [[nodiscard]] int stage_after(int trees) const;
    // Returns the form for the model. A kernel is left out where it is not wanted, or the model does not allow it.
    [[nodiscard]] CascadeForm choose_form(bool pairs, bool tail) const;
    // Drops the plan.
    void set_form(const CascadeForm& form);

    void make_plan(ImageSize frame) override;
    void enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder) override;
    // Enqueues the pyramid of all levels.
    void enqueue_pyramid(const DeviceImage& image, const DetectionSpan& raw, bool rows_only, StageRecorder& recorder);
    void emplace_plan(ImageSize frame, const std::vector<CascadeLevel>& levels);
    [[nodiscard]] std::vector<CascadeLevel> levels_from(ImageSize frame, int min_size) const;
    // Tests if a launch of that form needs no complete integral images (WindowTask).
    [[nodiscard]] bool needs_rows_only() const;

    DeviceCascade cascade_;
    const int max_pairs_;  // stages that the first segment may evaluate in pairs
    CascadeForm form_;
    std::optional<FirstStages> first_stages_;  // if the first segment is evaluated in pairs

private:
    std::int64_t reserved_ = 0;  // windows that the queue must hold, by the frames so far
};

// Reads the model of params.kind haar or lbp; it is resolved as in core/model/model_finder.h. Throws Error(usage) if the
// model is of the other kind.
[[nodiscard]] CascadeModel read_cascade_model(const DetectorParams& params);

}  // namespace throng::gpu
