#include "app/measure/hog_ablation.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/rolling.h"
#ifdef TH_WITH_CUDA
#include "gpu/cascade/ablation.h"
#include "gpu/hog/hog_profiling.h"
#endif

namespace throng {

#ifdef TH_WITH_CUDA

namespace {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return percentile(values, 0.5);
}

}  // namespace

std::vector<HogAblationRow> measure_hog_ablation(const Frame& frame, const std::string& setting,
                                                 const DetectorParams& params, int device, int repeats) {
    const gpu::DeviceInfo info = gpu::use_device(device);
    const gpu::Stream stream;
    const Frame on_device = gpu::device_frame(frame, stream.view());
    gpu::HogDetector detector(stream.view(), info, read_hog_model(params.model), params);
    std::vector<HogAblationRow> rows;
    for (const gpu::HogStep& step : gpu::hog_ablation(params)) {
        detector.configure(step.params);
        const gpu::HogTimes times = gpu::measure_hog(detector, on_device, stream.view(), repeats);
        HogAblationRow row;
        row.setting = setting;
        row.step = step.name;
        row.median_ms = median(times.ms);
        row.least_ms = *std::min_element(times.ms.begin(), times.ms.end());
        if (!rows.empty()) {
            row.step_gain = rows.back().median_ms / row.median_ms;
            row.gain = rows.front().median_ms / row.median_ms;
        }
        for (std::size_t k = 0; k < gpu::kHogKernels.size(); ++k) {
            row.kernels.emplace_back(std::string(gpu::kHogKernels[k]), median(times.kernels[k]));
        }
        row.windows = times.windows;
        row.detections = times.detections;
        rows.push_back(std::move(row));
    }
    return rows;
}

#else

std::vector<HogAblationRow> measure_hog_ablation(const Frame&, const std::string&, const DetectorParams&, int, int) {
    throw Error(ErrorKind::unavailable, "this build does not include CUDA", "--ablation", "build with a CUDA compiler");
}

#endif

TextTable hog_ablation_table(const std::vector<HogAblationRow>& rows) {
    TextTable table({"setting", "step", "median ms", "min ms", "x step", "x base", "gradient", "histogram", "normalize",
                     "svm", "windows", "raw"});
    for (const HogAblationRow& row : rows) {
        std::vector<std::string> cells = {row.setting,
                                          row.step,
                                          fmt::format("{:.4f}", row.median_ms),
                                          fmt::format("{:.4f}", row.least_ms),
                                          fmt::format("{:.2f}", row.step_gain),
                                          fmt::format("{:.2f}", row.gain)};
        for (const auto& [name, ms] : row.kernels) cells.push_back(fmt::format("{:.4f}", ms));
        cells.push_back(fmt::format("{}", row.windows));
        cells.push_back(fmt::format("{}", row.detections));
        table.add(std::move(cells));
    }
    return table;
}

nlohmann::json hog_ablation_json(const std::vector<HogAblationRow>& rows) {
    nlohmann::json list = nlohmann::json::array();
    for (const HogAblationRow& row : rows) {
        nlohmann::json kernels = nlohmann::json::object();
        for (const auto& [name, ms] : row.kernels) kernels[name] = ms;
        list.push_back({{"setting", row.setting},
                        {"step", row.step},
                        {"median_ms", row.median_ms},
                        {"least_ms", row.least_ms},
                        {"step_gain", row.step_gain},
                        {"gain", row.gain},
                        {"kernels_ms", kernels},
                        {"windows", row.windows},
                        {"raw", row.detections}});
    }
    return list;
}

}  // namespace throng
