#include "gpu/lab/cascade_ablation.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "core/algo/gray.h"
#include "core/detect/null_recorder.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/replay.h"

namespace throng::gpu {
namespace {

constexpr std::int32_t kCapacity = 1 << 18;
constexpr double kSlow = 2.0;  // milliseconds

}  // namespace

std::vector<AblationStep> cascade_ablation() {
    CascadeOptions options;
    options.segment_count = 1;
    options.scales = Scales::sequential;
    options.features = Features::geometry;
    options.first_useful_scale = false;
    options.tiles = false;
    options.tail = false;
    options.graph = false;
    std::vector<AblationStep> steps = {{"base", options}};
    const auto add = [&](const char* name, auto change) {
        change(options);
        steps.push_back({name, options});
    };
    add("segments", [](CascadeOptions& o) { o.segment_count = 2; });
    add("concurrent scales", [](CascadeOptions& o) { o.scales = Scales::streams; });
    add("scales together", [](CascadeOptions& o) { o.scales = Scales::together; });
    add("first scale", [](CascadeOptions& o) { o.first_useful_scale = true; });
    add("offsets", [](CascadeOptions& o) { o.features = Features::offsets; });
    add("tiles", [](CascadeOptions& o) { o.tiles = true; });
    add("tail", [](CascadeOptions& o) { o.tail = true; });
    add("graph", [](CascadeOptions& o) { o.graph = true; });
    add("skin mask", [](CascadeOptions& o) { o.mask.skin = true; });
    add("stride 2, no mask", [](CascadeOptions& o) {
        o.mask.skin = false;
        o.stride = 2;
    });
    return steps;
}

Frame device_frame(const Frame& frame, StreamView stream) {
    const Frame host = frame.on_host();
    const bool bgr = host.info().format == PixelFormat::bgr24;
    const bool planar = host.info().format == PixelFormat::yuv420p;
    const int planes = planar ? 2 : plane_count(host.info().format);
    const int pitch = (host.width() + 255) / 256 * 256;
    const int half_height = (host.height() + 1) / 2;
    const auto rows = static_cast<std::size_t>(host.height() + (planes > 1 ? half_height : 0));
    auto memory = std::make_shared<DeviceBuffer<std::uint8_t>>(rows * static_cast<std::size_t>(pitch));
    std::vector<std::uint8_t> bytes(memory->size());
    for (int y = 0; y < host.height(); ++y) {
        const std::uint8_t* row = host.plane(0).data + y * host.plane(0).pitch;
        for (int x = 0; bgr && x < host.width(); ++x) {
            bytes[static_cast<std::size_t>(y) * static_cast<std::size_t>(pitch) + static_cast<std::size_t>(x)] =
                gray_of_bgr(row[3 * x], row[3 * x + 1], row[3 * x + 2]);
        }
        if (bgr) continue;
        std::copy_n(row, host.width(), bytes.data() + std::ptrdiff_t{y} * pitch);
    }
    std::uint8_t* chroma = bytes.data() + std::ptrdiff_t{host.height()} * pitch;
    for (int y = 0; planes > 1 && y < half_height; ++y) {
        std::uint8_t* to = chroma + std::ptrdiff_t{y} * pitch;
        const std::uint8_t* cb = host.plane(1).data + y * host.plane(1).pitch;
        if (!planar) {
            std::copy_n(cb, host.plane(1).width, to);
            continue;
        }
        const std::uint8_t* cr = host.plane(2).data + y * host.plane(2).pitch;
        for (int x = 0; x < (host.width() + 1) / 2; ++x) {
            to[2 * x] = cb[x];
            to[2 * x + 1] = cr[x];
        }
    }
    check_cuda(cudaMemcpyAsync(memory->data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream),
               "copying a frame");
    check_cuda(cudaStreamSynchronize(stream), "copying a frame");

    FrameInfo info = host.info();
    info.memory = MemoryKind::device;
    if (planar) info.format = PixelFormat::nv12;
    if (bgr) info.format = PixelFormat::gray8;
    PlaneView view[Frame::kMaxPlanes];
    for (int p = 0; p < planes; ++p) {
        view[p] = plane_shape(info.format, info.width, info.height, p);
        view[p].pitch = pitch;
        view[p].data = memory->data() + (p == 0 ? 0 : std::ptrdiff_t{host.height()} * pitch);
    }
    return Frame(info, view, memory);
}

CascadeTimes measure_cascade(CascadeDetector& detector, const Frame& frame, StreamView stream, int repeats, int inner) {
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

}  // namespace throng::gpu
