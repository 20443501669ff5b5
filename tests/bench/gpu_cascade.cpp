// Measures the CUDA cascade in its five target settings: an ablation of the switches, a sweep of segments, and the
// times of the stages. Usage: bench_gpu_cascade [IMAGE...]   without images: the procedural crowd.
#include <cstdio>

#ifdef TH_WITH_CUDA
#include <algorithm>
#include <string>
#include <vector>

#include "app/lab/measure/samples.h"
#include "core/base/error.h"
#include "core/model/cascade_xml.h"
#include "core/model/model_finder.h"
#include "core/synth/crowd.h"
#include "core/video/image_file.h"
#include "gpu/lab/ablation.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/event_recorder.h"
#include "opencv2/imgcodecs.hpp"
#include "opencv2/imgproc.hpp"

namespace {

using namespace throng;
using namespace throng::gpu;

struct Variant {
    const char* name;
    DetectorId kind;
    int width, height;
    double factor;
    int min_size, max_size;
};

constexpr Variant kSettings[] = {
    {"alt2 1080p 1.25 50-200", DetectorId::haar, 1920, 1080, 1.25, 50, 200},
    {"lbp 1080p 1.25 50-200", DetectorId::lbp, 1920, 1080, 1.25, 50, 200},
    {"alt2 1080p 1.1 24-", DetectorId::haar, 1920, 1080, 1.1, 24, 0},
    {"lbp 1080p 1.1 24-", DetectorId::lbp, 1920, 1080, 1.1, 24, 0},
    {"alt2 2160p 1.1 24-", DetectorId::haar, 3840, 2160, 1.1, 24, 0},
};

// Returns the photograph, scaled and cropped to the setting's size, with chroma; without a file, the crowd.
Frame image(const Variant& setting, const char* file) {
    if (file == nullptr) {
        CrowdOptions options;
        options.width = setting.width;
        options.height = setting.height;
        return Crowd(options).frame(0);
    }
    const cv::Mat image = cv::imread(file);
    if (image.empty()) throw Error(ErrorKind::input, "cannot read the image", file);
    const double scale =
        std::max(static_cast<double>(setting.width) / image.cols, static_cast<double>(setting.height) / image.rows);
    cv::Mat fitted;
    cv::resize(image, fitted, cv::Size(), scale, scale, cv::INTER_AREA);
    cv::resize(fitted, fitted, cv::Size(std::max(fitted.cols, setting.width), std::max(fitted.rows, setting.height)));
    const cv::Rect middle((fitted.cols - setting.width) / 2, (fitted.rows - setting.height) / 2, setting.width,
                          setting.height);
    cv::Mat yuv;
    cv::cvtColor(fitted(middle), yuv, cv::COLOR_BGR2YUV_I420);
    FramePool pool;
    WritableFrame frame = pool.take(PixelFormat::yuv420p, setting.width, setting.height);
    const std::uint8_t* from = yuv.data;
    for (int p = 0; p < 3; ++p) {
        for (int y = 0; y < frame.plane(p).height; ++y, from += frame.plane(p).width) {
            std::copy_n(from, frame.plane(p).width, frame.data(p) + y * frame.plane(p).pitch);
        }
    }
    return std::move(frame).finish();
}

std::string text(const std::vector<int>& values) {
    std::string out;
    for (const int v : values) out += (out.empty() ? "" : " ") + std::to_string(v);
    return out;
}

void stage_times(CascadeSteps& detector, const Frame& frame, StreamView stream) {
    EventRecorder recorder(stream);
    DetectionBuffer raw = make_device_buffer(1 << 18, {}, stream);
    RunTimes times;
    for (int i = 0; i < 60; ++i) {
        detector.enqueue(frame, raw, recorder);
        times.add(0, recorder.end_frame());
    }
    for (const auto& [name, ms] : times.stages) std::printf("    %-10s %8.4f ms\n", name.c_str(), ms.median());
}

void run(const Variant& setting, const char* file, const DeviceInfo& device, const Stream& stream) {
    DetectorParams params;
    params.kind = setting.kind;
    params.scale_factor = setting.factor;
    params.min_size = setting.min_size;
    params.max_size = setting.max_size;
    const CascadeModel model = read_cascade(find_model(params.model, params.kind));
    const Frame frame = device_frame(image(setting, file), stream.view());
    CascadeSteps detector(stream.view(), device, model, params);
    const auto line = [&](const std::string& name) {
        const CascadeTimes t = measure_cascade(detector, frame, stream.view(), 30);
        const Samples ms(t.ms);
        std::string queued;
        for (const std::int64_t n : t.queued) queued += " " + std::to_string(n);
        std::printf("  %-26s median %8.4f min %8.4f ms  raw %6u  windows %8lld  queued%s\n", name.c_str(), ms.median(),
                    ms.min(), t.detections, static_cast<long long>(t.windows), queued.c_str());
    };
    std::printf("%s, %s\n", setting.name, file == nullptr ? "crowd" : file);
    CascadeOptions direct;
    direct.graph = false;
    detector.set_options(direct);
    static_cast<void>(measure_cascade(detector, frame, stream.view(), 1));  // the queues grow to what this frame needs
    stage_times(detector, frame, stream.view());
    std::printf("  memory %.1f MB, of these queues %.1f MB\n", static_cast<double>(detector.plan()->memory()) / 1e6,
                static_cast<double>(detector.plan()->queue_memory()) / 1e6);
    for (const AblationStep& step : cascade_ablation(params)) {
        detector.configure(step.params);
        line(step.name);
    }
    const std::vector<std::vector<int>> sweeps = {{3},  {4},  {5},    {6},    {7},    {8},
                                                  {10}, {12}, {2, 5}, {4, 7}, {5, 8}, {6, 9}};
    for (const auto& list : sweeps) {
        CascadeOptions options;
        options.segment_count = 1;
        options.segments = list;
        detector.set_options(options);
        line("segments " + text(list));
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const DeviceInfo device = use_device(0);
        const Stream stream;
        std::printf("%s\n", device.name.c_str());
        for (const Variant& setting : kSettings) {
            for (int i = 1; i < std::max(argc, 2); ++i) run(setting, i < argc ? argv[i] : nullptr, device, stream);
        }
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
#else
int main() {
    std::puts("built without CUDA");
}
#endif
