// Compares the integral images of the pyramid with their definition, entry by entry.
#include "gpu/frame/pyramid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/algo/resize_linear.h"
#include "gpu/frame/atlas.h"
#include "tests/gpu/frame/device_memory.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/support/random.h"

namespace throng::test {
namespace {

using gpu::ImageSize;

struct Image {
    int width, height;
    std::vector<std::uint8_t> pixels;
    [[nodiscard]] std::uint8_t at(int x, int y) const {
        return pixels[static_cast<std::size_t>(std::min(y, height - 1) * width + std::min(x, width - 1))];
    }
};

Image resized(const Image& image, ImageSize size) {
    Image result{size.width, size.height, {}};
    for (int y = 0; y < size.height; ++y) {
        const ResizeTap v = resize_tap(y, image.height, size.height);
        for (int x = 0; x < size.width; ++x) {
            const ResizeTap u = resize_tap(x, image.width, size.width);
            result.pixels.push_back(resize_pixel(image.at(u.offset, v.offset), image.at(u.offset + 1, v.offset),
                                                 image.at(u.offset, v.offset + 1), image.at(u.offset + 1, v.offset + 1),
                                                 u, v));
        }
    }
    return result;
}

// Returns the sum of value(pixel) left of x and above y, for all entries, row by row.
template <typename Value>
std::vector<std::uint32_t> integral(const Image& image, const Value& value) {
    const std::size_t pitch = static_cast<std::size_t>(image.width) + 1;
    std::vector<std::uint32_t> sums(pitch * (static_cast<std::size_t>(image.height) + 1), 0);
    for (int y = 1; y <= image.height; ++y) {
        std::uint32_t row = 0;
        for (int x = 1; x <= image.width; ++x) {
            row += value(static_cast<std::uint32_t>(image.at(x - 1, y - 1)));
            const std::size_t at = static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x);
            sums[at] = sums[at - pitch] + row;
        }
    }
    return sums;
}

// Returns the cone above (x, y): rows r < y, columns x - (y - r) to x + (y - r) - 2.
std::uint32_t cone(const Image& image, int x, int y) {
    std::uint32_t sum = 0;
    for (int r = 0; r < y; ++r) {
        const int last = std::min(x + (y - r) - 2, image.width - 1);
        for (int c = std::max(x - (y - r), 0); c <= last; ++c) sum += image.at(c, r);
    }
    return sum;
}

class PyramidTest : public GpuTest {};

TEST_F(PyramidTest, EntriesMatchTheDefinition) {
    if (IsSkipped() || HasFatalFailure()) return;
    std::mt19937_64 random(seed(61));
    const ImageSize frames[] = {{1, 1}, {2, 3}, {640, 1}, {1, 700}, {517, 259}, {1030, 300}, {77, 600}};
    for (const ImageSize frame : frames) {
        Image image{frame.width, frame.height, {}};
        for (int i = 0; i < frame.width * frame.height; ++i)
            image.pixels.push_back(static_cast<std::uint8_t>(random()));
        std::vector<ImageSize> levels;
        for (const double scale : {1.0, 1.1, 1.7, 2.0, 3.05, 9.3}) {
            levels.push_back({std::max(1, static_cast<int>(frame.width / scale)),
                              std::max(1, static_cast<int>(frame.height / scale))});
        }
        const bool tilted = frame.width * frame.height < 50000;
        const gpu::Pyramid pyramid(frame, levels, {true, tilted}, view());
        const auto luma = to_device(image.pixels);
        gpu::DeviceImage d_image;
        d_image.width = frame.width;
        d_image.height = frame.height;
        d_image.luma = luma.data();
        d_image.luma_pitch = frame.width;
        for (int turn = 0; turn < 2; ++turn) {  // the second frame must not depend on the first
            pyramid.enqueue_rows(d_image, pyramid.all(), {}, view());
            pyramid.enqueue_columns(pyramid.all(), view());
        }
        const gpu::PyramidView v = pyramid.view();
        const std::size_t planes = tilted ? 3 : 2;
        const auto entries = to_host(v.sums, static_cast<std::size_t>(pyramid.atlas().entries()) * planes, view());
        const auto entry = [&](const gpu::AtlasRegion& region, int x, int y, std::int64_t plane) {
            return entries[static_cast<std::size_t>(plane + std::int64_t{region.y + y} * v.pitch + region.x + x)];
        };
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const Image level = resized(image, levels[i]);
            const auto sums = integral(level, [](std::uint32_t p) { return p; });
            const auto squares = integral(level, [](std::uint32_t p) { return p * p; });
            int wrong = 0;
            for (int y = 0; y <= level.height; ++y) {
                for (int x = 0; x <= level.width; ++x) {
                    const auto at = static_cast<std::size_t>(y * (level.width + 1) + x);
                    const gpu::AtlasRegion& region = pyramid.atlas().regions[i];
                    wrong += entry(region, x, y, 0) != sums[at] ? 1 : 0;
                    wrong += entry(region, x, y, v.squares) != squares[at] ? 1 : 0;
                    const bool look = tilted && (random() % 16 == 0 || x == level.width || y == level.height);
                    if (look) wrong += entry(region, x, y, v.tilted) != cone(level, x, y) ? 1 : 0;
                }
            }
            EXPECT_EQ(wrong, 0) << frame.width << "x" << frame.height << " level " << i;
        }
    }
}

TEST(Atlas, LevelsAreDisjointAndAligned) {
    std::mt19937_64 random(seed(62));
    for (int turn = 0; turn < 50; ++turn) {
        std::vector<ImageSize> sizes;
        double width = 20.0 + static_cast<double>(random() % 3000);
        double height = 20.0 + static_cast<double>(random() % 2000);
        for (; width >= 1 && height >= 1; width /= 1.13, height /= 1.13) {
            sizes.push_back({static_cast<int>(width), static_cast<int>(height)});
        }
        const gpu::Atlas atlas = gpu::pack_atlas(sizes);
        ASSERT_EQ(atlas.regions.size(), sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const gpu::AtlasRegion& a = atlas.regions[i];
            EXPECT_EQ(a.x % 4, 3);
            EXPECT_LE(a.x + a.width + 1, atlas.pitch);
            EXPECT_LE(a.y + a.height + 1, a.shelf_end);
            EXPECT_LE(a.shelf_end, atlas.rows);
            for (std::size_t j = 0; j < i; ++j) {
                const gpu::AtlasRegion& b = atlas.regions[j];
                EXPECT_TRUE(b.x + b.width + 1 <= a.x || b.shelf_end <= a.y) << i << " over " << j;
            }
        }
    }
}

}  // namespace
}  // namespace throng::test
