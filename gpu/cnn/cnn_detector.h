// The CUDA detector for convolutional face networks: from a frame to raw detections with landmarks, with kernel
// launches only.
#pragma once

#include <memory>
#include <vector>

#include "core/model/cnn_plan.h"
#include "core/model/network.h"
#include "gpu/cnn/frame_runs.h"
#include "gpu/frame/cuda_detector.h"
#include "gpu/frame/frame_intake.h"
#include "gpu/runtime/kept_memory.h"
#include "gpu/runtime/probe.h"

namespace throng::gpu {

// DetectorParams::switches of this detector, in addition to "input" of core/model/cnn_plan.h.
struct CnnSwitches {
    CnnInput input = CnnInput::native;
    bool fusion = true;   // "fusion": fused kernels for groups of layers
    bool graph = true;    // "graph": a frame, or the layers of a batch, as one CUDA graph
    bool overlap = true;  // "overlap": kernels are set up while the previous ones finish
    bool batch = true;    // "batch": frames of several sources share launches (dynamic_batcher.h)

    friend bool operator==(const CnnSwitches&, const CnnSwitches&) = default;
};

class CnnDetector final : public CudaDetector {
public:
    // Work is enqueued on the stream, which must outlive the detector. params.half: 16-bit maps. Layers are not fused
    // below compute capability 7.5. Throws Error(usage, unavailable) as Backend::make_detector does.
    CnnDetector(StreamView stream, const DeviceInfo& device, Network network, const DetectorParams& params);
    ~CnnDetector() override;

    void enqueue_with(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                      const FollowingWork& next) override;

    // Processes several frames of one size; the detections of frame i go to *raw[i]. count: at most kMaxBatch.
    void enqueue_batch(const Frame* frames, DetectionBuffer* const* raw, int count, StageRecorder& recorder);

    void configure(const DetectorParams& params) override;
    [[nodiscard]] std::optional<float> score_threshold() const override { return threshold_; }
    [[nodiscard]] OptionalFields optional_fields() const override;
    [[nodiscard]] std::vector<DetectorSwitch> switches() const override;

    // Returns the frames that have been read to their decoders, as each call does for earlier ones.
    void release_read_frames() { intake_.release_read(); }

    [[nodiscard]] const Network& network() const { return network_; }
    [[nodiscard]] const DetectorParams& params() const { return params_; }
    [[nodiscard]] const CnnSwitches& chosen_switches() const { return switches_; }
    // Returns the runs of the last frames; null before the first.
    [[nodiscard]] const FrameRuns* runs() const { return runs_.empty() ? nullptr : runs_.back().get(); }

private:
    void set_up(const DetectorParams& params);
    FrameRuns& runs_for(int width, int height, int frames);
    [[nodiscard]] PreprocessTask preprocess_task(const Frame* frames, DetectionBuffer* const* raw, int count,
                                                 StageRecorder& recorder);
    void enqueue_network(FrameRuns& runs, DetectionBuffer* const* raw, int count, bool graph, StageRecorder& recorder);

    StreamView stream_;
    DeviceInfo device_;
    Network network_;
    DetectorParams params_;
    CnnSwitches switches_;
    float threshold_ = 0;
    Precision precision_ = Precision::fp32;
    Steps steps_;
    KeptMemory memory_;                             // of the runs
    std::vector<std::unique_ptr<FrameRuns>> runs_;  // the most recently used is last
    FrameIntake intake_;
    FrameGraphs graphs_;
};

// Throws Error(usage) for an unknown switch or choice.
[[nodiscard]] CnnSwitches cnn_switches(const DetectorParams& params);

}  // namespace throng::gpu
