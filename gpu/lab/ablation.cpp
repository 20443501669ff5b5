#include "gpu/lab/ablation.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/detect/null_recorder.h"
#include "core/frame/frame_pool.h"
#include "gpu/frame/frame_intake.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/replay.h"

namespace throng::gpu {
namespace {

constexpr std::int32_t kCapacity = 1 << 18;
constexpr double kSlow = 2.0;  // milliseconds
constexpr int kHogInner = 20;  // calls between two events

// The steps so far; `add` sets one switch more.
struct Steps {
    DetectorParams params;
    std::vector<AblationStep> list = {{"base", params}};

    void add(const char* name, const char* id, const char* choice) {
        params.switches[id] = choice;
        list.push_back({name, params});
    }
};

// Converts yuv420p to NV12.
Frame with_pairs_of_chroma(const Frame& planar) {
    FramePool pool;
    WritableFrame frame = pool.take(PixelFormat::nv12, planar.width(), planar.height());
    for (int p = 0; p < 3; ++p) {
        const PlaneView& from = planar.plane(p);
        const int step = p == 0 ? 1 : 2;
        for (int y = 0; y < from.height; ++y) {
            std::uint8_t* to = frame.data(std::min(p, 1)) + y * frame.plane(std::min(p, 1)).pitch + p / 2;
            for (int x = 0; x < from.width; ++x) to[x * step] = from.data[y * from.pitch + x];
        }
    }
    return std::move(frame).finish();
}

}  // namespace

std::vector<AblationStep> cascade_ablation(DetectorParams base) {
    base.switches = {{"segments", "1"}, {"scales", "sequential"}, {"features", "geometry"}, {"first-scale", "off"},
                     {"tiles", "off"},  {"tail", "off"},          {"graph", "off"}};
    Steps steps{base};
    steps.add("segments", "segments", "2");
    steps.add("concurrent scales", "scales", "streams");
    steps.add("scales together", "scales", "together");
    steps.add("first scale", "first-scale", "on");
    steps.add("offsets", "features", "offsets");
    steps.add("tiles", "tiles", "on");
    steps.add("tail", "tail", "on");
    steps.add("graph", "graph", "on");
    steps.add("skin mask", "mask", "skin");
    steps.params.switches.erase("mask");
    steps.add("stride 2, no mask", "stride", "2");
    return steps.list;
}

std::vector<AblationStep> hog_ablation(DetectorParams base) {
    base.half = false;
    base.switches = {
        {"scales", "apart"}, {"work", "one"}, {"arctangent", "exact"}, {"unroll", "off"}, {"graph", "off"}};
    Steps steps{base};
    steps.add("scales together", "scales", "together");
    steps.add("polynomial arc tangent", "arctangent", "polynomial");
    steps.add("unrolled loops", "unroll", "on");
    steps.add("several results per thread", "work", "several");
    steps.add("graph", "graph", "on");
    steps.params.half = true;
    steps.list.push_back({"16 bits", steps.params});
    return steps.list;
}

Frame device_frame(const Frame& frame, StreamView stream) {
    const Frame host = frame.on_host();
    const auto intake = std::make_shared<FrameIntake>(stream, false);  // owns the copy
    DeviceImage image;
    {
        const FrameIntake::Reading reading(*intake);
        NullRecorder none;
        image =
            intake->take(host.info().format == PixelFormat::yuv420p ? with_pairs_of_chroma(host) : host, true, none);
    }
    check_cuda(cudaStreamSynchronize(stream), "copying a frame");
    FrameInfo info = frame.info();
    info.memory = MemoryKind::device;
    info.format = image.cb != nullptr ? PixelFormat::nv12 : PixelFormat::gray8;
    PlaneView view[Frame::kMaxPlanes];
    for (int p = 0; p < plane_count(info.format); ++p) {
        view[p] = plane_shape(info.format, info.width, info.height, p);
        view[p].pitch = p == 0 ? image.luma_pitch : image.chroma_pitch;
        view[p].data = p == 0 ? image.luma : image.cb;
    }
    return Frame(info, view, intake);
}

CascadeTimes measure_cascade(CascadeSteps& detector, const Frame& frame, StreamView stream, int repeats, int inner) {
    DetectionBuffer raw = make_device_buffer(kCapacity, {}, stream);
    NullRecorder recorder;
    CascadeTimes times;
    const auto call = [&] { detector.enqueue(frame, raw, recorder); };
    DetectionTransfer transfer;
    DetectionSet set;
    do {
        call();
        transfer.download(raw, set, stream);
    } while (detector.reserve(set.candidates));
    if (time_calls(stream, 1, call, 1).front() > kSlow) inner = 1;  // the overhead of the events is negligible
    times.ms = time_calls(stream, repeats, call, inner);
    times.detections = set.total;
    times.queued = detector.read_queued();
    times.windows = detector.plan() != nullptr ? detector.plan()->window_count() : 0;
    return times;
}

HogTimes measure_hog(HogDetector& detector, const Frame& frame, StreamView stream, int repeats) {
    DetectionBuffer raw = make_device_buffer(kCapacity, {}, stream);
    NullRecorder recorder;
    HogTimes times;
    times.ms = time_calls(
        stream, repeats, [&] { detector.enqueue(frame, raw, recorder); }, kHogInner);
    DetectionTransfer transfer;
    DetectionSet set;
    transfer.download(raw, set, stream);
    times.detections = set.total;
    times.windows = detector.plan()->window_count();
    times.memory = detector.plan()->memory();
    if (times.windows == 0) return times;
    for (std::size_t k = 0; k < times.kernels.size(); ++k) {
        times.kernels[k] = time_replays(
            stream, repeats, [&] { detector.enqueue_kernel(k, raw); }, kHogInner);
    }
    return times;
}

}  // namespace throng::gpu
