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
        Samples times(std::move(step.ms));
        rows.push_back({std::move(step), setting, std::move(times)});
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].step_gain = rows[i > 0 ? i - 1 : 0].times.median() / rows[i].times.median();
        rows[i].gain = rows.front().times.median() / rows[i].times.median();
    }
    return rows;
}

void add_ablation(ResultList& results, const std::vector<AblationRow>& rows) {
    for (const AblationRow& from : rows) {
        ResultRow& row = results.row();
        row.add("setting", "setting", from.setting).add("step", "step", from.name);
        row.add("median ms", "median_ms", from.times.median()).add("min ms", "min_ms", from.times.min());
        row.add("x step", "step_gain", from.step_gain, 2).add("x base", "gain", from.gain, 2);
        for (const auto& [name, ms] : from.kernels_ms) row.add(name, "kernels_ms/" + name, Samples(ms).median());
        row.add("windows", "windows", from.windows);
        if (from.kernels_ms.empty()) row.add("queued", "queued", from.queued);
        row.add("detections", "detections", std::int64_t{from.detections});
        if (!from.kernels_ms.empty()) row.add("device MB", "device_mb", from.memory_mb, 1);
    }
}

}  // namespace throng
