// Everything that a detector needs for frames of one size: the passes of the plan, their network runs, and CUDA graphs of
// all layers of all runs. Built once and used for every such batch.
#pragma once

#include <vector>

#include "core/model/cnn_plan.h"
#include "gpu/cnn/network_run.h"
#include "gpu/frame/frame_graphs.h"

namespace throng::gpu {

class FrameRuns {
public:
    // frames: the largest number in a batch, at most kMaxBatch. Passes of one size form a batch. The references must
    // outlive this object. Waits for the stream. Throws Error(unavailable) if there is not enough memory.
    FrameRuns(const Network& network, const Steps& steps, Precision precision, const DeviceInfo& device,
              const CnnPlan& plan, int width, int height, int frames, StreamView stream);

    [[nodiscard]] bool has_size(int width, int height) const { return width_ == width && height_ == height; }
    [[nodiscard]] int max_frames() const { return frames_; }

    // Enqueue the work on `frames` frames, 1 to max_frames(). task, sink: the part that does not depend on a run; the
    // rest is filled in here. Counts to clear are cleared once. At native resolution the first of the three includes the
    // stem: what reads frames is not part of the graphs of the layers.
    void enqueue_preprocess(PreprocessTask task, int frames, StreamView stream) const;
    // Enqueues the runs concurrently. graph: as one graph for each number of frames (FrameGraphs).
    void enqueue_layers(int frames, bool graph, bool overlap, StreamView stream);
    void enqueue_boxes(BoxSink sink, int frames, bool overlap, StreamView stream) const;

    struct Run {
        NetworkRun network;
        int first_pass, passes;
        InputPass input;  // of the first pass
    };
    [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

private:
    void launch_layers(int frames, bool overlap, StreamView stream) const;

    int width_, height_, frames_;
    std::vector<Run> runs_;
    DeviceBuffer<InputPass> d_inputs_;
    std::vector<Stream> side_streams_;  // one per run except the first
    std::vector<Event> side_done_;
    Event fork_{Event::Timing::off};
    FrameGraphs graphs_;  // of the layers
};

}  // namespace throng::gpu
