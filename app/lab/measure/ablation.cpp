#include "app/lab/measure/ablation.h"

#include "app/cuda_module/load.h"

namespace throng {

std::vector<AblationRow> measure_ablation(const Frame& frame, const std::string& setting, const DetectorParams& params,
                                          int device, int repeats,
                                          const std::function<void(const std::string&)>& show_step) {
    const auto show = [&](const std::string& step) { show_step(setting + ", " + step); };
    std::vector<AblationRow> rows;
    for (CudaAblationStep& step :
         require_cuda_module(Setting{"ablation"}).ablation(frame, params, device, repeats, show)) {
        AblationRow& row = rows.emplace_back();
        row.step = step.name;
        row.times = Samples(std::move(step.ms));
        row.windows = step.windows;
        row.detections = step.detections;
        row.queued = std::move(step.queued);
        for (auto& [name, ms] : step.kernels_ms) row.kernels.emplace_back(name, Samples(std::move(ms)).median());
        row.memory_mb = step.memory_mb;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].setting = setting;
        rows[i].step_gain = rows[i > 0 ? i - 1 : 0].times.median() / rows[i].times.median();
        rows[i].gain = rows.front().times.median() / rows[i].times.median();
    }
    return rows;
}

void add_ablation(ResultList& results, const std::vector<AblationRow>& rows) {
    for (const AblationRow& from : rows) {
        ResultRow& row = results.row();
        row.add("setting", "setting", from.setting).add("step", "step", from.step);
        row.add("median ms", "median_ms", from.times.median()).add("min ms", "min_ms", from.times.min());
        row.add("x step", "step_gain", from.step_gain, 2).add("x base", "gain", from.gain, 2);
        for (const auto& [name, ms] : from.kernels) row.add(name, "kernels_ms/" + name, ms);
        row.add("windows", "windows", from.windows);
        if (from.kernels.empty()) row.add("queued", "queued", from.queued);
        row.add("detections", "detections", std::int64_t{from.detections});
        if (!from.kernels.empty()) row.add("device MB", "device_mb", from.memory_mb, 1);
    }
}

}  // namespace throng
