// The CUDA cascade with switches: takes steps of the product's detector back, or adds those that evaluate fewer windows,
// for the ablation and the window's panel.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpu/cascade/cascade_detector.h"
#include "gpu/lab/cascade_steps_launch.h"

namespace throng::gpu {

class CascadeSteps final : public CascadeDetector {
public:
    // As CascadeDetector. params.switches override `options`.
    CascadeSteps(StreamView stream, const DeviceInfo& device, const CascadeModel& model, const DetectorParams& params,
                 const CascadeOptions& options = {});
    ~CascadeSteps() override { wait(); }

    void configure(const DetectorParams& params) override;
    [[nodiscard]] std::vector<DetectorSwitch> switches() const override { return describe_switches(options_); }
    // Valid until the next configure with other switches.
    void set_options(const CascadeOptions& options);

    // Returns the windows of the last frame that passed from each segment to the next. Waits for the frame; intended for
    // measurements.
    [[nodiscard]] std::vector<std::int64_t> read_queued() const;

private:
    // Levels that share the launches. Those that are smaller than requested are evaluated, but not reported.
    struct Group {
        LevelRange levels;
        bool reported;
        std::int64_t first_queued;  // in queued_
        std::int64_t windows;       // and the capacity of its queues
    };

    void make_plan(ImageSize frame) override;
    void release() override;
    void enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder) override;
    [[nodiscard]] bool is_product() const;
    // Returns the queue between segment n and the next.
    [[nodiscard]] WindowQueue queue(std::size_t g, int n) const;
    void enqueue_group(std::size_t g, const WindowTask& task, StreamView stream) const;
    void enqueue_groups(const DeviceImage& image, const WindowTask& task) const;

    const CascadeOptions defaults_;  // used where params_.switches has no entry
    CascadeOptions options_;
    std::vector<int> segments_;  // the first stage of each, followed by the number of stages
    WindowFilter filter_;
    std::vector<Group> groups_;                // empty: the launches are those of CascadeDetector
    DeviceBuffer<QueueCounters> counters_;     // [group][kMaxSegments]
    DeviceBuffer<QueuedWindow> queued_;        // one or two queues of each group, for all its windows
    DeviceBuffer<std::uint32_t> requested_;    // with a stride
    DeviceBuffer<DetectionCount> unreported_;  // of the levels that are not reported
    DeviceBuffer<std::uint8_t> mask_;          // samples
    std::optional<Pyramid> mask_sums_;
    std::vector<Stream> side_streams_;
    std::vector<Event> side_done_;
    std::optional<Event> fork_;
};

// Creates the detector for params.kind haar or lbp.
[[nodiscard]] std::unique_ptr<Detector> make_cascade_detector(StreamView stream, const DeviceInfo& device,
                                                              const DetectorParams& params);

}  // namespace throng::gpu
