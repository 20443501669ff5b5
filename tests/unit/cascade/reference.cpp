#include "tests/unit/cascade/reference.h"

#include <algorithm>
#include <cmath>

#include "core/algo/resize_linear.h"

namespace throng::test {
namespace {

struct Integrals {
    std::ptrdiff_t pitch = 0;
    std::vector<std::uint32_t> sum, squares, tilted;

    explicit Integrals(const GrayImage& image, bool with_tilted) {
        pitch = image.width + 1;
        const auto entries = static_cast<std::size_t>(pitch * (image.height + 1));
        sum.assign(entries, 0);
        squares.assign(entries, 0);
        tilted.assign(entries, 0);
        const auto pixel = [&](int x, int y) -> std::uint32_t {
            return image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                                static_cast<std::size_t>(x)];
        };
        for (int y = 1; y <= image.height; ++y) {
            for (int x = 1; x <= image.width; ++x) {
                const auto at = static_cast<std::size_t>(y * pitch + x);
                const auto up = at - static_cast<std::size_t>(pitch);
                const std::uint32_t p = pixel(x - 1, y - 1);
                sum[at] = p + sum[at - 1] + sum[up] - sum[up - 1];
                squares[at] = p * p + squares[at - 1] + squares[up] - squares[up - 1];
            }
        }
        // As in the definition, a sum over every pixel of the cone. Slow, so for small images only.
        for (int y = 0; with_tilted && y <= image.height; ++y) {
            for (int x = 0; x <= image.width; ++x) {
                std::uint32_t cone = 0;
                for (int v = 0; v < y; ++v) {
                    const int reach = y - 1 - v;
                    const int first = std::max(x - 1 - reach, 0);
                    const int last = std::min(x - 1 + reach, image.width - 1);
                    for (int u = first; u <= last; ++u) cone += pixel(u, v);
                }
                tilted[static_cast<std::size_t>(y * pitch + x)] = cone;
            }
        }
    }

    [[nodiscard]] WindowSums at(int x, int y) const {
        const std::ptrdiff_t corner = y * pitch + x;
        return {sum.data() + corner, squares.data() + corner, tilted.data() + corner, pitch};
    }
};

int pick(std::mt19937_64& random, int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
}

float uniform(std::mt19937_64& random, float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
}

CascadeRect random_rect(std::mt19937_64& random, int width, int height, bool tilted) {
    while (true) {
        CascadeRect r{};
        r.x = static_cast<std::int16_t>(pick(random, 0, width - 1));
        r.y = static_cast<std::int16_t>(pick(random, 0, height - 1));
        r.w = static_cast<std::int16_t>(pick(random, 1, width));
        r.h = static_cast<std::int16_t>(pick(random, 1, height));
        if (tilted ? r.x >= r.h && r.x + r.w <= width && r.y + r.w + r.h <= height
                   : r.x + r.w <= width && r.y + r.h <= height) {
            return r;
        }
    }
}

}  // namespace

GrayImage resized(const GrayImage& image, int width, int height) {
    if (width == image.width && height == image.height) return image;
    GrayImage result{width, height, {}};
    for (int y = 0; y < height; ++y) {
        const ResizeTap ty = resize_tap(y, image.height, height);
        for (int x = 0; x < width; ++x) {
            const ResizeTap tx = resize_tap(x, image.width, width);
            const auto pixel = [&](int dx, int dy) {
                const int u = std::min(tx.offset + dx, image.width - 1);
                const int v = std::min(ty.offset + dy, image.height - 1);
                return image.pixels[static_cast<std::size_t>(v) * static_cast<std::size_t>(image.width) +
                                    static_cast<std::size_t>(u)];
            };
            result.pixels.push_back(resize_pixel(pixel(0, 0), pixel(1, 0), pixel(0, 1), pixel(1, 1), tx, ty));
        }
    }
    return result;
}

std::vector<ScoredBox> reference_detections(const CascadeModel& model, const GrayImage& image,
                                            const DetectorParams& params) {
    std::vector<ScoredBox> result;
    const CascadeView view = model.view();
    for (const CascadeLevel& level : cascade_levels(image.width, image.height, model.window_width, model.window_height,
                                                    params.scale_factor, params.min_size, params.max_size)) {
        const Integrals sums(resized(image, level.width, level.height), model.has_tilted);
        for (int j = 0; j < level.rows; ++j) {
            for (int i = 0; i < level.columns; ++i) {
                const WindowResult window = evaluate_window(view, sums.at(i * level.step, j * level.step));
                if (window.stages_passed == 0) ++i;  // the next one is skipped
                if (window.stages_passed < view.stage_count) continue;
                result.push_back({window_box(level, i, j, image.width, image.height), window.score});
            }
        }
    }
    return result;
}

CascadeModel random_cascade(std::mt19937_64& random, CascadeKind kind, int width, int height, int nodes, bool tilted) {
    CascadeModel model;
    model.name = "random";
    model.kind = kind;
    model.window_width = width;
    model.window_height = height;
    for (int s = 0; s < 6; ++s) {
        CascadeStage stage{static_cast<std::int32_t>(model.trees.size()), pick(random, 1, 8), 0.0F};
        for (int t = 0; t < stage.tree_count; ++t) {
            CascadeTree tree{static_cast<std::int32_t>(model.nodes.size()), pick(random, 1, nodes),
                             static_cast<std::int32_t>(model.leaves.size())};
            // Every node but the root is a child of an earlier one. The remaining children are leaves.
            std::vector<std::int32_t> child(static_cast<std::size_t>(2 * tree.node_count), 0);
            std::vector<std::size_t> open = {0, 1};
            for (int n = 1; n < tree.node_count; ++n) {
                const auto slot = static_cast<std::size_t>(pick(random, 0, static_cast<int>(open.size()) - 1));
                child[open[slot]] = n;
                open.erase(open.begin() + static_cast<std::ptrdiff_t>(slot));
                open.push_back(static_cast<std::size_t>(2 * n));
                open.push_back(static_cast<std::size_t>(2 * n + 1));
            }
            std::int32_t leaf = 0;
            for (const std::size_t slot : open) child[slot] = -leaf++;
            for (int n = 0; n < tree.node_count; ++n) {
                const auto slot = static_cast<std::size_t>(2 * n);
                CascadeNode node{0, uniform(random, -0.3F, 0.3F), child[slot], child[slot + 1]};
                if (kind == CascadeKind::haar) {
                    node.feature = static_cast<std::int32_t>(model.haar.size());
                    HaarFeature f{};
                    f.tilted = tilted && pick(random, 0, 1) == 1 ? 1 : 0;
                    const int rects = pick(random, 0, 9) == 0 ? 1 : pick(random, 2, kHaarRects);
                    float weighted_area = 0;
                    for (int r = 0; r < rects; ++r) {
                        f.rect[r] = random_rect(random, width, height, f.tilted != 0);
                        const auto area = static_cast<float>(f.rect[r].w * f.rect[r].h);
                        // As in trained cascades, a uniform image gives 0.
                        const bool last = rects > 1 && r + 1 == rects;
                        f.weight[r] = last ? -weighted_area / area : uniform(random, -3.0F, 3.0F);
                        weighted_area += f.weight[r] * area;
                    }
                    model.haar.push_back(f);
                } else {
                    node.feature = static_cast<std::int32_t>(model.lbp.size());
                    CascadeRect block{};
                    block.w = static_cast<std::int16_t>(pick(random, 1, width / 3));
                    block.h = static_cast<std::int16_t>(pick(random, 1, height / 3));
                    block.x = static_cast<std::int16_t>(pick(random, 0, width - 3 * block.w));
                    block.y = static_cast<std::int16_t>(pick(random, 0, height - 3 * block.h));
                    model.lbp.push_back({block});
                    for (int w = 0; w < kLbpWords; ++w) model.subsets.push_back(static_cast<std::uint32_t>(random()));
                }
                model.nodes.push_back(node);
            }
            for (int l = 0; l <= tree.node_count; ++l) model.leaves.push_back(uniform(random, -1.0F, 1.0F));
            model.trees.push_back(tree);
        }
        stage.threshold = uniform(random, -1.2F, -0.1F);
        model.stages.push_back(stage);
    }
    for (const HaarFeature& f : model.haar) model.has_tilted |= f.tilted != 0;
    check_model(model);
    return model;
}

GrayImage random_image(std::mt19937_64& random, int width, int height) {
    GrayImage image{width, height, {}};
    const float fx = uniform(random, 0.02F, 0.3F);
    const float fy = uniform(random, 0.02F, 0.3F);
    const int noise = pick(random, 0, 80);
    const int flat_right = pick(random, width / 2, width);  // and a flat part for flat windows
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const float wave =
                128.0F + 70.0F * std::sin(fx * static_cast<float>(x)) * std::cos(fy * static_cast<float>(y));
            const int value = x > flat_right ? 100 : static_cast<int>(wave) + pick(random, -noise, noise);
            image.pixels.push_back(static_cast<std::uint8_t>(std::clamp(value, 0, 255)));
        }
    }
    return image;
}

Frame frame_of(const GrayImage& image) {
    FramePool pool;
    WritableFrame frame = pool.take(PixelFormat::gray8, image.width, image.height);
    for (int y = 0; y < image.height; ++y) {
        std::copy_n(image.pixels.data() + std::ptrdiff_t{y} * image.width, image.width,
                    frame.data(0) + y * frame.plane(0).pitch);
    }
    return std::move(frame).finish();
}

}  // namespace throng::test
