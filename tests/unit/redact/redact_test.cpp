#include "core/redact/redact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "core/base/error.h"
#include "tests/support/random.h"

namespace throng {
namespace {

constexpr RedactStyle kStyles[] = {RedactStyle::blur, RedactStyle::mosaic, RedactStyle::solid};
constexpr PixelFormat kFormats[] = {PixelFormat::bgr24, PixelFormat::gray8, PixelFormat::nv12, PixelFormat::yuv420p};

using Bytes = std::vector<std::uint8_t>;

WritableFrame noise_frame(PixelFormat format, int width, int height, std::mt19937_64& random) {
    FramePool pool;
    WritableFrame frame = pool.take(format, width, height);
    for (int p = 0; p < plane_count(format); ++p) {
        for (int y = 0; y < frame.plane(p).height; ++y) {
            std::uint8_t* row = frame.data(p) + frame.plane(p).pitch * y;
            std::generate(row, row + frame.plane(p).width, [&] { return static_cast<std::uint8_t>(random()); });
        }
    }
    return frame;
}

// Returns the visible bytes of all planes.
std::vector<Bytes> bytes_of(WritableFrame& frame) {
    std::vector<Bytes> planes;
    for (int p = 0; p < plane_count(frame.info().format); ++p) {
        Bytes& bytes = planes.emplace_back();
        for (int y = 0; y < frame.plane(p).height; ++y) {
            const std::uint8_t* row = frame.data(p) + frame.plane(p).pitch * y;
            bytes.insert(bytes.end(), row, row + frame.plane(p).width);
        }
    }
    return planes;
}

// True if a pixel lies in the ellipse that the header describes, with semi-axes multiplied by `share`.
bool in_ellipse(const Box& box, float margin, double share, double x, double y) {
    const double a = static_cast<double>(box.w) * (0.5 + static_cast<double>(margin)) * share;
    const double b = static_cast<double>(box.h) * (0.5 + static_cast<double>(margin)) * share;
    const double u = (x - static_cast<double>(box.x + box.w / 2)) / a;
    const double v = (y - static_cast<double>(box.y + box.h / 2)) / b;
    return u * u + v * v < 1;
}

TEST(Redact, ChangesPixelsInTheEllipseOnly) {
    std::mt19937_64 random(test::seed(1));
    for (const PixelFormat format : kFormats) {
        for (const RedactStyle style : kStyles) {
            WritableFrame frame = noise_frame(format, 161, 119, random);
            const std::vector<Bytes> before = bytes_of(frame);
            const RedactOptions options{style, 0.25F};
            const Box box{50, 30, 48, 40};
            redact(redact_image(frame), {{box}, false}, options);
            const std::vector<Bytes> after = bytes_of(frame);
            const RedactImage image = redact_image(frame);
            std::size_t changed = 0;
            std::size_t core = 0;
            for (int p = 0; p < image.num_planes; ++p) {
                const RedactPlane& plane = image.planes[p];
                const int bytes = plane.width * plane.channels;
                for (int i = 0; i < bytes * plane.height; ++i) {
                    const double scale = 1 << plane.shift;
                    const double x = (i % bytes / plane.channels + 0.5) * scale;
                    const double y = (i / bytes + 0.5) * scale;
                    const auto at = static_cast<std::size_t>(i);
                    const bool differs =
                        before[static_cast<std::size_t>(p)][at] != after[static_cast<std::size_t>(p)][at];
                    // The rectangle is rounded outward to whole pixels.
                    if (!in_ellipse(box, options.margin, 1.03, x, y)) {
                        EXPECT_FALSE(differs) << "plane " << p << " at " << x << ", " << y;
                    }
                    if (!in_ellipse(box, options.margin, 0.9, x, y)) continue;
                    ++core;
                    changed += differs ? 1 : 0;
                }
            }
            EXPECT_GT(core, 1500U);
            EXPECT_GT(changed, core * 95 / 100) << "noise rarely equals the mean";
        }
    }
}

// Two faces whose cells have equal means and whose soft edges are equal: no information can remain. Each cell is
// shuffled within the part of it that is opaque, so its mean remains the same.
TEST(Redact, FacesWithEqualCellsGiveEqualPixels) {
    std::mt19937_64 random(test::seed(2));
    for (const PixelFormat format : kFormats) {
        for (const RedactStyle style : kStyles) {
            for (const Box box : {Box{40, 30, 60, 52}, Box{-20, 70, 44, 47.5F}, Box{70.3F, 61.7F, 9.5F, 12.1F}}) {
                WritableFrame one = noise_frame(format, 150, 120, random);
                WritableFrame two = noise_frame(format, 150, 120, random);
                const RedactOptions options{style, 0.3F};
                const RedactShape shape = redact_shapes(150, 120, {{box}, false}, options).at(0);
                const RedactImage from = redact_image(one);
                const RedactImage to = redact_image(two);
                std::size_t differing = 0;
                for (int p = 0; p < from.num_planes; ++p) {
                    const RedactPlane& a = from.planes[p];
                    const RedactPlane& b = to.planes[p];
                    for (int y = 0; y < a.height; ++y) {
                        std::memcpy(b.data + b.pitch * y, a.data + a.pitch * y,
                                    static_cast<std::size_t>(a.width * a.channels));
                    }
                    const RedactAxis across = redact_axis(shape.clip_left, shape.clip_right, shape.cells_x, a.shift);
                    const RedactAxis down = redact_axis(shape.clip_top, shape.clip_bottom, shape.cells_y, a.shift);
                    for (int cell = 0; cell < across.cells * down.cells; ++cell) {
                        std::vector<std::uint8_t*> opaque;
                        for (int y = redact_cell_begin(down, cell / across.cells);
                             y < redact_cell_begin(down, cell / across.cells + 1); ++y) {
                            for (int x = redact_cell_begin(across, cell % across.cells);
                                 x < redact_cell_begin(across, cell % across.cells + 1); ++x) {
                                const double scale = 1 << a.shift;
                                if (in_ellipse(box, options.margin, 0.85, (x + 0.5) * scale, (y + 0.5) * scale)) {
                                    opaque.push_back(b.data + b.pitch * y + std::ptrdiff_t{x} * b.step);
                                }
                            }
                        }
                        for (std::size_t i = opaque.size(); i > 1; --i) {
                            std::uint8_t* const other = opaque[random() % i];
                            for (int c = 0; c < b.channels; ++c) std::swap(opaque[i - 1][c], other[c]);
                        }
                    }
                }
                const std::vector<Bytes> original_one = bytes_of(one);
                const std::vector<Bytes> original_two = bytes_of(two);
                for (std::size_t p = 0; p < original_one.size(); ++p) {
                    for (std::size_t i = 0; i < original_one[p].size(); ++i) {
                        differing += original_one[p][i] != original_two[p][i] ? 1 : 0;
                    }
                }
                EXPECT_GT(differing, 50U) << "the faces differ before they are hidden";
                redact(from, {{box}, false}, options);
                redact(to, {{box}, false}, options);
                EXPECT_EQ(bytes_of(one), bytes_of(two));
            }
        }
    }
}

// A definition by plain loops: the number of different colors in a mosaic is at most 36.
TEST(Redact, AMosaicHasAtMost36Colors) {
    std::mt19937_64 random(test::seed(3));
    WritableFrame frame = noise_frame(PixelFormat::gray8, 200, 200, random);
    redact(redact_image(frame), {{{40, 40, 120, 120}}, false}, {RedactStyle::mosaic, 0});
    std::vector<std::uint8_t> colors;
    for (int y = 60; y < 140; ++y) {
        for (int x = 60; x < 140; ++x) colors.push_back(frame.data(0)[frame.plane(0).pitch * y + x]);
    }
    std::sort(colors.begin(), colors.end());
    colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
    EXPECT_LE(colors.size(), 36U);
}

TEST(Redact, AFaceOfOneColorKeepsIt) {
    for (const PixelFormat format : kFormats) {
        for (const RedactStyle style : kStyles) {
            FramePool pool;
            WritableFrame frame = pool.take(format, 99, 77);
            for (int p = 0; p < plane_count(format); ++p) {
                std::memset(frame.data(p), 40 + 70 * p,
                            static_cast<std::size_t>(frame.plane(p).pitch * frame.plane(p).height));
            }
            const std::vector<Bytes> before = bytes_of(frame);
            redact(redact_image(frame), {{{20, 20, 30, 30}, {60, 50, 80, 80}, {30, 30, 40, 3}}, true}, {style, 0.3F});
            EXPECT_EQ(bytes_of(frame), before);
        }
    }
}

TEST(Redact, ARegionThatCannotBeJudgedHidesTheFrame) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kMax = std::numeric_limits<float>::max();
    std::mt19937_64 random(test::seed(4));
    for (const Box box :
         {Box{kNan, 1, 2, 3}, Box{1, kNan, 2, 3}, Box{1, 1, kNan, 3}, Box{1, 1, 2, kNan}, Box{-kInfinity, 1, 2, 3},
          Box{1, 1, kInfinity, 3}, Box{kMax, 1, kMax, 3}, Box{5, 5, 0, 9}, Box{5, 5, 9, -1}}) {
        WritableFrame frame = noise_frame(PixelFormat::nv12, 130, 90, random);
        redact(redact_image(frame), {{{40, 40, 10, 10}, box}, false}, {RedactStyle::mosaic, 0.3F});
        std::vector<std::uint8_t> colors = bytes_of(frame).front();
        std::sort(colors.begin(), colors.end());
        colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
        EXPECT_LE(colors.size(), 36U) << box.x << ' ' << box.y << ' ' << box.w << ' ' << box.h;
    }
}

TEST(Redact, BoxesOutsideOrHugeAreClipped) {
    std::mt19937_64 random(test::seed(5));
    for (const RedactStyle style : kStyles) {
        WritableFrame frame = noise_frame(PixelFormat::yuv420p, 131, 91, random);
        const std::vector<Bytes> before = bytes_of(frame);
        redact(redact_image(frame), {{{-500, -500, 60, 60}, {1e30F, 4, 10, 10}, {131 + 20, 10, 30, 30}}, false},
               {style, 0.3F});
        EXPECT_EQ(bytes_of(frame), before);
        redact(redact_image(frame), {{{-1e30F, -1e30F, 2e30F, 2e30F}}, false}, {style, 0.3F});
        WritableFrame whole = noise_frame(PixelFormat::yuv420p, 131, 91, random);
        for (int p = 0; p < 3; ++p) {
            for (int y = 0; y < whole.plane(p).height; ++y) {
                std::memcpy(whole.data(p) + whole.plane(p).pitch * y,
                            before[static_cast<std::size_t>(p)].data() + y * whole.plane(p).width,
                            static_cast<std::size_t>(whole.plane(p).width));
            }
        }
        redact(redact_image(whole), {{}, true}, {style, 0.3F});
        EXPECT_EQ(bytes_of(frame), bytes_of(whole)) << "a box of any size covers the frame";
    }
}

TEST(Redact, RandomBoxesNeverWriteOutside) {
    std::mt19937_64 random(test::seed(6));
    std::uniform_real_distribution<float> place(-60, 120);
    std::uniform_real_distribution<float> size(0.01F, 150);
    for (int i = 0; i < 300; ++i) {
        const PixelFormat format = kFormats[i % 4];
        const auto width = static_cast<int>(1 + random() % 70);
        const auto height = static_cast<int>(1 + random() % 70);
        WritableFrame frame = noise_frame(format, width, height, random);
        RedactRegions regions;
        for (int n = 0; n < 5; ++n) regions.boxes.push_back({place(random), place(random), size(random), size(random)});
        redact(redact_image(frame), regions, {kStyles[i % 3], 0.3F});
        std::vector<std::uint8_t> mask;
        draw_redaction_mask(width, height, regions, {kStyles[i % 3], 0.3F}, mask);
        EXPECT_EQ(mask.size(), static_cast<std::size_t>(width * height));
    }
}

TEST(Redact, TheMaskIsWhatChanges) {
    std::mt19937_64 random(test::seed(7));
    WritableFrame frame = noise_frame(PixelFormat::gray8, 160, 120, random);
    const Bytes before = bytes_of(frame).front();
    const RedactRegions regions{{{30.4F, 22.9F, 33, 41}, {120, 80, 70, 70}}, false};
    const RedactOptions options{RedactStyle::solid, 0.3F};
    redact(redact_image(frame), regions, options);
    const Bytes after = bytes_of(frame).front();
    std::vector<std::uint8_t> mask;
    draw_redaction_mask(160, 120, regions, options, mask);
    std::size_t opaque = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
        if (mask[i] == 0) {
            EXPECT_EQ(before[i], after[i]) << i;
        }
        opaque += mask[i] == 255 ? 1 : 0;
    }
    EXPECT_GT(opaque, 1000U);
}

// In one color, a region is the mean of what it covers, mixed by the mask: also where one row or column of it is inside.
TEST(Redact, ASolidRegionIsTheMeanMixedByTheMask) {
    std::mt19937_64 random(test::seed(9));
    std::size_t changed = 0;
    for (std::size_t round = test::case_count(300); round > 0; --round) {
        const int width = static_cast<int>(1 + random() % (round % 2 == 0 ? 4 : 60));
        const int height = static_cast<int>(1 + random() % 60);
        const auto uniform = [&](int from, int to) {
            return std::uniform_real_distribution(static_cast<float>(from), static_cast<float>(to))(random);
        };
        const Box box{uniform(-30, width), uniform(-30, height), uniform(1, 80), uniform(1, 80)};
        const RedactOptions options{RedactStyle::solid, 0.3F};
        WritableFrame frame = noise_frame(PixelFormat::gray8, width, height, random);
        const Bytes before = bytes_of(frame).front();
        redact(redact_image(frame), {{box}, false}, options);
        const Bytes after = bytes_of(frame).front();
        std::vector<std::uint8_t> mask;
        draw_redaction_mask(width, height, {{box}, false}, options, mask);
        const auto inside = [](int at, float from, float size) {
            const float margin = 0.3F * size;
            return static_cast<float>(at) >= std::floor(from - margin) &&
                   static_cast<float>(at) < std::ceil(from + size + margin);
        };
        double sum = 0, count = 0;
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                if (!inside(x, box.x, box.w) || !inside(y, box.y, box.h)) continue;
                sum += before[static_cast<std::size_t>(y * width + x)];
                count += 1;
            }
        }
        for (std::size_t i = 0; i < mask.size(); ++i) {
            const double opacity = mask[i] == 255 ? 1 : mask[i] / 256.0;
            const double expected = mask[i] == 0 ? before[i] : before[i] + (sum / count - before[i]) * opacity;
            EXPECT_NEAR(after[i], expected, mask[i] == 0 ? 0 : 2.5) << i;
            changed += mask[i] == 0 ? 0 : 1;
        }
    }
    EXPECT_GT(changed, 1000U);
}

TEST(Redact, FourBytesPerPixelAreHiddenAsThreeAndTheFourthIsKept) {
    std::mt19937_64 random(test::seed(10));
    const auto number = [&](int limit) { return static_cast<float>(random() % static_cast<unsigned>(limit)); };
    for (std::size_t trial = test::case_count(30); trial > 0; --trial) {
        const int width = 1 + static_cast<int>(random() % 80);
        const int height = 1 + static_cast<int>(random() % 80);
        WritableFrame frame = noise_frame(PixelFormat::bgr24, width, height, random);
        const std::ptrdiff_t pitch = 4 * width + 8;
        Bytes pixels(static_cast<std::size_t>(pitch * height));
        std::generate(pixels.begin(), pixels.end(), [&] { return static_cast<std::uint8_t>(random()); });
        Bytes expected = pixels;
        const auto copy_colors = [&](Bytes& to) {
            for (int i = 0; i < width * height; ++i) {
                std::memcpy(to.data() + i / width * pitch + i % width * 4,
                            frame.data(0) + i / width * frame.plane(0).pitch + i % width * 3, 3);
            }
        };
        copy_colors(pixels);
        const RedactRegions regions{{{number(90) - 10, number(90) - 10, 1 + number(60), 1 + number(60)},
                                     {number(90) - 10, number(90) - 10, 1 + number(60), 1 + number(60)}},
                                    trial % 10 == 0};
        const RedactOptions options{kStyles[trial % 3], 0.3F};
        redact(redact_image(frame), regions, options);
        copy_colors(expected);
        redact(bgra_image(pixels.data(), pitch, width, height), regions, options);
        EXPECT_EQ(pixels, expected) << trial;
    }
}

// The definition in double precision: a quadratic B-spline through the means of 6x6 cells of equal size.
TEST(Redact, ABlurIsASmoothSurfaceThroughTheMeans) {
    std::mt19937_64 random(test::seed(11));
    constexpr int kCellWidth = 11, kCellHeight = 7;
    constexpr int kImageWidth = kRedactCells * kCellWidth, kImageHeight = kRedactCells * kCellHeight;
    WritableFrame frame = noise_frame(PixelFormat::gray8, kImageWidth, kImageHeight, random);
    for (int i = 0; i < kImageWidth * kImageHeight; ++i) {  // a mean of noise differs too little from the next one
        std::uint8_t& sample = frame.data(0)[i / kImageWidth * frame.plane(0).pitch + i % kImageWidth];
        const int cell = i / kImageWidth / kCellHeight * kRedactCells + i % kImageWidth / kCellWidth;
        sample = static_cast<std::uint8_t>(sample / 4 + cell * 89 % 190);
    }
    double means[kRedactCells][kRedactCells] = {};
    for (int i = 0; i < kImageWidth * kImageHeight; ++i) {
        means[i / kImageWidth / kCellHeight][i % kImageWidth / kCellWidth] +=
            frame.data(0)[i / kImageWidth * frame.plane(0).pitch + i % kImageWidth] / double{kCellWidth * kCellHeight};
    }
    redact(redact_image(frame), {{}, true}, {RedactStyle::blur, 0.3F});
    const auto weight = [](double distance) {  // of a cell, by the distance of its center in cells
        distance = std::abs(distance);
        return distance < 0.5 ? 0.75 - distance * distance : 0.5 * std::pow(std::max(0.0, 1.5 - distance), 2);
    };
    for (int y = 0; y < kImageHeight; ++y) {
        for (int x = 0; x < kImageWidth; ++x) {
            double expected = 0;
            for (int row = -1; row <= kRedactCells; ++row) {
                for (int column = -1; column <= kRedactCells; ++column) {
                    expected += weight((y + 0.5) / kCellHeight - row - 0.5) *
                                weight((x + 0.5) / kCellWidth - column - 0.5) *
                                means[std::clamp(row, 0, kRedactCells - 1)][std::clamp(column, 0, kRedactCells - 1)];
                }
            }
            EXPECT_NEAR(frame.data(0)[y * frame.plane(0).pitch + x], expected, 2) << x << ", " << y;
        }
    }
}

TEST(Redact, RegionsAreScaledWithTheirFrame) {
    const RedactRegions regions = scaled({{{10, 20, 30, 40}, {-4, 8, 2, 6}}, true}, 0.5F, 3);
    ASSERT_EQ(regions.boxes.size(), 2U);
    const Box& first = regions.boxes[0];
    const Box& second = regions.boxes[1];
    EXPECT_EQ(std::tie(first.x, first.y, first.w, first.h), std::tuple(5, 60, 15, 120));
    EXPECT_EQ(std::tie(second.x, second.y, second.w, second.h), std::tuple(-2, 24, 1, 18));
    EXPECT_TRUE(regions.whole);
}

TEST(Redact, ACopyKeepsTheOriginalAndTheTiming) {
    std::mt19937_64 random(test::seed(8)), same = random;
    WritableFrame writable = noise_frame(PixelFormat::nv12, 64, 48, random);
    WritableFrame in_place = noise_frame(PixelFormat::nv12, 64, 48, same);
    const std::vector<Bytes> before = bytes_of(writable);
    const Frame frame = std::move(writable).finish().with_timing(7, 1.5, {});
    FramePool pool;
    const Frame hidden = redacted(frame, {{{10, 10, 20, 20}}, false}, {}, pool);
    EXPECT_EQ(hidden.info().index, 7);
    EXPECT_EQ(hidden.info().pts, 1.5);
    EXPECT_EQ(frame.plane(0).data[0], before[0][0]);
    EXPECT_EQ(std::memcmp(frame.plane(0).data, before[0].data(), 64), 0);
    redact(redact_image(in_place), {{{10, 10, 20, 20}}, false}, {});
    const std::vector<Bytes> expected = bytes_of(in_place);
    EXPECT_NE(expected, before);
    for (int p = 0; p < 2; ++p) {
        const PlaneView& plane = hidden.plane(p);
        for (int y = 0; y < plane.height; ++y) {
            const std::uint8_t* const row = plane.data + plane.pitch * y;
            EXPECT_TRUE(std::equal(row, row + 64, expected[static_cast<std::size_t>(p)].begin() + y * 64)) << p << y;
        }
    }
}

TEST(Redact, StripsAreRedactedAsTheWholeImage) {
    std::mt19937_64 random(test::seed(9));
    const auto number = [&](int limit) { return static_cast<float>(random() % static_cast<unsigned>(limit)); };
    for (int trial = 0; trial < 30; ++trial) {
        const PixelFormat format = trial % 2 == 0 ? PixelFormat::bgr24 : PixelFormat::gray8;
        const int width = 1 + static_cast<int>(random() % 150);
        const int height = 1 + static_cast<int>(random() % 150);
        WritableFrame frame = noise_frame(format, width, height, random);
        RedactRegions regions;
        for (int i = 0; i < 6; ++i) {
            regions.boxes.push_back({number(170) - 10, number(170) - 10, 1 + number(90), 1 + number(90)});
        }
        regions.whole = trial % 10 == 9;
        const RedactOptions options{kStyles[static_cast<std::size_t>(trial) % 3], 0.3F};
        const PlaneView plane = frame.plane(0);
        StripRedactor redactor(format, width, height, regions, options);
        const auto in_parts = [&](const auto& work) {
            for (int y = 0; y < height;) {
                const int rows = std::min(height - y, 1 + static_cast<int>(random() % 40));
                work(y, rows);
                y += rows;
            }
        };
        in_parts([&](int y, int rows) {
            redactor.measure({plane.data + y * plane.pitch, plane.pitch, plane.width, rows});
        });
        Bytes strips;
        in_parts([&](int y, int rows) {
            Bytes part(static_cast<std::size_t>(plane.width) * static_cast<std::size_t>(rows));
            for (int row = 0; row < rows; ++row) {
                std::copy_n(plane.data + (y + row) * plane.pitch, plane.width, part.begin() + row * plane.width);
            }
            redactor.redact(part.data(), plane.width, rows);
            strips.insert(strips.end(), part.begin(), part.end());
        });
        redact(redact_image(frame), regions, options);
        EXPECT_EQ(strips, bytes_of(frame).front()) << trial;
    }
}

}  // namespace
}  // namespace throng
