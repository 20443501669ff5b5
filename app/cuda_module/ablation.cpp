#include "app/cuda_module/ablation.h"

#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"
#include "gpu/lab/ablation.h"

namespace throng {
namespace {

using ShowStep = std::function<void(const std::string&)>;

// Adds one step. times: gpu::CascadeTimes or gpu::HogTimes.
template <class Times>
CudaAblationStep& add_step(std::vector<CudaAblationStep>& steps, const std::string& name, const Times& times) {
    CudaAblationStep& step = steps.emplace_back();
    step.name = name;
    step.ms = times.ms;
    step.windows = times.windows;
    step.detections = times.detections;
    return step;
}

std::vector<CudaAblationStep> cascade_steps(const Frame& frame, const DetectorParams& params,
                                            const gpu::DeviceInfo& device, gpu::StreamView stream, int repeats,
                                            const ShowStep& show_step) {
    gpu::CascadeSteps detector(stream, device, read_cascade(find_model(params.model, params.kind)), params);
    std::vector<CudaAblationStep> steps;
    for (const gpu::AblationStep& step : gpu::cascade_ablation(params)) {
        show_step(step.name);
        detector.configure(step.params);
        const gpu::CascadeTimes times = gpu::measure_cascade(detector, frame, stream, repeats);
        CudaAblationStep& added = add_step(steps, step.name, times);
        added.queued = times.queued;
    }
    return steps;
}

std::vector<CudaAblationStep> hog_steps(const Frame& frame, const DetectorParams& params, const gpu::DeviceInfo& device,
                                        gpu::StreamView stream, int repeats, const ShowStep& show_step) {
    gpu::HogDetector detector(stream, device, read_hog_model(params.model), params, gpu::hog_step_kernels);
    std::vector<CudaAblationStep> steps;
    for (const gpu::AblationStep& step : gpu::hog_ablation(params)) {
        show_step(step.name);
        detector.configure(step.params);
        const gpu::HogTimes times = gpu::measure_hog(detector, frame, stream, repeats);
        CudaAblationStep& added = add_step(steps, step.name, times);
        added.memory_mb = static_cast<double>(times.memory) / 1e6;
        for (std::size_t k = 0; k < gpu::kHogKernels.size(); ++k)
            added.kernels_ms.emplace_back(gpu::kHogKernels[k], times.kernels[k]);
    }
    return steps;
}

}  // namespace

std::vector<CudaAblationStep> cuda_ablation(const Frame& frame, const DetectorParams& params, int device, int repeats,
                                            const ShowStep& show_step) {
    const gpu::DeviceInfo info = gpu::use_device(device);
    const gpu::Stream stream;
    const Frame on_device = gpu::device_frame(frame, stream.view());
    return (params.kind == DetectorId::hog ? hog_steps : cascade_steps)(on_device, params, info, stream.view(), repeats,
                                                                        show_step);
}

}  // namespace throng
