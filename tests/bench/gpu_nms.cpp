// Measures the CUDA NMS engines in graph replays. Usage: bench_gpu_nms [FOLDER [REPEATS [INPUT [RULE]]]]
// FOLDER contains crowd-200.csv, -1027, -2895, dense-4096, crowd-16384 and optionally crowd-65536 and wide-1000000,
// which are generated otherwise. Prints the median of the replays in microseconds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#ifdef TH_WITH_CUDA

#include "app/lab/measure/samples.h"
#include "core/base/error.h"
#include "gpu/nms/cuda_nms.h"
#include "gpu/runtime/detection_memory.h"
#include "gpu/runtime/probe_kernel.h"
#include "gpu/runtime/replay.h"

namespace {

using namespace throng;

struct Input {
    std::string name;
    DetectionSet set;
};

Input read_csv(const std::string& folder, const std::string& name) {
    std::ifstream file(folder + "/" + name + ".csv");
    if (!file) throw Error(ErrorKind::input, "cannot be opened", folder + "/" + name + ".csv");
    Input input{name, {}};
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        float v[5];
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream words(line);
        for (float& value : v) words >> value;
        input.set.detections.push_back({Box{v[0], v[1], v[2] - v[0], v[3] - v[1]}, v[4]});
    }
    return input;
}

// Returns clusters of 20 boxes of 18 to 130 pixels, on a plane of the given size; in random order unless by_cluster.
Input clusters(const std::string& name, std::size_t n, float width, float height, bool by_cluster = false) {
    std::mt19937 random(n);
    const auto uniform = [&](float low, float high) {
        return std::uniform_real_distribution<float>(low, high)(random);
    };
    Input input{name, {}};
    Box face{};
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 20 == 0) {
            const float side = uniform(24.0F, 96.0F);
            face = {uniform(0, width), uniform(0, height), side, side};
        }
        const float side = face.w * uniform(0.8F, 1.25F);
        const float x = face.x + face.w * uniform(-0.15F, 0.15F);
        const float y = face.y + face.h * uniform(-0.15F, 0.15F);
        input.set.detections.push_back({Box{x, y, side, side}, uniform(0.0F, 1.0F)});
    }
    if (!by_cluster) std::shuffle(input.set.detections.begin(), input.set.detections.end(), random);
    return input;
}

double median_us(std::vector<double> ms) {
    return Samples(std::move(ms)).median() * 1e3;
}

struct Bench {
    gpu::DeviceInfo device = gpu::use_device(0);
    gpu::Stream stream;
    gpu::DetectionTransfer transfer;
    int repeats = 30;

    // capacity 0: the number of detections. The engine expects that number, as in the program.
    double time(const Input& input, const NmsParams& params, gpu::FastEngine engine, std::uint32_t* expected = nullptr,
                std::int32_t capacity = 0) {
        const auto n = static_cast<std::int32_t>(input.set.detections.size());
        DetectionBuffer raw = gpu::make_device_buffer(capacity > 0 ? capacity : n, {}, stream.view());
        DetectionBuffer kept = gpu::make_device_buffer(capacity > 0 ? capacity : n, {}, stream.view());
        transfer.upload(input.set, raw, stream.view());
        const auto count = std::make_shared<gpu::ExpectedCount>();
        count->set(static_cast<std::uint32_t>(n));
        gpu::CudaNms nms(device, stream.view(), engine, count);
        const double us = median_us(nms.replay(raw, kept, params, repeats));
        DetectionSet out;
        transfer.download(kept, out, stream.view());
        if (expected != nullptr) *expected = out.total;
        return us;
    }

    struct None final : StageRecorder {
        void begin(std::string_view) override {}
        void end(std::string_view) override {}
        void add(std::string_view, double) override {}
        const StageTimes& end_frame() override { return times; }
        StageTimes times;
    } none;
};

NmsParams plain(NmsRule rule, float theta = 0.5F) {
    NmsParams params;
    params.rule = rule;
    params.theta = theta;
    return params;
}

void print_row(Bench& bench, const Input& input) {
    const NmsParams one_pass = plain(NmsRule::one_pass);
    const NmsParams greedy = plain(NmsRule::greedy);
    const auto n = static_cast<std::int32_t>(input.set.detections.size());
    const auto column = [](double us) { us > 0 ? std::printf(" %9.2f", us) : std::printf(" %9s", "-"); };
    std::printf("%-12s", input.name.c_str());
    if (n <= 32768) {
        NmsParams paper = one_pass;
        paper.kernels = NmsKernels::paper;
        column(bench.time(input, paper, gpu::FastEngine::choose));
    } else {
        column(0);
    }
    std::uint32_t kept = 0;
    column(bench.time(input, one_pass, gpu::FastEngine::choose));
    column(bench.time(input, greedy, gpu::FastEngine::choose, &kept));
    const bool small = n <= gpu::kMatrixLimit;
    column(small ? bench.time(input, one_pass, gpu::FastEngine::matrix) : 0);
    column(small ? bench.time(input, greedy, gpu::FastEngine::matrix) : 0);
    column(bench.time(input, one_pass, gpu::FastEngine::grid));
    column(bench.time(input, greedy, gpu::FastEngine::grid));
    NmsParams soft;
    soft.rule = NmsRule::soft_linear;
    column(bench.time(input, soft, gpu::FastEngine::choose));
    soft.rule = NmsRule::soft_gaussian;
    column(n <= 65536 ? bench.time(input, soft, gpu::FastEngine::choose) : 0);
    std::printf("  kept %u\n", kept);
    std::fflush(stdout);
}

// As the program runs cascades: greedy, overlap min, threshold 0.5, buffers for 16384.
void print_default_path(Bench& bench, const std::string& folder) {
    constexpr std::int32_t kCapacity = 16384;
    NmsParams params = plain(NmsRule::greedy, 0.5F);
    params.overlap = Overlap::min;
    std::vector<Input> inputs;
    for (const std::size_t n : {0, 200, 1027, 2572, 4096, 8192}) {
        const std::string name = std::to_string(n);
        inputs.push_back(clusters(name + " shuffled", n, 1920, 1080));
        inputs.push_back(clusters(name + " by cluster", n, 1920, 1080, true));
    }
    if (!folder.empty()) {
        for (const char* name :
             {"crowd-200", "crowd-1027", "crowd-2895", "dense-4096", "crowd-16384", "authors-2997"}) {
            if (std::ifstream(folder + "/" + name + ".csv").good()) inputs.push_back(read_csv(folder, name));
        }
    }
    std::printf("capacity %d; greedy, min; min-hits 3; one-pass, suppressor, inclusive, strict\n", kCapacity);
    for (const Input& input : inputs) {
        NmsParams hits = params;
        hits.min_hits = 3;
        NmsParams paper = plain(NmsRule::one_pass, 0.3F);
        paper.overlap = Overlap::suppressor;
        paper.pixels = PixelConvention::inclusive;
        paper.ties = Ties::strict;
        std::uint32_t kept = 0;
        const double us = bench.time(input, params, gpu::FastEngine::choose, &kept, kCapacity);
        std::printf("%-16s %8.2f %8.2f %8.2f  kept %u\n", input.name.c_str(), us,
                    bench.time(input, hits, gpu::FastEngine::choose, nullptr, kCapacity),
                    bench.time(input, paper, gpu::FastEngine::choose, nullptr, kCapacity), kept);
        if (input.set.detections.size() > 4096) continue;
        std::printf("%-16s %8.2f  in buffers that have grown to 40000\n", "",
                    bench.time(input, params, gpu::FastEngine::choose, nullptr, 40000));
    }
}

// Measures inputs with many equal scores, where the order of boxes breaks the ties.
void print_equal_scores(Bench& bench, Input input) {
    if (input.set.detections.size() > static_cast<std::size_t>(gpu::kMatrixLimit)) return;
    const NmsParams one_pass = plain(NmsRule::one_pass);
    const NmsParams greedy = plain(NmsRule::greedy);
    for (const float steps : {1024.0F, 64.0F}) {
        for (auto& detection : input.set.detections) detection.score = std::floor(detection.score * steps) / steps;
        std::printf("%s, scores truncated to multiples of 1/%.0f: one-pass %.2f greedy %.2f\n", input.name.c_str(),
                    static_cast<double>(steps), bench.time(input, one_pass, gpu::FastEngine::choose),
                    bench.time(input, greedy, gpu::FastEngine::choose));
    }
}

int run(int argc, char** argv) {
    Bench bench;
    if (argc > 2) bench.repeats = std::atoi(argv[2]);
    std::printf("%s; microseconds, median of %d graph replays\n", bench.device.name.c_str(), bench.repeats);
    std::printf("an empty kernel: %.2f\n", median_us(gpu::time_replays(bench.stream.view(), bench.repeats, [&] {
                    gpu::launch_empty(bench.stream.view());
                })));
    std::printf("%-12s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "input", "paper", "one-pass", "greedy", "matrix 1p",
                "matrix gr", "grid 1p", "grid gr", "soft lin", "soft gau");
    std::vector<Input> inputs;
    if (argc > 1) {
        for (const char* name : {"crowd-200", "crowd-1027", "crowd-2895", "dense-4096", "crowd-16384"})
            inputs.push_back(read_csv(argv[1], name));
    } else {
        for (const std::size_t n : {200, 1027, 2895, 4096, 16384})
            inputs.push_back(clusters("n " + std::to_string(n), n, 3840, 2160));
    }
    const bool alone = argc > 3;
    const auto add_large = [&](const char* name, const char* file, std::size_t n, float width, float height) {
        if (alone && name != std::string(argv[3])) return;
        const bool given = argc > 1 && std::ifstream(std::string(argv[1]) + "/" + file + ".csv").good();
        inputs.push_back(given ? read_csv(argv[1], file) : clusters(name, n, width, height));
        inputs.back().name = name;
    };
    add_large("65536", "crowd-65536", 65536, 7680, 4320);
    add_large("1000000", "wide-1000000", 1000000, 60000, 40000);
    for (const Input& input : inputs) {
        if (argc > 4 && input.name == argv[3]) {  // one rule only, for a profiler
            const NmsRule rule = std::string(argv[4]) == "one-pass" ? NmsRule::one_pass : NmsRule::greedy;
            std::printf("%.2f\n", bench.time(input, plain(rule), gpu::FastEngine::choose));
        } else if (argc <= 3 || input.name == argv[3]) {
            print_row(bench, input);
        }
    }
    if (argc > 3) return 0;
    print_default_path(bench, argc > 1 ? argv[1] : "");
    Input chain{"chain-1000", {}};
    for (int i = 0; i < 1000; ++i)
        chain.set.detections.push_back(
            {Box{4.0F * static_cast<float>(i), 0, 10, 10}, 1.0F - 0.001F * static_cast<float>(i)});
    const NmsParams chained = plain(NmsRule::greedy, 0.4F);
    std::printf("greedy chain of 1000: matrix %.2f grid %.2f\n", bench.time(chain, chained, gpu::FastEngine::matrix),
                bench.time(chain, chained, gpu::FastEngine::grid));
    for (const Input& input : inputs) print_equal_scores(bench, input);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const throng::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return throng::exit_status(error.kind());
    }
}

#else
int main() {
    std::fprintf(stderr, "built without CUDA\n");
    return 4;
}
#endif
