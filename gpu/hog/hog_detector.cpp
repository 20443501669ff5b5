#include "gpu/hog/hog_detector.h"

#include <string_view>

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
    constexpr std::string_view kStages[kKernels] = {stage::kGradient, stage::kHistogram, stage::kNormalize,
                                                    stage::kSvm};
    for (const HogGroup& group : plan_->groups()) {
        const bool first = &group == &plan_->groups().front();
        for (int k = 0; k < kKernels; ++k) {
            const ScopedStage stage(recorder, kStages[k]);
            launch(k, group, image, first ? raw.count : nullptr, raw);
        }
    }
}

void HogDetector::enqueue_kernel(int kernel, DetectionBuffer& raw) const {
    for (const HogGroup& group : plan_->groups()) launch(kernel, group, image_, raw.span().count, raw.span());
}

void HogDetector::launch(int kernel, const HogGroup& group, const DeviceImage& image, DetectionCount* clear,
                         const DetectionSpan& raw) const {
    const HogTables known = tables();
    switch (kernel) {
        case 0: return kernels_.gradient(known, group.gradient, image, clear, stream_);
        case 1: return kernels_.histogram(known, group.histogram, group.histogram_rows, stream_);
        case 2: return kernels_.normalize(known, group.normalize, stream_);
        default: {
            const HogOutput output{raw, params_.score_threshold.value_or(kHogMargin)};
            return kernels_.svm(known, group.svm, output, device_.shared_memory, stream_);
        }
    }
}

HogTables HogDetector::tables() const {
    HogTables tables = plan_->tables();
    tables.weights = d_weights_.data();
    tables.bias = model_.bias;
    tables.gamma = model_.gamma;
    return tables;
}

}  // namespace throng::gpu
