// Compares the kernels with plain loops: every map of the heads, in both precisions, fused and layer by layer.
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>

#include "core/algo/cnn_boxes.h"
#include "gpu/cnn/network_run.h"
#include "tests/gpu/frame/device_memory.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/network_reference.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

using namespace throng::gpu;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

// Returns the elements of a map of one image as 32-bit numbers.
class MapAccess {
public:
    MapAccess(Precision precision, StreamView stream) : precision_(precision), stream_(stream) {}

    void write(const Map& map, int image, const Tensor& tensor) const {
        std::vector<float> values(at(map.width) * at(map.height) * at(map.pitch));
        for (int c = 0; c < tensor.channels; ++c) {
            for (int y = 0; y < map.height; ++y) {
                for (int x = 0; x < map.width; ++x) values[index(map, c, x, y)] = tensor.at(c, x, y);
            }
        }
        if (precision_ == Precision::fp32) {
            copy(static_cast<float*>(map.data) + image * map.image, values.data(), values.size() * sizeof(float));
        } else {
            std::vector<__half> narrow(values.size());
            for (std::size_t i = 0; i < values.size(); ++i) narrow[i] = __float2half(values[i]);
            copy(static_cast<__half*>(map.data) + image * map.image, narrow.data(), narrow.size() * sizeof(__half));
        }
    }

    [[nodiscard]] Tensor read(const Map& map, int image, int channels) const {
        const std::size_t count = at(map.width * map.height - 1) * at(map.pitch) + at(map.channels);
        std::vector<float> values(count);
        if (precision_ == Precision::fp32) {
            values = to_host(static_cast<const float*>(map.data) + image * map.image, count, stream_);
        } else {
            const auto narrow = to_host(static_cast<const __half*>(map.data) + image * map.image, count, stream_);
            for (std::size_t i = 0; i < count; ++i) values[i] = __half2float(narrow[i]);
        }
        Tensor tensor(channels, map.width, map.height);
        for (int c = 0; c < channels; ++c) {
            for (int y = 0; y < map.height; ++y) {
                for (int x = 0; x < map.width; ++x) tensor.at(c, x, y) = values[index(map, c, x, y)];
            }
        }
        return tensor;
    }

private:
    static std::size_t index(const Map& map, int c, int x, int y) {
        return (at(y) * at(map.width) + at(x)) * at(map.pitch) + at(c);
    }
    void copy(void* to, const void* from, std::size_t bytes) const {
        check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "test");
        check_cuda(cudaStreamSynchronize(stream_), "test");
    }

    Precision precision_;
    StreamView stream_;
};

struct Case {
    const char* name;
    Network (*make)(std::uint64_t seed);
    int width, height, images;
    Precision precision;
    bool fused;
};

std::string case_name(const testing::TestParamInfo<Case>& info) {
    return std::string(info.param.name) + "_" + std::to_string(info.param.width) + "x" +
           std::to_string(info.param.height) + (info.param.precision == Precision::fp32 ? "_fp32" : "_fp16") +
           (info.param.fused ? "_fused" : "_plain");
}

class CnnNetwork : public GpuTest, public testing::WithParamInterface<Case> {};

TEST_P(CnnNetwork, MapsEqualPlainLoops) {
    if (IsSkipped()) return;
    const Case& param = GetParam();
    std::mt19937_64 random(seed(7));
    const Network network = param.make(random());
    const Steps steps = make_steps(network, param.precision, param.fused, device.shared_memory, view());
    const NetworkRun run(network, steps, param.precision, device, param.width, param.height, param.images, false,
                         view());
    const MapAccess access(param.precision, view());
    std::vector<std::vector<Tensor>> expected;
    for (int i = 0; i < param.images; ++i) {
        const Tensor input = random_input(param.width, param.height, random);
        access.write(run.input(), i, input);
        expected.push_back(evaluate(network, input));
    }
    run.enqueue_layers(param.images, view(), true);

    // The maps that are valid at the end: the heads' maps, or the input of the fused heads.
    std::vector<int> tensors;
    for (const Step& head : steps.heads) tensors.push_back(head.in);
    if (steps.heads.empty()) {
        for (const HeadLevel& level : network.head.levels) {
            for (const int map : {level.score, level.objectness, level.box, level.landmarks}) {
                if (map >= 0) tensors.push_back(map);
            }
        }
    }
    const double tolerance = param.precision == Precision::fp32 ? 1e-5 : 1e-2;
    for (int i = 0; i < param.images; ++i) {
        for (const int t : tensors) {
            const Tensor& want = expected[at(i)][at(t)];
            const Tensor got = access.read(run.map(t), i, want.channels);
            ASSERT_EQ(got.values.size(), want.values.size());
            double error = 0;
            double norm = 0;
            for (std::size_t v = 0; v < got.values.size(); ++v) {
                ASSERT_TRUE(std::isfinite(got.values[v])) << "tensor " << t << " value " << v;
                const double d = static_cast<double>(got.values[v]) - static_cast<double>(want.values[v]);
                error += d * d;
                norm += static_cast<double>(want.values[v]) * static_cast<double>(want.values[v]);
            }
            EXPECT_LE(std::sqrt(error), tolerance * std::sqrt(norm)) << "image " << i << " tensor " << t;
            EXPECT_GT(norm, 0.0);
        }
    }
}

TEST_P(CnnNetwork, BoxesEqualPlainLoops) {
    if (IsSkipped()) return;
    const Case& param = GetParam();
    if (param.precision == Precision::fp16)
        GTEST_SKIP() << "skipped: the boxes above a threshold depend on rounding in 16 bits";
    std::mt19937_64 random(seed(8));
    const Network network = param.make(random());
    const Steps steps = make_steps(network, param.precision, param.fused, device.shared_memory, view());
    const NetworkRun run(network, steps, param.precision, device, param.width, param.height, param.images, false,
                         view());
    const MapAccess access(param.precision, view());
    BoxSink sink;
    const float unlimited = std::numeric_limits<float>::max();
    InputPass pass;
    pass.placement = {3.0F, 5.0F, 1.5F, 2.0F};
    pass.core = {-unlimited, -unlimited, unlimited, unlimited};
    const DeviceBuffer<InputPass> d_passes = to_device(std::vector{pass});
    sink.d_passes = d_passes.data();
    const double threshold = network.head.family == HeadFamily::yolox ? 0.25 : 0.4;
    sink.threshold = static_cast<float>(threshold);
    sink.max_side = unlimited;
    std::vector<DetectionBuffer> buffers;
    std::vector<std::vector<Tensor>> expected;
    for (int i = 0; i < param.images; ++i) {
        const Tensor input = random_input(param.width, param.height, random);
        access.write(run.input(), i, input);
        expected.push_back(evaluate(network, input));
        buffers.push_back(make_device_buffer(1 << 16, {false, 0, true}, view()));
        sink.raw[i] = buffers.back().span();
    }
    run.enqueue_layers(param.images, view(), true);
    run.enqueue_boxes(sink, param.images, view(), true);

    for (int i = 0; i < param.images; ++i) {
        DetectionSet found = download(buffers[at(i)]);
        ASSERT_EQ(found.overflow(), 0U);
        std::size_t requested = 0;
        std::size_t matched = 0;
        for (const HeadLevel& level : network.head.levels) {
            const auto stride = static_cast<float>(level.stride);
            const Tensor& scores = expected[at(i)][at(level.score)];
            for (int y = 0; y < scores.height; ++y) {
                for (int x = 0; x < scores.width; ++x) {
                    for (int b = 0; b < level.boxes_per_cell(); ++b) {
                        const auto sigmoid = [](double v) { return 1.0 / (1.0 + std::exp(-v)); };
                        const auto value = [&](int map, int c) {
                            return static_cast<double>(expected[at(i)][at(map)].at(c, x, y));
                        };
                        const bool one_box = !has_priors(network.head.family);
                        double score = one_box ? sigmoid(value(level.score, 0)) * sigmoid(value(level.objectness, 0))
                                               : sigmoid(value(level.score, 2 * b + 1) - value(level.score, 2 * b));
                        if (network.head.family == HeadFamily::yunet) score = std::sqrt(score);
                        if (std::abs(score - threshold) < 1e-4) continue;  // either result is correct
                        if (score < threshold) continue;
                        ++requested;
                        const Prior prior = one_box ? Prior{stride, stride} : level.priors[at(b)];
                        const double prior_w = static_cast<double>(prior.width);
                        const double prior_h = static_cast<double>(prior.height);
                        const double center = one_box ? 1.0 : 0.1;
                        const double size = one_box ? 1.0 : 0.2;
                        const double shift = one_box ? 0.0 : 0.5;
                        const auto extent = [](double log) { return std::exp(std::clamp(log, -8.0, 8.0)); };
                        const double w = extent(size * value(level.box, 4 * b + 2)) * prior_w;
                        const double h = extent(size * value(level.box, 4 * b + 3)) * prior_h;
                        const double left =
                            (x + shift) * level.stride + center * value(level.box, 4 * b) * prior_w - w / 2;
                        const double top =
                            (y + shift) * level.stride + center * value(level.box, 4 * b + 1) * prior_h - h / 2;
                        for (std::size_t d = 0; d < found.detections.size(); ++d) {
                            const Detection& det = found.detections[d];
                            const double tolerance = 2e-3 * (1.0 + prior_w) + 1e-4 * (w + h);
                            if (std::abs(static_cast<double>(det.score) - score) > 1e-4 ||
                                std::abs(static_cast<double>(det.box.x) - (3.0 + left * 1.5)) > tolerance ||
                                std::abs(static_cast<double>(det.box.y) - (5.0 + top * 2.0)) > tolerance ||
                                std::abs(static_cast<double>(det.box.w) - w * 1.5) > tolerance ||
                                std::abs(static_cast<double>(det.box.h) - h * 2.0) > tolerance) {
                                continue;
                            }
                            if (network.head.has_landmarks) {
                                const auto point = [&](int cell, int v, double prior_side) {
                                    return (cell + shift) * level.stride +
                                           center * value(level.landmarks, 10 * b + v) * prior_side;
                                };
                                const double first = point(x, 0, prior_w) * 1.5 + 3.0;
                                const double tenth = point(y, 9, prior_h) * 2.0 + 5.0;
                                EXPECT_NEAR(static_cast<double>(found.landmarks[d].xy[0]), first, tolerance);
                                EXPECT_NEAR(static_cast<double>(found.landmarks[d].xy[9]), tenth, tolerance);
                            }
                            ++matched;
                            break;
                        }
                    }
                }
            }
        }
        EXPECT_EQ(matched, requested);
        EXPECT_NEAR(static_cast<double>(found.detections.size()), static_cast<double>(requested), 2.0);
        EXPECT_GT(requested, 0U);
    }
}

constexpr Precision k32 = Precision::fp32;
constexpr Precision k16 = Precision::fp16;
INSTANTIATE_TEST_SUITE_P(
    Networks, CnnNetwork,
    testing::Values(
        Case{"yunet", random_yunet, 96, 64, 1, k32, true}, Case{"yunet", random_yunet, 96, 64, 1, k32, false},
        Case{"yunet", random_yunet, 160, 224, 2, k32, true}, Case{"yunet", random_yunet, 160, 224, 2, k16, true},
        Case{"yunet", random_yunet, 96, 64, 1, k16, false}, Case{"yunet", random_yunet, 32, 32, 3, k16, true},
        Case{"retinaface", random_retinaface, 96, 64, 2, k32, true},
        Case{"retinaface", random_retinaface, 96, 64, 1, k32, false},
        Case{"retinaface", random_retinaface, 96, 64, 2, k16, true},
        Case{"ultraface", random_ultraface, 128, 96, 2, k32, true},
        Case{"ultraface", random_ultraface, 128, 96, 1, k32, false},
        Case{"ultraface", random_ultraface, 128, 96, 2, k16, true}, Case{"yolox", random_yolox, 128, 96, 2, k32, true},
        Case{"yolox", random_yolox, 128, 96, 1, k32, false}, Case{"yolox", random_yolox, 128, 96, 2, k16, true},
        Case{"odd", odd_network, 64, 96, 2, k32, true}, Case{"odd", odd_network, 64, 96, 1, k32, false},
        Case{"odd", odd_network, 64, 96, 2, k16, true}),
    case_name);

}  // namespace
}  // namespace throng::test
