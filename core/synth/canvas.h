// Paints a list of shapes over a background into the planes of a yuv420p image, in parallel bands of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/frame/frame_pool.h"
#include "core/synth/shape.h"

namespace throng::synth {

// A float image with stored levels: y of width x height, cb and cr of half that size, rounded up. Row-major, no
// padding.
struct FloatImage {
    int width = 0;
    int height = 0;
    std::vector<float> y, cb, cr;

    FloatImage(int w, int h, Color fill);
    [[nodiscard]] int chroma_width() const noexcept { return (width + 1) / 2; }
    [[nodiscard]] const float* luma_row(int row) const noexcept { return y.data() + offset(width, row); }
    [[nodiscard]] const float* cb_row(int row) const noexcept { return cb.data() + offset(chroma_width(), row); }
    [[nodiscard]] const float* cr_row(int row) const noexcept { return cr.data() + offset(chroma_width(), row); }
    [[nodiscard]] float* luma_row(int row) noexcept { return y.data() + offset(width, row); }
    [[nodiscard]] float* cb_row(int row) noexcept { return cb.data() + offset(chroma_width(), row); }
    [[nodiscard]] float* cr_row(int row) noexcept { return cr.data() + offset(chroma_width(), row); }

private:
    static std::size_t offset(int width, int row) noexcept {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(row);
    }
};

// Film grain: a tile of small offsets, shifted to another offset in every frame. All zero for strength 0.
class Grain {
public:
    static constexpr int kTile = 256;
    Grain(std::uint64_t seed, float strength);
    // Returns kTile * 2 values of row y of frame n.
    [[nodiscard]] const float* row(std::int64_t n, int y) const noexcept;

private:
    std::uint64_t seed_;
    std::vector<float> tile_;  // every row twice, so that a row may start at any column
};

// Paints bounded shapes in their order. The result does not depend on the number of threads.
void paint(const FloatImage& background, const std::vector<Shape>& shapes, const Grain& grain, std::int64_t n,
           int threads, WritableFrame& image);

// Paints the shapes into the background itself.
void paint(FloatImage& background, const std::vector<Shape>& shapes, int threads);

}  // namespace throng::synth
