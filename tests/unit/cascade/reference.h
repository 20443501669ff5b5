// A reference detector that uses only the definitions in core/algo, one window at a time. The SIMD detector must give
// equal results.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/algo/cascade_levels.h"
#include "core/detect/detector.h"
#include "core/frame/frame_pool.h"
#include "core/model/cascade_model.h"

namespace throng::test {

struct GrayImage {
    int width = 0, height = 0;
    std::vector<std::uint8_t> pixels;
};

struct ScoredBox {
    Box box;
    float score;

    friend bool operator==(const ScoredBox& a, const ScoredBox& b) {
        return a.box.x == b.box.x && a.box.y == b.box.y && a.box.w == b.box.w && a.box.h == b.box.h &&
               a.score == b.score;
    }
};

GrayImage resized(const GrayImage& image, int width, int height);
std::vector<ScoredBox> reference_detections(const CascadeModel& model, const GrayImage& image,
                                            const DetectorParams& params);

// Returns a valid cascade of random features and trees of up to `nodes` nodes, with thresholds close to the windows'
// values.
CascadeModel random_cascade(std::mt19937_64& random, CascadeKind kind, int width, int height, int nodes, bool tilted);
// Returns noise with smooth shapes, so that windows pass several stages.
GrayImage random_image(std::mt19937_64& random, int width, int height);
Frame frame_of(const GrayImage& image);

}  // namespace throng::test
