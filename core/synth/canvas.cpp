#include "core/synth/canvas.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "core/synth/random.h"
#include "core/synth/rows.h"

namespace throng::synth {
namespace {

constexpr int kBand = 16;  // luma rows per task; even, so that bands have separate chroma rows

// Runs work(band) for all bands, on the calling thread and on others.
void for_each_band(int bands, int threads, const std::function<void(int)>& work) {
    std::atomic<int> next{0};
    const auto take_bands = [&] {
        for (int band = next++; band < bands; band = next++) work(band);
    };
    std::vector<std::jthread> helpers;
    for (int i = 1; i < std::min(threads, bands); ++i) helpers.emplace_back(take_bands);
    take_bands();
}

// Returns for every band the shapes that touch it, in order.
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

// Paints every row of the image and passes it to luma(y, row) and chroma(y, cb, cr), on any thread.
template <typename Luma, typename Chroma>
void for_each_row(const FloatImage& background, const std::vector<Shape>& shapes, int threads, const Luma& luma,
                  const Chroma& chroma) {
    const int bands = (background.height + kBand - 1) / kBand;
    const auto lists = by_band(shapes, bands);
    for_each_band(bands, threads, [&](int band) {
        const std::vector<const Shape*>& touching = lists[static_cast<std::size_t>(band)];
        std::vector<float> row(static_cast<std::size_t>(background.width) + kRowSlack);
        std::vector<float> second(static_cast<std::size_t>(background.chroma_width()) + kRowSlack);
        const int end = std::min(background.height, (band + 1) * kBand);
        for (int y = band * kBand; y < end; ++y) {
            std::copy_n(background.luma_row(y), background.width, row.data());
            for (const Shape* shape : touching) paint_luma_row(*shape, y, row.data());
            luma(y, row.data());
        }
        for (int y = band * kBand / 2; y < (end + 1) / 2; ++y) {
            std::copy_n(background.cb_row(y), background.chroma_width(), row.data());
            std::copy_n(background.cr_row(y), background.chroma_width(), second.data());
            for (const Shape* shape : touching) paint_chroma_row(*shape, y, row.data(), second.data());
            chroma(y, row.data(), second.data());
        }
    });
}

}  // namespace

FloatImage::FloatImage(int w, int h, Color fill)
    : width(w),
      height(h),
      y(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), fill.y),
      cb(static_cast<std::size_t>((w + 1) / 2) * static_cast<std::size_t>((h + 1) / 2), fill.cb),
      cr(cb.size(), fill.cr) {}

Grain::Grain(std::uint64_t seed, float strength) : seed_(seed), tile_(std::size_t{2} * kTile * kTile) {
    Random random(seed, 0x6A1);
    for (std::size_t y = 0; y < kTile; ++y) {
        for (std::size_t x = 0; x < kTile; ++x) {
            // The sum of four uniform values approximates a normal distribution well enough.
            const float level = strength * (random.unit() + random.unit() + random.unit() + random.unit() - 2.0F);
            tile_[(2 * y) * kTile + x] = level;
            tile_[(2 * y + 1) * kTile + x] = level;
        }
    }
}

const float* Grain::row(std::int64_t n, int y) const noexcept {
    const std::uint64_t offset_hash = mixed(seed_ ^ mixed(static_cast<std::uint64_t>(n)));
    const std::size_t tile_row = (static_cast<std::size_t>(y) + (offset_hash >> 8U)) % kTile;
    // Rows start at different columns of the tile; otherwise the repetition would be visible as a grid.
    const std::size_t start = mixed(offset_hash + static_cast<std::uint64_t>(y)) % kTile;
    return tile_.data() + tile_row * 2 * kTile + start;
}

void paint(const FloatImage& background, const std::vector<Shape>& shapes, const Grain& grain, std::int64_t n,
           int threads, WritableFrame& image) {
    static constexpr float kNoGrain[Grain::kTile] = {};
    for_each_row(
        background, shapes, threads,
        [&](int y, const float* row) {
            store_row(row, grain.row(n, y), Grain::kTile, background.width, 235.0F,
                      image.data(0) + y * image.plane(0).pitch);
        },
        [&](int y, const float* cb, const float* cr) {
            store_row(cb, kNoGrain, Grain::kTile, background.chroma_width(), 240.0F,
                      image.data(1) + y * image.plane(1).pitch);
            store_row(cr, kNoGrain, Grain::kTile, background.chroma_width(), 240.0F,
                      image.data(2) + y * image.plane(2).pitch);
        });
}

void paint(FloatImage& background, const std::vector<Shape>& shapes, int threads) {
    for_each_row(
        background, shapes, threads,
        [&](int y, const float* row) { std::copy_n(row, background.width, background.luma_row(y)); },
        [&](int y, const float* cb, const float* cr) {
            std::copy_n(cb, background.chroma_width(), background.cb_row(y));
            std::copy_n(cr, background.chroma_width(), background.cr_row(y));
        });
}

}  // namespace throng::synth
