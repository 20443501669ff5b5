#include "tests/support/nms_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace throng::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float uniform(Random& random, float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
}

int uniform_int(Random& random, int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
}

bool chance(Random& random, double probability) {
    return std::bernoulli_distribution(probability)(random);
}

// Returns a float32 of any magnitude.
float any_magnitude(Random& random) {
    return std::ldexp(uniform(random, 0.5F, 1.0F), uniform_int(random, -148, 128));
}

// Returns a box of one kind of position and size. Each kind stresses another part of an engine.
Box random_box(Random& random, int kind) {
    const auto position = [&](float range) { return uniform(random, -range, range); };
    switch (kind) {
        case 0:  // small integers: ties of area, touching edges, IoU exactly at thresholds
            return {static_cast<float>(uniform_int(random, 0, 12)), static_cast<float>(uniform_int(random, 0, 12)),
                    static_cast<float>(uniform_int(random, 1, 10)), static_cast<float>(uniform_int(random, 1, 10))};
        case 1: {  // faces
            const float side = uniform(random, 20.0F, 90.0F);
            return {position(150), position(150), side, side * uniform(random, 0.9F, 1.1F)};
        }
        case 2:  // all sizes and aspect ratios at one position
            return {position(10), position(10), std::exp2(uniform(random, -4.0F, 12.0F)),
                    std::exp2(uniform(random, -4.0F, 12.0F))};
        case 3:  // far from the origin: edges are rounded to float32
            return {1e7F + position(20), -1e7F + position(20), uniform(random, 0.5F, 20.0F),
                    uniform(random, 0.5F, 20.0F)};
        case 4:  // areas above and below the range of float32
            return {position(1e19F), position(1e19F), any_magnitude(random), any_magnitude(random)};
        case 5:  // arbitrary values
            return {any_magnitude(random) * static_cast<float>(uniform_int(random, -1, 1)),
                    any_magnitude(random) * static_cast<float>(uniform_int(random, -1, 1)), any_magnitude(random),
                    any_magnitude(random)};
        default:  // one large cluster of nearly equal boxes
            return {100 + position(3), 100 + position(3), 50 + position(4), 50 + position(4)};
    }
}

float bad_value(Random& random) {
    const float values[] = {kNan, kInfinity, -kInfinity};
    return values[uniform_int(random, 0, 2)];
}

void spoil(Random& random, Box& box, float& score) {
    switch (uniform_int(random, 0, 6)) {
        case 0: box.x = bad_value(random); break;
        case 1: box.y = bad_value(random); break;
        case 2: box.w = chance(random, 0.5) ? 0.0F : bad_value(random); break;
        case 3: box.h = chance(random, 0.5) ? -0.0F : bad_value(random); break;
        case 4: box.w = -box.w; break;
        case 5: box.h = -box.h; break;
        default: score = bad_value(random); break;
    }
}

}  // namespace

NmsInput random_nms_input(Random& random, std::size_t n) {
    constexpr int kKinds = 7;
    const int kind = uniform_int(random, 0, kKinds);  // kKinds: a mix of all
    const int scores = uniform_int(random, 0, 3);
    const double bad = chance(random, 0.3) ? 0.1 : 0.0;
    const double copies = chance(random, 0.3) ? 0.2 : 0.0;
    NmsInput input;
    input.feature_size = 3;
    for (std::size_t i = 0; i < n; ++i) {
        Box box = random_box(random, kind == kKinds ? uniform_int(random, 0, kKinds - 1) : kind);
        float score = 0;
        switch (scores) {
            case 0: score = uniform(random, 0.0F, 1.0F); break;
            case 1: score = static_cast<float>(uniform_int(random, 0, 3)) * 0.25F; break;
            case 2: score = uniform(random, -5.0F, 5.0F); break;
            default: score = chance(random, 0.5) ? 0.0F : -0.0F; break;
        }
        if (i > 0 && chance(random, copies)) {
            const auto original = static_cast<std::size_t>(uniform_int(random, 0, static_cast<int>(i) - 1));
            box = input.boxes[original];
            if (chance(random, 0.7)) score = input.scores[original];
        }
        if (chance(random, bad)) spoil(random, box, score);
        input.boxes.push_back(box);
        input.scores.push_back(score);
        input.density.push_back(chance(random, 0.1) ? 0.0F : uniform(random, 0.0F, 1.0F));
        for (int k = 0; k < input.feature_size; ++k) input.features.push_back(uniform(random, -0.8F, 0.8F));
    }
    return input;
}

NmsParams random_nms_params(Random& random) {
    const float thresholds[] = {0.0F, 0.05F, 0.3F, 0.5F, 0.7F, 0.9F, 1.0F};
    const auto threshold = [&] {
        return chance(random, 0.3) ? uniform(random, 0.0F, 1.0F) : thresholds[uniform_int(random, 0, 6)];
    };
    NmsParams params;
    params.rule = static_cast<NmsRule>(uniform_int(random, 0, 3));
    params.pixels = static_cast<PixelConvention>(uniform_int(random, 0, 1));
    params.theta = threshold();
    if (params.rule == NmsRule::soft_linear || params.rule == NmsRule::soft_gaussian) {
        params.sigma = uniform(random, 0.1F, 1.0F);
        const float least[] = {0.001F, 0.0F, -10.0F, 0.3F};
        params.score_min = least[uniform_int(random, 0, 3)];
        return params;
    }
    params.pair = static_cast<PairRule>(uniform_int(random, 0, 2));
    if (params.pair == PairRule::overlap) params.overlap = static_cast<Overlap>(uniform_int(random, 0, 2));
    params.ties = static_cast<Ties>(uniform_int(random, 0, 1));
    params.merge = static_cast<Merge>(uniform_int(random, 0, 2));
    if (chance(random, 0.3)) params.min_hits = uniform_int(random, 1, 4);
    params.feature_low = threshold();
    params.feature_high = std::max(params.feature_low, threshold());
    params.feature_distance = uniform(random, 0.0F, 1.5F);
    return params;
}

NmsInput chain_input(std::size_t n) {
    NmsInput input;
    for (std::size_t i = 0; i < n; ++i) {
        input.boxes.push_back({4.0F * static_cast<float>(i), 0.0F, 10.0F, 10.0F});
        input.scores.push_back(1.0F - static_cast<float>(i) / static_cast<float>(n + 1));
    }
    return input;
}

NmsInput copies_input(std::size_t n) {
    NmsInput input;
    input.boxes.assign(n, {10.0F, 20.0F, 30.0F, 40.0F});
    input.scores.assign(n, 0.5F);
    return input;
}

NmsInput clusters_input(Random& random, std::size_t n, std::size_t cluster) {
    NmsInput input;
    const float plane = 300.0F * std::sqrt(static_cast<float>(n) / static_cast<float>(cluster) + 1.0F);
    Box face{};
    for (std::size_t i = 0; i < n; ++i) {
        if (i % cluster == 0) {
            const float side = std::exp2(uniform(random, 4.6F, 7.6F));
            face = {uniform(random, 0.0F, plane), uniform(random, 0.0F, plane), side, side};
        }
        const float jitter = 0.1F * face.w;
        const float side = face.w * uniform(random, 0.85F, 1.2F);
        input.boxes.push_back(
            {face.x + uniform(random, -jitter, jitter), face.y + uniform(random, -jitter, jitter), side, side});
        input.scores.push_back(uniform(random, 0.0F, 1.0F));
    }
    return input;
}

NmsInput invalid_input(std::size_t n) {
    Random random(n);
    NmsInput input;
    for (std::size_t i = 0; i < n; ++i) {
        Box box{1, 2, 3, 4};
        float score = 0.5F;
        spoil(random, box, score);
        input.boxes.push_back(box);
        input.scores.push_back(score);
    }
    return input;
}

NmsInput shuffled(const NmsInput& input, Random& random) {
    std::vector<std::size_t> order(input.boxes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    NmsInput out;
    out.feature_size = input.feature_size;
    const auto size = static_cast<std::ptrdiff_t>(input.feature_size);
    for (const std::size_t i : order) {
        out.boxes.push_back(input.boxes[i]);
        out.scores.push_back(input.scores[i]);
        if (!input.density.empty()) out.density.push_back(input.density[i]);
        const auto feature = input.features.begin() + static_cast<std::ptrdiff_t>(i) * size;
        if (size > 0) out.features.insert(out.features.end(), feature, feature + size);
    }
    return out;
}

}  // namespace throng::test
