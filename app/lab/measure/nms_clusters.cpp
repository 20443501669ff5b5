#include "app/lab/measure/nms_clusters.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace throng {

DetectionSet make_clusters(const ClusterLayout& layout) {
    std::mt19937_64 bits(layout.seed);
    // The standard's distributions differ between libraries; its engines do not.
    const auto uniform = [&bits](float low, float high) {
        return low + (high - low) * (static_cast<float>(bits() >> 40U) * 0x1p-24F);
    };
    const float faces = std::ceil(static_cast<float>(layout.boxes) / static_cast<float>(layout.cluster));
    const float plane = (layout.dense ? 150.0F : 400.0F) * std::sqrt(faces);

    DetectionSet set;
    set.detections.reserve(static_cast<std::size_t>(layout.boxes));
    Box face{};
    for (std::int32_t i = 0; i < layout.boxes; ++i) {
        if (i % layout.cluster == 0) {
            const float side = uniform(24.0F, 200.0F);
            face = {uniform(0.0F, plane), uniform(0.0F, plane), side, side};
        }
        const float side = face.w * uniform(0.85F, 1.2F);
        const float jitter = 0.1F * face.w;
        const float x = face.x + uniform(-jitter, jitter);
        const float y = face.y + uniform(-jitter, jitter);
        set.detections.push_back({{x, y, side, side}, uniform(0.0F, 1.0F), 1, i});
    }
    set.total = static_cast<std::uint32_t>(set.detections.size());
    return set;
}

void reorder(DetectionSet& set, BoxOrder order, std::uint64_t seed) {
    std::vector<Detection>& all = set.detections;
    if (order == BoxOrder::cascade) {
        const auto key = [](const Detection& d) {
            const double level = std::floor(std::log(static_cast<double>(d.box.w)) / std::log(1.1));
            return std::tuple(level, d.box.y, d.box.x);
        };
        std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    } else if (order == BoxOrder::shuffled) {
        std::mt19937_64 bits(seed);
        for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[bits() % i]);
    }
    for (std::size_t i = 0; i < all.size(); ++i) all[i].source = static_cast<std::int32_t>(i);
}

}  // namespace throng
