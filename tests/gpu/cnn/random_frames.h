// A network with random weights, random frames, and detections in an order that can be compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "core/detect/detection.h"
#include "core/frame/frame_pool.h"
#include "tests/support/network_reference.h"

namespace throng::test {

// Scaled down, because random weights give large numbers for samples up to 255.
inline Network random_network() {
    Network network = random_yunet(5);
    network.input.mean = {127.0F, 127.0F, 127.0F};
    network.input.scale = 1.0F / 128.0F;
    return network;
}

// Smooth random colors: noise of all frequencies would make almost every cell a box.
inline Frame random_image(int width, int height, std::uint64_t seed_of_it) {
    std::mt19937_64 random(seed_of_it);
    FramePool pool;
    WritableFrame frame = pool.take(PixelFormat::nv12, width, height);
    for (int p = 0; p < 2; ++p) {
        const double a = static_cast<double>(random() % 100) / 1000.0;
        const double b = static_cast<double>(random() % 100) / 1000.0;
        for (int y = 0; y < frame.plane(p).height; ++y) {
            for (int x = 0; x < frame.plane(p).width; ++x) {
                const double v = 128.0 + 80.0 * std::sin(a * x + b * y) + static_cast<double>(random() % 40);
                frame.data(p)[y * frame.plane(p).pitch + x] = static_cast<std::uint8_t>(v);
            }
        }
    }
    return std::move(frame).finish();
}

// Sorts the detections, because the kernels write them in any order.
inline std::vector<std::tuple<float, float, float, float, float, float>> sorted(const DetectionSet& set) {
    std::vector<std::tuple<float, float, float, float, float, float>> list;
    for (std::size_t i = 0; i < set.detections.size(); ++i) {
        const Detection& d = set.detections[i];
        const float landmark = set.landmarks.empty() ? 0.0F : set.landmarks[i].xy[7];
        list.emplace_back(d.score, d.box.x, d.box.y, d.box.w, d.box.h, landmark);
    }
    std::sort(list.begin(), list.end());
    return list;
}

}  // namespace throng::test
