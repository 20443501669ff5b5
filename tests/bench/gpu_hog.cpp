// Measures the CUDA people detector: an ablation of the switches and each kernel alone, in the talk's setting (640x480,
// one scale), on the whole pyramid, and on larger frames. Usage: bench_gpu_hog [REPEATS [SETTING, from 0]]
#include <cstdio>

#ifdef TH_WITH_CUDA
#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "core/base/error.h"
#include "core/frame/frame_pool.h"
#include "core/model/hog_model.h"
#include "core/synth/crowd.h"
#include "gpu/cascade/ablation.h"
#include "gpu/hog/hog_profiling.h"

namespace {

using namespace throng;
using namespace throng::gpu;

struct Setting {
    const char* name;
    int width, height;
    double factor;
    int min_size, max_size;
};

constexpr Setting kSettings[] = {
    {"640x480, one scale", 640, 480, 1.05, 128, 128},
    {"640x480, factor 1.05", 640, 480, 1.05, 128, 0},
    {"1920x1080, factor 1.05", 1920, 1080, 1.05, 128, 0},
    {"3840x2160, factor 1.05", 3840, 2160, 1.05, 128, 0},
};

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

void run(const Setting& setting, int repeats, const DeviceInfo& device, const Stream& stream, const HogModel& model) {
    CrowdOptions options;
    options.width = setting.width;
    options.height = setting.height;
    const Frame frame = device_frame(Crowd(options).frame(0), stream.view());
    DetectorParams params;
    params.kind = "hog";
    params.scale_factor = setting.factor;
    params.min_size = setting.min_size;
    params.max_size = setting.max_size;
    HogDetector detector(stream.view(), device, model, params);
    std::printf("%s\n", setting.name);
    for (const HogStep& step : hog_ablation(params)) {
        detector.configure(step.params);
        const HogTimes t = measure_hog(detector, frame, stream.view(), repeats, setting.width > 1000 ? 3 : 20);
        std::printf(
            "  %-26s median %8.4f min %8.4f ms  gradient %.4f histogram %.4f normalize %.4f svm %.4f  "
            "windows %lld raw %u  %.1f MB\n",
            step.name.c_str(), median(t.ms), *std::min_element(t.ms.begin(), t.ms.end()), median(t.kernels[0]),
            median(t.kernels[1]), median(t.kernels[2]), median(t.kernels[3]), static_cast<long long>(t.windows),
            t.detections, static_cast<double>(t.memory) / 1e6);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const DeviceInfo device = use_device(0);
        const Stream stream;
        const HogModel model = read_hog_model("");
        std::printf("%s\n", device.name.c_str());
        const int repeats = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 20;
        const int only = argc > 2 ? std::atoi(argv[2]) : -1;
        for (int i = 0; i < static_cast<int>(std::size(kSettings)); ++i) {
            if (only < 0 || only == i) run(kSettings[i], repeats, device, stream, model);
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
