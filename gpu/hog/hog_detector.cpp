#include "gpu/hog/hog_detector.h"

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

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
    const HogTables known = tables();
    DetectionCount* clear = raw.count;
    for (const HogGroup& group : plan_->groups()) {
        {
            const ScopedStage stage(recorder, stage::kGradient);
            kernels_.gradient(known, group.gradient, image, clear, stream_);
            clear = nullptr;
        }
        {
            const ScopedStage stage(recorder, stage::kHistogram);
            kernels_.histogram(known, group.histogram, group.histogram_rows, stream_);
        }
        {
            const ScopedStage stage(recorder, stage::kNormalize);
            kernels_.normalize(known, group.normalize, stream_);
        }
        const ScopedStage stage(recorder, stage::kSvm);
        kernels_.svm(known, group.svm, output(raw), device_.shared_memory, stream_);
    }
}

HogTables HogDetector::tables() const {
    HogTables tables = plan_->tables();
    tables.weights = d_weights_.data();
    tables.bias = model_.bias;
    tables.gamma = model_.gamma;
    return tables;
}

HogOutput HogDetector::output(const DetectionSpan& raw) const {
    return {raw, params_.score_threshold.value_or(kHogMargin)};
}

std::vector<float> HogDetector::read_blocks(std::size_t level) const {
    if (!plan_ || plan_->groups().size() != 1 || level >= plan_->levels().size()) return {};
    const HogDeviceLevel& at = plan_->device_level(level);
    const auto count =
        static_cast<std::size_t>(at.cell_rows - 1) * kHogBlockValues * static_cast<std::size_t>(at.block_pitch);
    const HogTables known = tables();
    std::vector<float> padded(count);
    if (options_.half) {
        std::vector<__half> pairs(count);
        copy_to_host(pairs.data(), static_cast<const __half*>(known.values) + at.blocks, count * sizeof(__half),
                     stream_);
        const auto pitch = static_cast<std::size_t>(at.block_pitch);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t pair_row = i / pitch / 2;
            padded[i] = __half2float(pairs[(pair_row * pitch + i % pitch) * 2 + i / pitch % 2]);
        }
    } else {
        copy_to_host(padded.data(), static_cast<const float*>(known.values) + at.blocks, count * sizeof(float),
                     stream_);
    }
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) {
        if (static_cast<int>(i) % at.block_pitch < at.cells - 1) values.push_back(padded[i]);
    }
    return values;
}

void HogDetector::enqueue_kernel(int kernel, DetectionBuffer& raw) const {
    const HogTables known = tables();
    for (const HogGroup& group : plan_->groups()) {
        switch (kernel) {
            case 0: kernels_.gradient(known, group.gradient, image_, raw.span().count, stream_); break;
            case 1: kernels_.histogram(known, group.histogram, group.histogram_rows, stream_); break;
            case 2: kernels_.normalize(known, group.normalize, stream_); break;
            default: kernels_.svm(known, group.svm, output(raw.span()), device_.shared_memory, stream_);
        }
    }
}

}  // namespace throng::gpu
