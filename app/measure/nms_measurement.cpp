#include "app/measure/nms_measurement.h"

#include <algorithm>
#include <chrono>

#include "core/detect/nms_profiling.h"
#include "core/detect/stage.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

std::vector<std::string> stages_of(const std::vector<const NmsMeasurement*>& measurements) {
    // In execution order; stages that only one backend has come last.
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        const bool known = std::find(names.begin(), names.end(), name) != names.end();
        const bool ran = std::any_of(measurements.begin(), measurements.end(),
                                     [&](const NmsMeasurement* each) { return each->stages.count(name) != 0; });
        if (ran && !known) names.push_back(name);
    };
    for (const std::string_view name : {stage::kNmsOrder, stage::kNmsMap, stage::kNmsReduce}) add(std::string(name));
    for (const NmsMeasurement* each : measurements) {
        for (const auto& [name, samples] : each->stages) add(name);
    }
    return names;
}

std::string_view note_on(const std::string& stage) {
    if (stage.find('+') != std::string::npos)
        return "map+reduce: timed as one stage; a build with -DTH_NMS_SEPARATE=ON times them separately\n";
    if (stage.find('|') != std::string::npos)
        return "small|order: the whole suppression of a small frame, or the ordering of a larger one, which share "
               "launches; "
               "a build with -DTH_NMS_SEPARATE=ON times them separately\n";
    return {};
}

NmsMeasurement measure_nms(Backend& backend, Nms& nms, const DetectionBuffer& raw, DetectionBuffer& kept,
                           const NmsParams& params, int repeats) {
    NmsMeasurement result;
    DetectionSet unused;
    const auto recorder = backend.make_recorder();
    const bool on_host = kept.memory() != MemoryKind::device;
    const auto run = [&] {
        nms.enqueue(raw, kept, params, *recorder);
        if (!on_host) backend.download(kept, unused);
    };
    run();
    recorder->end_frame();
    for (int k = 0; k < repeats; ++k) {
        const Clock::time_point start = Clock::now();
        run();
        result.total.push_back(milliseconds_since(start));
        for (const auto& [name, ms] : recorder->end_frame()) result.stages[std::string(name)].push_back(ms);
    }
    if (auto* profiling = dynamic_cast<NmsProfiling*>(&nms)) {
        std::vector<double> replay = profiling->replay(raw, kept, params, repeats);
        result.pair_tests = profiling->pair_tests();
        result.replayed = !replay.empty();
        if (result.replayed) result.total = std::move(replay);
    }
    std::sort(result.total.begin(), result.total.end());
    for (auto& [name, samples] : result.stages) std::sort(samples.begin(), samples.end());
    return result;
}

}  // namespace throng
