#include "gpu/cnn/cnn_detector.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/error.h"
#include "gpu/frame/switch_table.h"

namespace throng::gpu {
namespace {

constexpr std::size_t kKeptRuns = 2;  // number of frame sizes whose plans are kept

const SwitchTable<CnnSwitches>& table() {
    static const SwitchTable<CnnSwitches> rows = {
        switch_row<&CnnSwitches::input>(
            {"input",
             "Input",
             "The frame at the scales for the requested face sizes, or once at the model's own input size.",
             {"native", "letterbox"}}),
        switch_row<&CnnSwitches::fusion>(
            {"fusion",
             "Fused layers",
             "Convolutions, pooling, sums and heads are fused: fewer maps are written to memory.",
             {"on", "off"}}),
        graph_switch<&CnnSwitches::graph>(),
        switch_row<&CnnSwitches::overlap>(
            {"overlap", "Overlapping launches", "A kernel is set up while the previous one finishes.", {"on", "off"}}),
        switch_row<&CnnSwitches::batch>({"batch",
                                         "Shared launches",
                                         "Frames of several sources on one GPU are processed in batches.",
                                         {"on", "off"}}),
    };
    return rows;
}

}  // namespace

CnnSwitches cnn_switches(const DetectorParams& params) {
    return with_choices(table(), CnnSwitches{}, params.switches);
}

CnnDetector::CnnDetector(StreamView stream, const DeviceInfo& device, Network network, const DetectorParams& params)
    : stream_(stream), device_(device), network_(std::move(network)), intake_(stream, device.integrated) {
    check_params(params);
    set_up(params);
}

CnnDetector::~CnnDetector() {
    finish_frames(stream_);
}

void CnnDetector::set_up(const DetectorParams& params) {
    CnnSwitches switches = cnn_switches(params);
    const bool has_tensor_cores = device_.code >= 75;
    switches.fusion = switches.fusion && has_tensor_cores;  // the fused kernels use tensor cores
    const float threshold = cnn_score_threshold(params, network_.head.family);
    const Precision precision = params.half ? Precision::fp16 : Precision::fp32;
    const bool same_steps = !steps_.groups.empty() && precision == precision_ && switches.fusion == switches_.fusion;
    const bool same_plan = same_steps && params.min_size == params_.min_size && params.max_size == params_.max_size &&
                           params.scale_factor == params_.scale_factor && switches.input == switches_.input;
    if (!same_plan && !runs_.empty()) {
        check_cuda(cudaStreamSynchronize(stream_), "waiting for the detector's last frame");
        {
            const KeptMemory::Use use(memory_);
            runs_.clear();
        }
        memory_.free_unused();  // other settings need other sizes for good
    }
    graphs_.clear();  // before what may throw: the runs that they write are gone
    if (!same_steps) steps_ = make_steps(network_, precision, switches.fusion, device_.shared_memory, stream_);
    params_ = params;
    switches_ = switches;
    threshold_ = threshold;
    precision_ = precision;
}

void CnnDetector::configure(const DetectorParams& params) {
    check_change(params_, params);
    set_up(params);
}

OptionalFields CnnDetector::optional_fields() const {
    OptionalFields optional_fields;
    optional_fields.landmarks = network_.head.has_landmarks;
    return optional_fields;
}

std::vector<DetectorSwitch> CnnDetector::switches() const {
    return describe(table(), switches_);
}

FrameRuns& CnnDetector::runs_for(int width, int height, int frames) {
    auto found = std::find_if(runs_.begin(), runs_.end(), [&](const auto& r) { return r->has_size(width, height); });
    if (found != runs_.end() && (*found)->max_frames() >= frames) {
        std::rotate(found, found + 1, runs_.end());
        return *runs_.back();
    }
    if (found == runs_.end() && runs_.size() == kKeptRuns) found = runs_.begin();
    const KeptMemory::Use use(memory_);
    if (found != runs_.end()) {
        check_cuda(cudaStreamSynchronize(stream_), "waiting for the detector's last frame");
        runs_.erase(found);
        graphs_.clear();
    }
    const CnnPlan plan = plan_passes(network_, width, height, params_, switches_.input);
    // Batches grow as sources start: few sizes of memory on the way to the largest one.
    const auto capacity = static_cast<int>(std::bit_ceil(static_cast<unsigned>(frames)));
    runs_.push_back(
        std::make_unique<FrameRuns>(network_, steps_, precision_, device_, plan, width, height, capacity, stream_));
    return *runs_.back();
}

// Uploads frames in host memory.
PreprocessTask CnnDetector::preprocess_task(const Frame* frames, DetectionBuffer* const* raw, int count,
                                            StageRecorder& recorder) {
    PreprocessTask task;
    for (int i = 0; i < count; ++i) {
        task.image[i] = intake_.take_colors(frames[i], recorder);
        task.color[i] = cnn_color_of(frames[i].info());
        task.clear[i] = raw[i]->span().count;
    }
    task.rgb = network_.input.rgb;
    std::copy(network_.input.mean.begin(), network_.input.mean.end(), task.mean);
    task.scale = network_.input.scale;
    task.padding = network_.input.padding;
    return task;
}

// From the network's input to the boxes.
void CnnDetector::enqueue_network(FrameRuns& runs, DetectionBuffer* const* raw, int count, bool graph,
                                  StageRecorder& recorder) {
    BoxSink sink;
    std::transform(raw, raw + count, sink.raw, [](DetectionBuffer* buffer) { return buffer->span(); });
    sink.threshold = threshold_;
    sink.min_side = static_cast<float>(params_.min_size);
    sink.max_side = params_.max_size > 0 ? static_cast<float>(params_.max_size) : INFINITY;
    {
        const ScopedStage stage(recorder, stage::kNetwork);
        runs.enqueue_layers(count, graph, switches_.overlap, stream_);
    }
    const ScopedStage stage(recorder, stage::kBoxes);
    runs.enqueue_boxes(sink, count, switches_.overlap, stream_);
}

void CnnDetector::enqueue_with(const Frame& frame, DetectionBuffer& raw, StageRecorder& recorder,
                               const FollowingWork& next) {
    begin_frame(device_.index, raw);
    FrameRuns& runs = runs_for(frame.width(), frame.height(), 1);
    const FrameIntake::Reading reading(intake_);
    DetectionBuffer* const to = &raw;
    const PreprocessTask task = preprocess_task(&frame, &to, 1, recorder);
    const auto color =
        static_cast<std::uint64_t>(frame.info().range) << 8 | static_cast<std::uint64_t>(frame.info().matrix);
    graphs_.run(stream_, switches_.graph, task.image[0], raw.span(), color, recorder, next, [&](StageRecorder& stages) {
        {
            const ScopedStage stage(stages, stage::kPreprocess);
            runs.enqueue_preprocess(task, 1, stream_);
        }
        // Measured as in a graph of the frame, from the second one on.
        const bool layers = switches_.graph && FrameGraphs::measures(stages);
        enqueue_network(runs, &to, 1, layers, stages);
    });
}

void CnnDetector::enqueue_batch(const Frame* frames, DetectionBuffer* const* raw, int count, StageRecorder& recorder) {
    for (int i = 0; i < count; ++i) {
        begin_frame(device_.index, *raw[i]);
        if (frames[i].width() != frames[0].width() || frames[i].height() != frames[0].height()) {
            throw Error(ErrorKind::internal, "the frames of a batch differ in size", "CnnDetector");
        }
    }
    FrameRuns& runs = runs_for(frames[0].width(), frames[0].height(), count);
    {
        const FrameIntake::Reading reading(intake_);  // the only work that reads the frames
        const PreprocessTask task = preprocess_task(frames, raw, count, recorder);
        const ScopedStage stage(recorder, stage::kPreprocess);
        runs.enqueue_preprocess(task, count, stream_);
    }
    enqueue_network(runs, raw, count, switches_.graph, recorder);
}

}  // namespace throng::gpu
