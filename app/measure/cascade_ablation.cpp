#include "app/measure/cascade_ablation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/rolling.h"
#ifdef TH_WITH_CUDA
#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"
#include "gpu/cascade/ablation.h"
#endif

namespace throng {

#ifdef TH_WITH_CUDA

int ablation_steps() {
    return static_cast<int>(gpu::cascade_ablation().size());
}

std::vector<AblationRow> measure_ablation(const Frame& frame, const std::string& setting, const DetectorParams& params,
                                          int device, int repeats, const std::function<void()>& done) {
    const gpu::DeviceInfo info = gpu::use_device(device);
    const gpu::Stream stream;
    const Frame on_device = gpu::device_frame(frame, stream.view());
    const CascadeModel model = read_cascade(find_model(params.model, params.kind));
    gpu::CascadeDetector detector(stream.view(), info, model, params);
    std::vector<AblationRow> rows;
    for (const gpu::AblationStep& step : gpu::cascade_ablation()) {
        detector.set_options(step.options);
        gpu::CascadeTimes times = gpu::measure_cascade(detector, on_device, stream.view(), repeats);
        std::sort(times.ms.begin(), times.ms.end());
        AblationRow row;
        row.setting = setting;
        row.step = step.name;
        row.median_ms = percentile(times.ms, 0.5);
        row.least_ms = times.ms.front();
        if (!rows.empty()) {
            row.step_gain = rows.back().median_ms / row.median_ms;
            row.gain = rows.front().median_ms / row.median_ms;
        }
        row.windows = times.windows;
        row.queued = times.counts.queued;
        row.spilled = times.counts.spilled;
        row.detections = times.detections;
        rows.push_back(std::move(row));
        done();
    }
    return rows;
}

#else

int ablation_steps() {
    return 0;
}

std::vector<AblationRow> measure_ablation(const Frame&, const std::string&, const DetectorParams&, int, int,
                                          const std::function<void()>&) {
    throw Error(ErrorKind::unavailable, "this build does not include CUDA", "--ablation", "build with a CUDA compiler");
}

#endif

TextTable ablation_table(const std::vector<AblationRow>& rows) {
    TextTable table(
        {"setting", "step", "median ms", "min ms", "x step", "x base", "windows", "queued", "spilled", "detections"});
    for (const AblationRow& row : rows) {
        table.add({row.setting, row.step, fmt::format("{:.4f}", row.median_ms), fmt::format("{:.4f}", row.least_ms),
                   fmt::format("{:.2f}", row.step_gain), fmt::format("{:.2f}", row.gain),
                   fmt::format("{}", row.windows), fmt::format("{}", fmt::join(row.queued, " ")),
                   fmt::format("{}", row.spilled), fmt::format("{}", row.detections)});
    }
    return table;
}

nlohmann::json ablation_json(const std::vector<AblationRow>& rows) {
    nlohmann::json list = nlohmann::json::array();
    for (const AblationRow& row : rows) {
        list.push_back({{"setting", row.setting},
                        {"step", row.step},
                        {"median_ms", row.median_ms},
                        {"least_ms", row.least_ms},
                        {"step_gain", row.step_gain},
                        {"gain", row.gain},
                        {"windows", row.windows},
                        {"queued", row.queued},
                        {"spilled", row.spilled},
                        {"detections", row.detections}});
    }
    return list;
}

}  // namespace throng
