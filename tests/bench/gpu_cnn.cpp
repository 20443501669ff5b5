// Measures the CUDA detector for face networks in its target settings, in both precisions: switch by switch, its stages
// and its kernels. Usage: bench_gpu_cnn [MODEL...]   names or files; default: YuNet-n and UltraFace RFB-640.
#include <cstdio>

#ifdef TH_WITH_CUDA
#include <map>
#include <string>
#include <vector>

#include "app/lab/measure/samples.h"
#include "core/base/error.h"
#include "core/detect/null_recorder.h"
#include "core/model/model_finder.h"
#include "core/model/onnx_reader.h"
#include "core/synth/crowd.h"
#include "gpu/cnn/cnn_detector.h"
#include "gpu/lab/ablation.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/event_recorder.h"
#include "gpu/runtime/replay.h"

namespace {

using namespace throng;
using namespace throng::gpu;

struct Variant {
    const char* name;
    int width, height, frames;
    const char* input;
    int max_size;
};

// One pass of the network each, except "all scales": native resolution is one scale for faces up to 192 pixels.
constexpr Variant kSettings[] = {
    {"640x640", 640, 640, 1, "native", 192},
    {"4 x 640x640", 640, 640, 4, "native", 192},
    {"16 x 640x640", 640, 640, 16, "native", 192},
    {"1920x1080 native", 1920, 1080, 1, "native", 192},
    {"1920x1080 all scales", 1920, 1080, 1, "native", 0},
    {"3840x2160 native", 3840, 2160, 1, "native", 192},
};

Frame crowd_frame(int width, int height, StreamView stream) {
    CrowdOptions options;
    options.width = width;
    options.height = height;
    return device_frame(Crowd(options).frame(0), stream);
}

struct Choice {
    const char* name;
    bool half;
    std::map<std::string, std::string> switches;
};

const Choice kChoices[] = {
    {"fp32, layer by layer", false, {{"fusion", "off"}, {"graph", "off"}, {"overlap", "off"}}},
    {"fp32, fused", false, {{"graph", "off"}, {"overlap", "off"}}},
    {"fp32, fused, overlap", false, {{"graph", "off"}}},
    {"fp32, fused, graph", false, {{"overlap", "off"}}},
    {"fp32, fused, graph, overlap", false, {}},
    {"fp16, layer by layer", true, {{"fusion", "off"}, {"graph", "off"}, {"overlap", "off"}}},
    {"fp16, fused", true, {{"graph", "off"}, {"overlap", "off"}}},
    {"fp16, fused, overlap", true, {{"graph", "off"}}},
    {"fp16, fused, graph", true, {{"overlap", "off"}}},
    {"fp16, fused, graph, overlap", true, {}},
};

// Describes a launch: "unit 64 -> 64, 160x160".
std::string name_of(const NetworkRun& run, const StepGroup& steps) {
    const Step& step = steps.front();
    const auto name_of_kind = [&] {
        switch (step.kind) {
            case StepKind::stem: return step.point.weights != nullptr ? "stem and unit" : "stem";
            case StepKind::point_depth: return step.up >= 0 ? "sum and unit" : "unit";
            case StepKind::tile_convolution:
                return step.depth.weights != nullptr ? "unit, depthwise first" : "convolution";
            case StepKind::convolution: return step.depthwise ? "plain depthwise" : "plain convolution";
            case StepKind::pool: return "pool";
            case StepKind::sum: return "sum";
        }
        return "";
    };
    std::string name = name_of_kind();
    if (steps.size() > 1) name = std::to_string(steps.size()) + " x " + name;
    if (step.kernel > 1) name += " " + std::to_string(step.kernel) + "x" + std::to_string(step.kernel);
    const Map& in = run.map(step.in);
    name += ", " + std::to_string(in.channels) + " -> " +
            std::to_string(run.map(step.out >= 0 ? step.out : step.pooled).channels) + ", " + std::to_string(in.width) +
            "x" + std::to_string(in.height);
    return step.pooled >= 0 ? name + ", pool" : name;
}

class Bench {
public:
    Bench(const Network& network, const Variant& setting, const DeviceInfo& device, StreamView stream)
        : network_(network), setting_(setting), device_(device), stream_(stream) {
        const Frame frame = crowd_frame(setting.width, setting.height, stream);
        for (int i = 0; i < setting.frames; ++i) {
            frames_.push_back(frame);
            buffers_.push_back(make_device_buffer(1 << 14, {false, 0, true}, stream));
        }
        for (DetectionBuffer& buffer : buffers_) raw_.push_back(&buffer);
    }

    void run() {
        std::printf("%s\n", setting_.name);
        for (const Choice& choice : kChoices) line(choice);
        for (const bool half : {false, true}) details(half);
    }

private:
    [[nodiscard]] CnnDetector make(const Choice& choice) const {
        DetectorParams params;
        params.kind = DetectorId::cnn;
        params.min_size = 10;
        params.max_size = setting_.max_size;
        params.scale_factor = 4;
        params.half = choice.half;
        params.switches = choice.switches;
        params.switches["input"] = setting_.input;
        return CnnDetector(stream_, device_, network_, params);
    }

    // As the program does: one frame is a graph of its own.
    void enqueue(CnnDetector& detector, StageRecorder& recorder) {
        if (setting_.frames == 1) return detector.enqueue(frames_.front(), buffers_.front(), recorder);
        detector.enqueue_batch(frames_.data(), raw_.data(), setting_.frames, recorder);
    }

    void line(const Choice& choice) {
        CnnDetector detector = make(choice);
        NullRecorder none;
        const Samples times(time_calls(stream_, 30, [&] { enqueue(detector, none); }));
        DetectionSet found;
        transfer_.download(buffers_.front(), found, stream_);
        int launches = 0;
        double memory = 0;
        for (const FrameRuns::Run& run : detector.runs()->runs()) {
            launches += run.network.launches() + 2;  // and the input, and the boxes
            memory += static_cast<double>(run.network.memory());
        }
        std::printf("  %-28s median %8.4f min %8.4f ms  launches %3d  memory %7.1f MB  raw %u\n", choice.name,
                    times.median(), times.min(), launches, memory / 1e6, found.total);
    }

    void details(bool half) {
        CnnDetector detector = make({"", half, {}});
        EventRecorder recorder(stream_);
        RunTimes times;
        for (int i = 0; i < 40; ++i) {
            enqueue(detector, recorder);
            times.add(0, recorder.end_frame());
        }
        std::printf("  stages, %s:", half ? "fp16" : "fp32");
        for (const auto& [name, ms] : times.stages) std::printf("  %s %.4f", name.c_str(), ms.median());
        std::printf(" ms\n");
        const NetworkRun& run = detector.runs()->runs().front().network;
        for (int l = 0; l < run.launches(); ++l) {
            StepGroup steps;
            const Samples ms(time_replays(stream_, 5, [&] { steps = run.enqueue_launch(l, stream_); }));
            std::printf("    %8.2f us  %s\n", 1e3 * ms.median(), name_of(run, steps).c_str());
        }
    }

    const Network& network_;
    const Variant& setting_;
    const DeviceInfo& device_;
    StreamView stream_;
    std::vector<Frame> frames_;
    std::vector<DetectionBuffer> buffers_;
    std::vector<DetectionBuffer*> raw_;
    DetectionTransfer transfer_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        const DeviceInfo device = use_device(0);
        const Stream stream;
        std::vector<std::string> models(argv + 1, argv + argc);
        if (models.empty()) models = {"yunet_n_dynamic", "version-RFB-640"};
        std::printf("%s\n", device.name.c_str());
        for (const std::string& model : models) {
            const Network network = read_onnx(find_model(model, DetectorId::cnn));
            std::printf("%s: %.1f million multiply-adds at 640x640\n", model.c_str(),
                        static_cast<double>(multiply_adds(network, 640, 640)) / 1e6);
            for (const Variant& setting : kSettings) Bench(network, setting, device, stream.view()).run();
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
