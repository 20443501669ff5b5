#include "gpu/cnn/frame_runs.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "core/detect/null_recorder.h"

namespace throng::gpu {
namespace {

InputPass input_of(const CnnPass& pass, int width, int height) {
    const int chroma_width = (width + 1) / 2;
    const int chroma_height = (height + 1) / 2;
    return {horizontal_axis(pass, width, false),
            vertical_axis(pass, height, false),
            horizontal_axis(pass, chroma_width, true),
            vertical_axis(pass, chroma_height, true),
            pass.content_width,
            pass.content_height,
            pass.placement,
            pass.core};
}

}  // namespace

FrameRuns::FrameRuns(const Network& network, const Steps& steps, Precision precision, const DeviceInfo& device,
                     const CnnPlan& plan, int width, int height, int frames, StreamView stream)
    : width_(width), height_(height), frames_(frames) {
    std::vector<CnnPass> passes = plan.passes;
    std::stable_sort(passes.begin(), passes.end(), [](const CnnPass& a, const CnnPass& b) {
        return a.width != b.width ? a.width > b.width : a.height > b.height;
    });
    std::vector<InputPass> inputs;
    for (const CnnPass& pass : passes) inputs.push_back(input_of(pass, width, height));
    for (auto begin = passes.begin(); begin != passes.end();) {
        const auto end = std::find_if(begin, passes.end(), [&](const CnnPass& pass) {
            return pass.width != begin->width || pass.height != begin->height;
        });
        const auto first = static_cast<int>(begin - passes.begin());
        const auto count = static_cast<int>(end - begin);
        const bool native = std::all_of(inputs.begin() + first, inputs.begin() + first + count, is_native);
        runs_.push_back(
            {NetworkRun(network, steps, precision, device, begin->width, begin->height, frames * count, native, stream),
             first, count, inputs[static_cast<std::size_t>(first)]});
        begin = end;
    }
    for (std::size_t r = 1; r < runs_.size(); ++r) {
        side_streams_.emplace_back();
        side_done_.emplace_back(Event::Timing::off);
    }
    d_inputs_ = uploaded(inputs, stream, "uploading the plan");
    check_cuda(cudaStreamSynchronize(stream), "uploading the plan");  // the other streams read it as well
}

void FrameRuns::enqueue_preprocess(PreprocessTask task, int frames, StreamView stream) const {
    for (const Run& run : runs_) {
        task.d_passes = d_inputs_.data() + run.first_pass;
        task.passes = run.passes;
        task.pass = run.input;
        run.network.enqueue_input(task, frames * run.passes, stream);
        std::fill(std::begin(task.clear), std::end(task.clear), nullptr);
    }
}

void FrameRuns::launch_layers(int frames, bool overlap, StreamView stream) const {
    if (!side_streams_.empty()) fork_.record(stream);
    for (std::size_t r = 1; r < runs_.size(); ++r) {
        const StreamView side = side_streams_[r - 1].view();
        fork_.make_wait(side);
        runs_[r].network.enqueue_layers(frames * runs_[r].passes, side, overlap);
        side_done_[r - 1].record(side);
    }
    runs_.front().network.enqueue_layers(frames * runs_.front().passes, stream, overlap);
    for (const Event& done : side_done_) done.make_wait(stream);
}

void FrameRuns::enqueue_layers(int frames, bool graph, bool overlap, StreamView stream) {
    NullRecorder none;
    // The layers read and write the memory of the runs only, so their launches do not depend on the addresses of frames.
    const std::uint64_t variant = static_cast<std::uint64_t>(frames) << 1 | (overlap ? 1U : 0U);
    graphs_.run(stream, graph, {}, {}, variant, none, {},
                [&](StageRecorder&) { launch_layers(frames, overlap, stream); });
}

void FrameRuns::enqueue_boxes(BoxSink sink, int frames, bool overlap, StreamView stream) const {
    for (const Run& run : runs_) {
        sink.d_passes = d_inputs_.data() + run.first_pass;
        sink.passes = run.passes;
        // The first of several runs follows all of their layers, not one kernel.
        const bool follows_kernel = runs_.size() == 1 || &run != &runs_.front();
        run.network.enqueue_boxes(sink, frames * run.passes, stream, overlap && follows_kernel);
    }
}

}  // namespace throng::gpu
