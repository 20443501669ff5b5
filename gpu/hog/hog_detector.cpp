#include "gpu/hog/hog_detector.h"

#include "gpu/hog/hog_weights.h"

namespace throng::gpu {

HogDetector::HogDetector(StreamView stream, const DeviceInfo& device, const HogModel& model,
                         const DetectorParams& params, ChooseKernels choose)
    : PlannedDetector(stream, device, params),
      options_(hog_options(params)),
      choose_(choose),
      kernels_(choose(options_)),
      model_(model),
      d_weights_(upload_hog_weights(model, options_.half, stream)) {
    graph_ = options_.graph;
}

void HogDetector::configure(const DetectorParams& params) {
    check_change(params_, params);
    const HogOptions options = hog_options(params);
    if (params == params_) return;
    if (options.half != options_.half) d_weights_ = upload_hog_weights(model_, options.half, stream_);
    params_ = params;
    options_ = options;
    kernels_ = choose_(options);
    graph_ = options.graph;
    drop_plan_and_memory();
}

void HogDetector::make_plan(ImageSize frame) {
    plan_.emplace(frame, params_, options_, device_.multiprocessors, stream_);
}

void HogDetector::enqueue_frame(const DeviceImage& image, const DetectionSpan& raw, StageRecorder& recorder) {
    for (const HogGroup& group : plan_->groups()) {
        const bool first = &group == &plan_->groups().front();
        for (std::size_t k = 0; k < kHogKernels.size(); ++k) {
            const ScopedStage stage(recorder, kHogKernels[k]);
            launch(k, group, image, first ? raw.count : nullptr, raw);
        }
    }
}

void HogDetector::enqueue_kernel(std::size_t kernel, DetectionBuffer& raw) const {
    for (const HogGroup& group : plan_->groups()) launch(kernel, group, image_, raw.span().count, raw.span());
}

void HogDetector::launch(std::size_t kernel, const HogGroup& group, const DeviceImage& image, DetectionCount* clear,
                         const DetectionSpan& raw) const {
    HogLaunch work{plan_->tables(), group.units[kernel],   image,  group.histogram_rows, {raw, *score_threshold()},
                   clear,           device_.shared_memory, stream_};
    work.tables.weights = d_weights_.data();
    work.tables.bias = model_.bias;
    work.tables.gamma = model_.gamma;
    kernels_.at(kernel)(work);
}

}  // namespace throng::gpu
