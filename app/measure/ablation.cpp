#include "app/measure/ablation.h"

#include "core/base/error.h"
#ifdef TH_WITH_CUDA
#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"
#include "gpu/cascade/ablation.h"
#include "gpu/hog/hog_profiling.h"
#endif

namespace throng {

#ifdef TH_WITH_CUDA

namespace {

using ShowStep = std::function<void(const std::string&)>;

// Adds the row of one step. times: gpu::CascadeTimes or gpu::HogTimes.
template <class Times>
AblationRow& add_row(std::vector<AblationRow>& rows, const std::string& step, const Times& times) {
    AblationRow& row = rows.emplace_back();
    row.step = step;
    row.times = Samples(times.ms);
    row.windows = times.windows;
    row.detections = times.detections;
    return row;
}

std::vector<AblationRow> cascade_rows(const Frame& frame, const DetectorParams& params, const gpu::DeviceInfo& device,
                                      gpu::StreamView stream, int repeats, const ShowStep& show_step) {
    gpu::CascadeDetector detector(stream, device, read_cascade(find_model(params.model, params.kind)), params);
    std::vector<AblationRow> rows;
    for (const gpu::AblationStep& step : gpu::cascade_ablation()) {
        show_step(step.name);
        detector.set_options(step.options);
        const gpu::CascadeTimes times = gpu::measure_cascade(detector, frame, stream, repeats);
        AblationRow& row = add_row(rows, step.name, times);
        row.queued = times.counts.queued;
        row.spilled = times.counts.spilled;
    }
    return rows;
}

std::vector<AblationRow> hog_rows(const Frame& frame, const DetectorParams& params, const gpu::DeviceInfo& device,
                                  gpu::StreamView stream, int repeats, const ShowStep& show_step) {
    gpu::HogDetector detector(stream, device, read_hog_model(params.model), params);
    std::vector<AblationRow> rows;
    for (const gpu::HogStep& step : gpu::hog_ablation(params)) {
        show_step(step.name);
        detector.configure(step.params);
        const gpu::HogTimes times = gpu::measure_hog(detector, frame, stream, repeats);
        AblationRow& row = add_row(rows, step.name, times);
        row.memory_mb = static_cast<double>(times.memory) / 1e6;
        for (std::size_t k = 0; k < gpu::kHogKernels.size(); ++k)
            row.kernels.emplace_back(std::string(gpu::kHogKernels[k]), Samples(times.kernels[k]).median());
    }
    return rows;
}

}  // namespace

std::vector<AblationRow> measure_ablation(const Frame& frame, const std::string& setting, const DetectorParams& params,
                                          int device, int repeats, const ShowStep& step) {
    const gpu::DeviceInfo info = gpu::use_device(device);
    const gpu::Stream stream;
    const Frame on_device = gpu::device_frame(frame, stream.view());
    const auto show_step = [&](const std::string& name) { step(setting + ", " + name); };
    std::vector<AblationRow> rows =
        (params.kind == "hog" ? hog_rows : cascade_rows)(on_device, params, info, stream.view(), repeats, show_step);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].setting = setting;
        rows[i].step_gain = rows[i > 0 ? i - 1 : 0].times.median() / rows[i].times.median();
        rows[i].gain = rows.front().times.median() / rows[i].times.median();
    }
    return rows;
}

#else

std::vector<AblationRow> measure_ablation(const Frame&, const std::string&, const DetectorParams&, int, int,
                                          const std::function<void(const std::string&)>&) {
    throw Error(ErrorKind::unavailable, "this build does not include CUDA", "--ablation", "build with a CUDA compiler");
}

#endif

void add_ablation(ResultList& results, const std::vector<AblationRow>& rows) {
    for (const AblationRow& from : rows) {
        ResultRow& row = results.row();
        row.add("setting", "setting", from.setting).add("step", "step", from.step);
        row.add("median ms", "median_ms", from.times.median()).add("min ms", "min_ms", from.times.min());
        row.add("x step", "step_gain", from.step_gain, 2).add("x base", "gain", from.gain, 2);
        for (const auto& [name, ms] : from.kernels) row.add(name, "kernels_ms/" + name, ms);
        row.add("windows", "windows", from.windows);
        if (from.kernels.empty()) row.add("queued", "queued", from.queued).add("spilled", "spilled", from.spilled);
        row.add("detections", "detections", std::int64_t{from.detections});
        if (!from.kernels.empty()) row.add("device MB", "device_mb", from.memory_mb, 1);
    }
}

}  // namespace throng
