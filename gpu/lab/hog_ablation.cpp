#include "gpu/lab/hog_ablation.h"

#include "core/detect/null_recorder.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/replay.h"

namespace throng::gpu {
namespace {

constexpr std::int32_t kCapacity = 1 << 18;
constexpr int kInner = 20;  // calls between two events

}  // namespace

std::vector<HogStep> hog_ablation(const DetectorParams& base) {
    DetectorParams params = base;
    params.half = false;
    params.switches = {
        {"scales", "apart"}, {"work", "one"}, {"arctangent", "exact"}, {"unroll", "off"}, {"graph", "off"}};
    std::vector<HogStep> steps = {{"base", params}};
    const auto add = [&](const char* name, const char* id, const char* choice) {
        params.switches[id] = choice;
        steps.push_back({name, params});
    };
    add("scales together", "scales", "together");
    add("polynomial arc tangent", "arctangent", "polynomial");
    add("unrolled loops", "unroll", "on");
    add("several results per thread", "work", "several");
    add("graph", "graph", "on");
    params.half = true;
    steps.push_back({"16 bits", params});
    return steps;
}

HogTimes measure_hog(HogDetector& detector, const Frame& frame, StreamView stream, int repeats) {
    DetectionBuffer raw = make_device_buffer(kCapacity, {}, stream);
    NullRecorder recorder;
    HogTimes times;
    times.ms = time_calls(
        stream, repeats, [&] { detector.enqueue(frame, raw, recorder); }, kInner);
    DetectionTransfer transfer;
    DetectionSet set;
    transfer.download(raw, set, stream);
    times.detections = set.total;
    times.windows = detector.plan()->window_count();
    times.memory = detector.plan()->memory();
    if (times.windows == 0) return times;
    for (std::size_t k = 0; k < times.kernels.size(); ++k) {
        times.kernels[k] = time_replays(
            stream, repeats, [&] { detector.enqueue_kernel(static_cast<int>(k), raw); }, kInner);
    }
    return times;
}

}  // namespace throng::gpu
