// Measures how long hiding faces takes: a frame of 1920x1080 with 60 faces of 24 to 96 pixels, and a frame hidden
// whole. CPU: one thread. GPU, where there is one: frames in a row on one stream. Usage: bench_gpu_redact [REPEATS]
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "app/lab/measure/samples.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/redact/redact.h"
#ifdef TH_WITH_CUDA
#include "gpu/redact/redact.h"
#include "gpu/runtime/probe.h"
#endif

namespace {

using namespace throng;

constexpr int kWidth = 1920;
constexpr int kHeight = 1080;

RedactRegions crowd() {
    std::mt19937 random(60);
    std::uniform_real_distribution<float> size(24, 96);
    std::uniform_real_distribution<float> share(0, 1);
    RedactRegions regions;
    for (int i = 0; i < 60; ++i) {
        const float side = size(random);
        regions.boxes.push_back({share(random) * (kWidth - side), share(random) * (kHeight - side), side, side});
    }
    return regions;
}

// Two frame formats over the same memory.
RedactImage nv12(std::uint8_t* data) {
    return {kWidth,
            kHeight,
            2,
            {{data, kWidth, kWidth, kHeight, 1, 1, 0},
             {data + kWidth * kHeight, kWidth, kWidth / 2, kHeight / 2, 2, 2, 1},
             {}}};
}
RedactImage rgba(std::uint8_t* data) {
    return bgra_image(data, 4 * kWidth, kWidth, kHeight);
}

double cpu_ms(const RedactImage& image, const RedactRegions& regions, const RedactOptions& options, int repeats) {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        redact(image, regions, options);
        times.push_back(milliseconds_since(start));
    }
    return Samples(std::move(times)).median();
}

#ifdef TH_WITH_CUDA
// Returns the mean time per frame, from the first call to the last kernel.
double gpu_ms(gpu::DeviceRedaction& redaction, gpu::StreamView stream, const RedactImage& image,
              const RedactRegions& regions, const RedactOptions& options, int repeats) {
    const gpu::Event begin;
    const gpu::Event end;
    for (int i = -3; i < repeats; ++i) {  // the first ones allocate
        if (i == 0) begin.record(stream);
        redaction.enqueue(image, regions, options);
    }
    end.record(stream);
    end.synchronize();
    return gpu::Event::elapsed_ms(begin, end) / repeats;
}
#endif

void run(int repeats) {
    std::vector<std::uint8_t> host(std::size_t{4} * kWidth * kHeight, 100);
#ifdef TH_WITH_CUDA
    const gpu::CudaProbe probe = gpu::probe_cuda();
    if (probe.usable) std::printf("%s\n", gpu::use_device(0).name.c_str());
    if (!probe.usable) std::printf("no GPU: %s\n", probe.reason.c_str());
#endif
    std::printf("%-8s %-6s %-10s %10s %10s\n", "frame", "style", "hidden", "CPU, ms", "GPU, ms");
    for (const auto& [layout, image_of] : {std::pair("nv12", &nv12), std::pair("rgba", &rgba)}) {
        for (const RedactStyle style : {RedactStyle::blur, RedactStyle::mosaic, RedactStyle::solid}) {
            for (const bool whole : {false, true}) {
                RedactRegions regions = crowd();
                regions.whole = whole;
                const RedactOptions options{style};
                std::printf("%-8s %-6s %-10s %10.3f", layout, name_of(kRedactStyleNames, style).data(),
                            whole ? "whole" : "60 faces", cpu_ms(image_of(host.data()), regions, options, repeats));
#ifdef TH_WITH_CUDA
                if (probe.usable) {
                    const gpu::Stream stream;
                    const gpu::DeviceBuffer<std::uint8_t> frame(host.size());
                    gpu::fill_bytes(frame, 100, stream.view());
                    gpu::DeviceRedaction redaction(stream.view());
                    std::printf(" %10.4f", gpu_ms(redaction, stream.view(), image_of(frame.data()), regions, options,
                                                  10 * repeats));
                }
#endif
                std::printf("\n");
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 50);
        return 0;
    } catch (const throng::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
