#include "core/synth/canvas.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "core/synth/random.h"

namespace throng::synth {
namespace {

constexpr int kBand = 16;  // luma rows a thread takes at once; even, so that bands own their chroma rows

// Runs work(band) for all bands, on the calling thread and others.
void for_each_band(int bands, int threads, const std::function<void(int)>& work) {
    std::atomic<int> next{0};
    const auto take_bands = [&] {
        for (int band = next++; band < bands; band = next++) work(band);
    };
    std::vector<std::jthread> helpers;
    for (int i = 1; i < std::min(threads, bands); ++i) helpers.emplace_back(take_bands);
    take_bands();
}

// For every band the shapes that touch it, in order.
std::vector<std::vector<const Shape*>> by_band(const std::vector<Shape>& shapes, int bands) {
    std::vector<std::vector<const Shape*>> lists(static_cast<std::size_t>(bands));
    for (const Shape& shape : shapes) {
        if (shape.x0 >= shape.x1 || shape.y0 >= shape.y1) continue;
        for (int band = shape.y0 / kBand; band <= (shape.y1 - 1) / kBand; ++band) {
            lists[static_cast<std::size_t>(band)].push_back(&shape);
        }
    }
    return lists;
}

// The copies keep the compiler from reading the shape again after every store to the row.
void paint_luma_row(const Shape& source, int y, float* row) {
    if (y < source.y0 || y >= source.y1) return;
    const Shape shape = source;
    const float dy = static_cast<float>(y) + 0.5F - shape.cy;
    const float first = 0.5F - shape.cx;
    for (int x = shape.x0; x < shape.x1; ++x) {
        const Shape::Sample s = shape.at(static_cast<float>(x) + first, dy);
        row[x] += s.coverage * (shape.color.y + s.shade - row[x]);
    }
}

// Chroma samples lie between two rows and on the left of two columns (MPEG's place).
void paint_chroma_row(const Shape& source, int y, float* cb, float* cr) {
    if (2 * y + 1 < source.y0 || 2 * y >= source.y1) return;
    const Shape shape = source;
    const float dy = static_cast<float>(2 * y) + 1.0F - shape.cy;
    const float first = 0.5F - shape.cx;
    for (int x = shape.x0 / 2; x < (shape.x1 + 1) / 2; ++x) {
        const float coverage = shape.at(static_cast<float>(2 * x) + first, dy).coverage;
        cb[x] += coverage * (shape.color.cb - cb[x]);
        cr[x] += coverage * (shape.color.cr - cr[x]);
    }
}

void store_row(const float* from, const float* grain, int width, float high, std::uint8_t* to) {
    for (int start = 0; start < width; start += Grain::kTile) {
        const int count = std::min(Grain::kTile, width - start);
        for (int x = 0; x < count; ++x) {
            const float level = clamped(from[start + x] + grain[x], 16.0F, high);
            to[start + x] = static_cast<std::uint8_t>(static_cast<int>(level + 0.5F));
        }
    }
}

int band_count(int height) {
    return (height + kBand - 1) / kBand;
}

}  // namespace

FloatPicture::FloatPicture(int w, int h, Color fill)
    : width(w),
      height(h),
      y(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), fill.y),
      cb(static_cast<std::size_t>((w + 1) / 2) * static_cast<std::size_t>((h + 1) / 2), fill.cb),
      cr(cb.size(), fill.cr) {}

Grain::Grain(std::uint64_t seed, float strength) : seed_(seed), tile_(std::size_t{2} * kTile * kTile) {
    Random random(seed, 0x6A1);
    for (std::size_t y = 0; y < kTile; ++y) {
        for (std::size_t x = 0; x < kTile; ++x) {
            // Four dice are near enough to a normal distribution.
            const float level = strength * (random.unit() + random.unit() + random.unit() + random.unit() - 2.0F);
            tile_[(2 * y) * kTile + x] = level;
            tile_[(2 * y + 1) * kTile + x] = level;
        }
    }
}

const float* Grain::row(std::int64_t n, int y) const noexcept {
    const std::uint64_t place = mixed(seed_ ^ mixed(static_cast<std::uint64_t>(n)));
    const std::size_t tile_row = (static_cast<std::size_t>(y) + (place >> 8U)) % kTile;
    // Another start in every band of the tile, or the repetition would show as a grid.
    const std::size_t start = mixed(place + static_cast<std::uint64_t>(y)) % kTile;
    return tile_.data() + tile_row * 2 * kTile + start;
}

void paint(const FloatPicture& background, const std::vector<Shape>& shapes, const Grain& grain, std::int64_t n,
           int threads, WritableFrame& picture) {
    static constexpr float kNoGrain[Grain::kTile] = {};
    const int width = background.width;
    const int chroma_width = background.chroma_width();
    const auto lists = by_band(shapes, band_count(background.height));

    for_each_band(band_count(background.height), threads, [&](int band) {
        const std::vector<const Shape*>& touching = lists[static_cast<std::size_t>(band)];
        std::vector<float> row(static_cast<std::size_t>(width));
        std::vector<float> second(static_cast<std::size_t>(chroma_width));
        const int end = std::min(background.height, (band + 1) * kBand);
        for (int y = band * kBand; y < end; ++y) {
            const float* from = background.y.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
            std::copy_n(from, width, row.data());
            for (const Shape* shape : touching) paint_luma_row(*shape, y, row.data());
            store_row(row.data(), grain.row(n, y), width, 235.0F, picture.data(0) + y * picture.plane(0).pitch);
        }
        for (int y = band * kBand / 2; y < (end + 1) / 2; ++y) {
            const std::size_t offset = static_cast<std::size_t>(y) * static_cast<std::size_t>(chroma_width);
            std::copy_n(background.cb.data() + offset, chroma_width, row.data());
            std::copy_n(background.cr.data() + offset, chroma_width, second.data());
            for (const Shape* shape : touching) paint_chroma_row(*shape, y, row.data(), second.data());
            store_row(row.data(), kNoGrain, chroma_width, 240.0F, picture.data(1) + y * picture.plane(1).pitch);
            store_row(second.data(), kNoGrain, chroma_width, 240.0F, picture.data(2) + y * picture.plane(2).pitch);
        }
    });
}

void paint(FloatPicture& background, const std::vector<Shape>& shapes, int threads) {
    const auto lists = by_band(shapes, band_count(background.height));
    for_each_band(band_count(background.height), threads, [&](int band) {
        const int end = std::min(background.height, (band + 1) * kBand);
        for (const Shape* shape : lists[static_cast<std::size_t>(band)]) {
            for (int y = band * kBand; y < end; ++y) {
                paint_luma_row(*shape, y, background.y.data() + static_cast<std::size_t>(y) * background.width);
            }
            for (int y = band * kBand / 2; y < (end + 1) / 2; ++y) {
                const std::size_t offset = static_cast<std::size_t>(y) * background.chroma_width();
                paint_chroma_row(*shape, y, background.cb.data() + offset, background.cr.data() + offset);
            }
        }
    });
}

}  // namespace throng::synth
