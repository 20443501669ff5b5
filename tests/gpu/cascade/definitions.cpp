#include "tests/gpu/cascade/definitions.h"

#include <algorithm>

namespace throng::test {
namespace {

// Integral images of one level, for models without tilted features.
class LevelSums {
public:
    LevelSums(const GrayImage& image, const CascadeLevel& level) : pitch_(level.width + 1) {
        const GrayImage pixels = resized(image, level.width, level.height);
        sum_.assign(static_cast<std::size_t>(pitch_ * (level.height + 1)), 0);
        squares_ = sum_;
        for (int y = 1; y <= level.height; ++y) {
            std::uint32_t row = 0;
            std::uint32_t row_squares = 0;
            for (int x = 1; x <= level.width; ++x) {
                const std::uint32_t p = pixels.pixels[static_cast<std::size_t>((y - 1) * level.width + x - 1)];
                row += p;
                row_squares += p * p;
                const auto at = static_cast<std::size_t>(y * pitch_ + x);
                sum_[at] = sum_[at - static_cast<std::size_t>(pitch_)] + row;
                squares_[at] = squares_[at - static_cast<std::size_t>(pitch_)] + row_squares;
            }
        }
    }

    [[nodiscard]] WindowSums at(const CascadeLevel& level, int i, int j) const {
        const std::ptrdiff_t corner = (j * pitch_ + i) * level.step;
        return {sum_.data() + corner, squares_.data() + corner, nullptr, pitch_};
    }

private:
    std::ptrdiff_t pitch_;
    std::vector<std::uint32_t> sum_, squares_;
};

template <typename Visit>
void for_each_level(const CascadeModel& model, const GrayImage& image, const DetectorParams& params,
                    const Visit& visit) {
    for (const CascadeLevel& level : cascade_levels(image.width, image.height, model.window_width, model.window_height,
                                                    params.scale_factor, params.min_size, params.max_size)) {
        visit(level, LevelSums(image, level));
    }
}

}  // namespace

std::vector<ScoredBox> masked_detections(const CascadeModel& model, const GrayImage& image,
                                         const DetectorParams& params,
                                         const std::function<bool(const Box&)>& is_candidate) {
    std::vector<ScoredBox> found;
    for_each_level(model, image, params, [&](const CascadeLevel& level, const LevelSums& sums) {
        for (int j = 0; j < level.rows; ++j) {
            for (int i = 0; i < level.columns; ++i) {
                const Box box = window_box(level, i, j, image.width, image.height);
                if (!is_candidate(box)) continue;
                const WindowResult window = evaluate_window(model.view(), sums.at(level, i, j));
                if (window.stages_passed == 0) ++i;
                if (window.stages_passed == static_cast<int>(model.stages.size())) found.push_back({box, window.score});
            }
        }
    });
    return found;
}

std::vector<ScoredBox> strided_detections(const CascadeModel& model, const GrayImage& image,
                                          const DetectorParams& params, int stride, int stages) {
    std::vector<ScoredBox> found;
    for_each_level(model, image, params, [&](const CascadeLevel& level, const LevelSums& sums) {
        const auto passed = [&](int i, int j) {
            return evaluate_window(model.view(), sums.at(level, i, j)).stages_passed;
        };
        std::vector<bool> expected(static_cast<std::size_t>(level.columns * level.rows), false);
        for (int j = 0; j < level.rows; j += stride) {
            for (int i = 0; i < level.columns; i += stride) {
                if (passed(i, j) < stages) continue;
                for (int y = std::max(j - stride + 1, 0); y < std::min(j + stride, level.rows); ++y) {
                    for (int x = std::max(i - stride + 1, 0); x < std::min(i + stride, level.columns); ++x) {
                        expected[static_cast<std::size_t>(y * level.columns + x)] = true;
                    }
                }
            }
        }
        for (int j = 0; j < level.rows; ++j) {
            for (int i = 0; i < level.columns; ++i) {
                if (!expected[static_cast<std::size_t>(j * level.columns + i)]) continue;
                const WindowResult window = evaluate_window(model.view(), sums.at(level, i, j));
                if (window.stages_passed < static_cast<int>(model.stages.size())) continue;
                found.push_back({window_box(level, i, j, image.width, image.height), window.score});
            }
        }
    });
    return found;
}

void keep_trees_of(CascadeModel& model, int nodes) {
    CascadeModel kept = model;
    kept.trees.clear();
    kept.stages.clear();
    for (CascadeStage stage : model.stages) {
        const auto first = static_cast<std::int32_t>(kept.trees.size());
        for (int t = stage.first_tree; t < stage.first_tree + stage.tree_count; ++t) {
            const CascadeTree& tree = model.trees[static_cast<std::size_t>(t)];
            if (tree.node_count == nodes) kept.trees.push_back(tree);
        }
        stage.first_tree = first;
        stage.tree_count = static_cast<std::int32_t>(kept.trees.size()) - first;
        if (stage.tree_count > 0) kept.stages.push_back(stage);
    }
    if (!kept.stages.empty()) model = kept;
}

Frame with_chroma(const GrayImage& image, const std::vector<std::uint8_t>& chroma, bool planar) {
    FramePool pool;
    WritableFrame frame = pool.take(planar ? PixelFormat::yuv420p : PixelFormat::nv12, image.width, image.height);
    for (int y = 0; y < image.height; ++y) {
        std::copy_n(image.pixels.data() + std::ptrdiff_t{y} * image.width, image.width,
                    frame.data(0) + y * frame.plane(0).pitch);
    }
    const int across = (image.width + 1) / 2;
    for (int y = 0; y < (image.height + 1) / 2; ++y) {
        for (int x = 0; x < across; ++x) {
            const auto at = static_cast<std::size_t>(2 * (y * across + x));
            if (planar) {
                frame.data(1)[y * frame.plane(1).pitch + x] = chroma[at];
                frame.data(2)[y * frame.plane(2).pitch + x] = chroma[at + 1];
            } else {
                frame.data(1)[y * frame.plane(1).pitch + 2 * x] = chroma[at];
                frame.data(1)[y * frame.plane(1).pitch + 2 * x + 1] = chroma[at + 1];
            }
        }
    }
    return std::move(frame).finish();
}

}  // namespace throng::test
