// Hiding in device memory equals hiding in host memory, byte for byte.
#include "gpu/redact/redact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "tests/gpu/frame/device_memory.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr RedactStyle kStyles[] = {RedactStyle::blur, RedactStyle::mosaic, RedactStyle::solid};

enum class Layout { bgr, bgra, gray, nv12, yuv420p };
constexpr Layout kLayouts[] = {Layout::bgr, Layout::bgra, Layout::gray, Layout::nv12, Layout::yuv420p};

int pick(std::mt19937_64& random, int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
}

// Random bytes, also behind the end of each row. `on` puts an image over memory of the host or the device.
struct Noise {
    RedactImage shape;
    std::vector<Bytes> planes;

    Noise(Layout layout, int width, int height, std::mt19937_64& random) : shape{width, height, 1, {}} {
        const int chroma_width = (width + 1) / 2;
        const int chroma_height = (height + 1) / 2;
        shape.planes[0] = {nullptr, 0, width, height, 1, 1, 0};
        if (layout == Layout::bgr) shape.planes[0].step = shape.planes[0].channels = 3;
        if (layout == Layout::bgra) shape.planes[0] = {nullptr, 0, width, height, 4, 3, 0};
        if (layout == Layout::nv12) {
            shape.num_planes = 2;
            shape.planes[1] = {nullptr, 0, chroma_width, chroma_height, 2, 2, 1};
        }
        if (layout == Layout::yuv420p) {
            shape.num_planes = 3;
            shape.planes[1] = shape.planes[2] = {nullptr, 0, chroma_width, chroma_height, 1, 1, 1};
        }
        for (int p = 0; p < shape.num_planes; ++p) {
            RedactPlane& plane = shape.planes[p];
            plane.pitch = plane.width * plane.step + pick(random, 0, 9);
            Bytes& bytes = planes.emplace_back(static_cast<std::size_t>(plane.pitch * plane.height));
            const bool white = pick(random, 0, 3) == 0;  // the largest sums
            std::generate(bytes.begin(), bytes.end(),
                          [&] { return static_cast<std::uint8_t>(white ? 255 : random()); });
        }
    }

    template <typename Memory>
    [[nodiscard]] RedactImage on(std::vector<Memory>& memory) const {
        RedactImage image = shape;
        for (int p = 0; p < image.num_planes; ++p) image.planes[p].data = memory[static_cast<std::size_t>(p)].data();
        return image;
    }
};

RedactRegions random_regions(int width, int height, int count, std::mt19937_64& random) {
    RedactRegions regions;
    std::uniform_real_distribution<float> share(-0.2F, 1.2F);
    std::exponential_distribution<float> size(8.0F);
    for (int i = 0; i < count; ++i) {
        const float w = 0.5F + size(random) * static_cast<float>(width);
        const float h = 0.5F + size(random) * static_cast<float>(height);
        const float x = share(random) * static_cast<float>(width) - w / 2;
        const float y = share(random) * static_cast<float>(height) - h / 2;
        regions.boxes.push_back({x, y, w, h});
    }
    return regions;
}

class GpuRedact : public GpuTest {
protected:
    // Hides the same regions on the device and on the host, and compares all bytes.
    void compare(const Noise& noise, const RedactRegions& regions, const RedactOptions& options) {
        std::vector<Bytes> expected = noise.planes;
        redact(noise.on(expected), regions, options);
        std::vector<gpu::DeviceBuffer<std::uint8_t>> memory;
        for (const Bytes& bytes : noise.planes) memory.push_back(to_device(bytes));
        redaction->enqueue(noise.on(memory), regions, options);
        for (std::size_t p = 0; p < memory.size(); ++p) {
            const Bytes hidden = to_host(memory[p].data(), memory[p].size(), view());
            const auto at = std::mismatch(hidden.begin(), hidden.end(), expected[p].begin()).first - hidden.begin();
            ASSERT_EQ(hidden, expected[p]) << "plane " << p << ", first at byte " << at;
        }
    }

    void SetUp() override {
        GpuTest::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) redaction.emplace(view());
    }

    std::optional<gpu::DeviceRedaction> redaction;
};

TEST_F(GpuRedact, EqualsTheCpu) {
    std::mt19937_64 random(seed(17));
    for (std::size_t i = 0; i < case_count(300); ++i) {
        const Layout layout = kLayouts[i % std::size(kLayouts)];
        RedactOptions options;
        options.style = kStyles[i / std::size(kLayouts) % std::size(kStyles)];
        options.margin = static_cast<float>(pick(random, 0, 60)) / 100;
        const int width = pick(random, 1, i % 7 == 0 ? 9 : 700);
        const int height = pick(random, 1, i % 11 == 0 ? 9 : 500);
        const int boxes = i % 40 == 0 ? 700 : pick(random, 0, 80);
        SCOPED_TRACE(testing::Message() << "case " << i << ", layout " << static_cast<int>(layout) << ", "
                                        << name_of(kRedactStyleNames, options.style) << ", " << width << " x " << height
                                        << ", " << boxes << " boxes");
        compare(Noise(layout, width, height, random), random_regions(width, height, boxes, random), options);
        if (HasFatalFailure()) return;
    }
}

TEST_F(GpuRedact, HidesTheWholeFrameWhenNotJudged) {
    std::mt19937_64 random(seed(18));
    const RedactRegions unjudged[] = {
        {{}, true},
        {{{10, 10, 20, 20}}, true},
        {{{10, 10, 20, 20}, {std::numeric_limits<float>::quiet_NaN(), 0, 5, 5}}, false},
        {{{10, 10, 0, 20}}, false},
        {{{10, 10, std::numeric_limits<float>::infinity(), 20}}, false},
    };
    for (const Layout layout : kLayouts) {
        for (const RedactStyle style : kStyles) {
            for (const RedactRegions& regions : unjudged) {
                SCOPED_TRACE(testing::Message()
                             << "layout " << static_cast<int>(layout) << ", style " << static_cast<int>(style)
                             << ", box " << &regions - static_cast<const RedactRegions*>(unjudged));
                compare(Noise(layout, 643, 361, random), regions, {style});
                if (HasFatalFailure()) return;
            }
        }
    }
}

TEST_F(GpuRedact, RegionsBesideTheFrameChangeNothing) {
    std::mt19937_64 random(seed(19));
    compare(Noise(Layout::nv12, 320, 240, random), {{{-100, 20, 40, 40}, {330, 100, 20, 20}, {1e30F, 0, 9, 9}}, false},
            {});
    compare(Noise(Layout::nv12, 320, 240, random), {}, {});
}

// By another stream, which does not wait for it.
TEST_F(GpuRedact, TheRedactorReturnsOnceAllIsHidden) {
    std::mt19937_64 random(seed(21));
    const std::unique_ptr<DeviceRedactor> redactor = gpu::make_device_redactor(0);
    for (int i = 0; i < 5; ++i) {
        const Noise frame(Layout::nv12, 1920, 1080, random);
        const RedactRegions regions = random_regions(1920, 1080, 60, random);
        std::vector<Bytes> expected = frame.planes;
        redact(frame.on(expected), regions, {});
        std::vector<gpu::DeviceBuffer<std::uint8_t>> memory;
        for (const Bytes& bytes : frame.planes) memory.push_back(to_device(bytes));
        redactor->redact(frame.on(memory), regions, {});
        for (std::size_t p = 0; p < memory.size(); ++p) {
            ASSERT_EQ(to_host(memory[p].data(), memory[p].size(), view()), expected[p]) << "frame " << i;
        }
    }
}

// The buffers of the call before are still in use while the next frame is enqueued.
TEST_F(GpuRedact, FramesInARowDoNotDisturbEachOther) {
    std::mt19937_64 random(seed(20));
    std::vector<std::vector<Bytes>> expected;
    std::vector<std::vector<gpu::DeviceBuffer<std::uint8_t>>> memory;
    std::vector<Noise> frames;
    for (int i = 0; i < 12; ++i) frames.emplace_back(Layout::nv12, 640, 360, random);
    for (const Noise& frame : frames) {
        for (const Bytes& bytes : frame.planes) {
            if (&bytes == &frame.planes.front()) memory.emplace_back();
            memory.back().push_back(to_device(bytes));
        }
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const RedactRegions regions = random_regions(640, 360, pick(random, 1, 150), random);
        redaction->enqueue(frames[i].on(memory[i]), regions, {});
        redact(frames[i].on(expected.emplace_back(frames[i].planes)), regions, {});
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
        for (std::size_t p = 0; p < memory[i].size(); ++p) {
            ASSERT_EQ(to_host(memory[i][p].data(), memory[i][p].size(), view()), expected[i][p]) << "frame " << i;
        }
    }
}

}  // namespace
}  // namespace throng::test
