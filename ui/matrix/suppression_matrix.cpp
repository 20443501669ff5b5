#include "ui/matrix/suppression_matrix.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "core/algo/nms_rules.h"

namespace throng::ui {
namespace {

// The pair rule of the parameters, on raw detections.
class Pairs {
public:
    Pairs(const DetectionSet& raw, const NmsParams& nms)
        : raw_(raw),
          nms_(nms),
          extent_(pixel_extent(nms.pixels)),
          theta_(suppression_threshold(nms.compare, nms.theta)) {
        const std::size_t count = raw.detections.size();
        const bool has_density = raw.density.size() == count;
        const bool has_features = raw.feature_size > 0 && raw.features.size() >= count * raw.feature_size;
        if ((nms.pair == PairRule::adaptive && !has_density) || (nms.pair == PairRule::feature && !has_features)) {
            nms_.pair = PairRule::overlap;  // not read back
        }
    }

    [[nodiscard]] bool precedes(std::uint32_t a, std::uint32_t b) const {
        const Detection& i = raw_.detections[a];
        const Detection& j = raw_.detections[b];
        if (nms_.ties == Ties::index) return i.score != j.score ? i.score > j.score : a < b;
        return throng::precedes(i.box, i.score, a, j.box, j.score, b);
    }

    // Returns true if j, which precedes i, suppresses i.
    [[nodiscard]] bool suppresses(std::uint32_t j, std::uint32_t i) const {
        const Detection& to = raw_.detections[i];
        const Detection& from = raw_.detections[j];
        if (!may_suppress(nms_.ties, to.score, from.score)) return false;
        switch (nms_.pair) {
            case PairRule::overlap: return overlap_suppresses(nms_.overlap, to.box, from.box, extent_, theta_);
            case PairRule::adaptive:
                return pair_overlap(Overlap::iou, to.box, from.box, extent_) >=
                       adaptive_threshold(nms_.theta, raw_.density[j]);
            case PairRule::feature: break;
        }
        const auto size = static_cast<std::size_t>(raw_.feature_size);
        return feature_suppresses(pair_overlap(Overlap::iou, to.box, from.box, extent_), nms_.feature_low,
                                  nms_.feature_high, nms_.feature_distance, &raw_.features[i * size],
                                  &raw_.features[j * size], raw_.feature_size);
    }

private:
    const DetectionSet& raw_;
    NmsParams nms_;
    float extent_;
    float theta_;
};

QRgb mixed(QRgb a, QRgb b, double t) {
    const auto channel = [t](int from, int to) { return static_cast<int>(from + t * (to - from) + 0.5); };
    return qRgb(channel(qRed(a), qRed(b)), channel(qGreen(a), qGreen(b)), channel(qBlue(a), qBlue(b)));
}

// The cells of a part of the matrix on the pixels of an image.
class Cells {
public:
    Cells(std::size_t num_rows, const MatrixPart& part, int max_side) : num_rows_(num_rows) {
        const double rows = static_cast<double>(num_rows);
        num_shown_ =
            std::max<std::size_t>(1, std::clamp(static_cast<std::size_t>(std::max(0.0, part.extent) * rows + 0.5),
                                                std::min(kMinMatrixRows, num_rows), num_rows));
        const auto first = [&](double from) {
            return std::min(static_cast<std::size_t>(std::max(0.0, from) * rows + 0.5),
                            num_rows - std::min(num_rows, num_shown_));
        };
        left_ = first(part.left);
        top_ = first(part.top);
        side_ = static_cast<int>(std::min({num_rows, num_shown_, static_cast<std::size_t>(std::max(1, max_side))}));
        effective_.resize(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_));
        ignored_.resize(effective_.size());
    }

    [[nodiscard]] MatrixPart part() const {
        const double rows = static_cast<double>(std::max<std::size_t>(1, num_rows_));
        return {static_cast<double>(left_) / rows, static_cast<double>(top_) / rows,
                static_cast<double>(num_shown_) / rows};
    }

    // Counts a set cell, if it is shown.
    void add(std::size_t row, std::size_t column, bool effective) {
        if (const auto pixel = pixel_of(row, column))
            ++(effective ? effective_ : ignored_)[pixel->second * side_ + pixel->first];
    }

    [[nodiscard]] QImage image(const std::vector<std::uint8_t>& kept, const MatrixColors& colors) const {
        QImage image(side_, side_, QImage::Format_RGB32);
        const double per_pixel = std::max(1.0, static_cast<double>(num_shown_) / std::max(1, side_));
        const auto brightness = [&](std::uint32_t hits) {
            constexpr double kDimmest = 0.45;  // a single cell of a square must be visible
            return per_pixel <= 1 ? 1.0 : kDimmest + (1 - kDimmest) * std::min(1.0, hits / (per_pixel * per_pixel));
        };
        for (int y = 0; y < side_; ++y) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
            for (int x = 0; x < side_; ++x) {
                const std::size_t at = static_cast<std::size_t>(y) * side_ + x;
                line[x] = effective_[at] > 0 ? mixed(colors.empty, colors.effective, brightness(effective_[at]))
                          : ignored_[at] > 0 ? mixed(colors.empty, colors.ignored, brightness(ignored_[at]))
                                             : colors.empty;
            }
        }
        for (std::size_t row = 0; row < kept.size(); ++row) {
            const auto pixel = pixel_of(row, row);
            if (kept[row] != 0 && pixel)
                image.setPixel(static_cast<int>(pixel->first), static_cast<int>(pixel->second), colors.kept);
        }
        return image;
    }

private:
    // Returns x and y.
    [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> pixel_of(std::size_t row,
                                                                              std::size_t column) const {
        if (row < top_ || row - top_ >= num_shown_ || column < left_ || column - left_ >= num_shown_)
            return std::nullopt;
        return std::pair{(column - left_) * side_ / num_shown_, (row - top_) * side_ / num_shown_};
    }

    std::size_t num_rows_;
    std::size_t num_shown_ = 1;  // rows, and as many columns
    std::size_t left_ = 0;
    std::size_t top_ = 0;
    int side_ = 0;
    std::vector<std::uint32_t> effective_, ignored_;  // number of set cells per pixel
};

}  // namespace

std::optional<SuppressionMatrix> compute_matrix(const DetectionSet& raw, const NmsParams& nms, MatrixOrder order,
                                                const MatrixPart& part, int max_side, const MatrixColors& colors,
                                                const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    SuppressionMatrix matrix;
    matrix.nms = nms;
    matrix.order = order;
    matrix.raw = raw;
    const Pairs pairs(raw, nms);

    std::vector<std::uint32_t> ranked;  // raw index by rank
    for (std::uint32_t i = 0; i < raw.detections.size(); ++i) {
        if (is_valid_detection(raw.detections[i].box, raw.detections[i].score)) ranked.push_back(i);
    }
    std::sort(ranked.begin(), ranked.end(), [&](std::uint32_t a, std::uint32_t b) { return pairs.precedes(a, b); });
    const std::size_t count = ranked.size();

    // The greedy rule, and for each rank that of the kept detection that suppresses it.
    std::vector<std::uint8_t> greedy(count), one_pass(count, 1);
    std::vector<std::uint32_t> owners(count), kept;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (stop.stop_requested()) return std::nullopt;
        const auto found = std::find_if(kept.begin(), kept.end(),
                                        [&](std::uint32_t j) { return pairs.suppresses(ranked[j], ranked[i]); });
        owners[i] = found == kept.end() ? i : *found;
        greedy[i] = found == kept.end() ? 1 : 0;
        if (found == kept.end()) kept.push_back(i);
    }

    matrix.ranks.resize(count);
    std::iota(matrix.ranks.begin(), matrix.ranks.end(), 0U);
    if (order == MatrixOrder::cluster) {
        std::stable_sort(matrix.ranks.begin(), matrix.ranks.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return owners[a] < owners[b]; });
    }
    std::vector<std::size_t> row_of(count);
    for (std::size_t row = 0; row < count; ++row) row_of[matrix.ranks[row]] = row;

    Cells all(count, part, max_side), by_kept(count, part, max_side);
    matrix.part = all.part();
    for (std::size_t i = 0; i < count; ++i) {
        if (stop.stop_requested()) return std::nullopt;
        for (std::size_t j = 0; j < i; ++j) {
            if (!pairs.suppresses(ranked[j], ranked[i])) continue;
            one_pass[i] = 0;
            all.add(row_of[i], row_of[j], true);
            by_kept.add(row_of[i], row_of[j], greedy[j] != 0);
        }
    }
    for (const std::uint32_t rank : matrix.ranks) {
        matrix.rows.push_back(ranked[rank]);
        matrix.one_pass.push_back(one_pass[rank]);
        matrix.greedy.push_back(greedy[rank]);
    }
    if (count > 0) {
        matrix.one_pass_image = all.image(matrix.one_pass, colors);
        matrix.greedy_image = by_kept.image(matrix.greedy, colors);
    }
    matrix.compute_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return matrix;
}

std::vector<std::size_t> suppressors_of(const SuppressionMatrix& matrix, std::size_t row, bool greedy) {
    std::vector<std::size_t> found;
    const Pairs pairs(matrix.raw, matrix.nms);
    for (std::size_t other = 0; other < matrix.size(); ++other) {
        if (matrix.ranks[other] < matrix.ranks[row] && (!greedy || matrix.greedy[other] != 0) &&
            pairs.suppresses(matrix.rows[other], matrix.rows[row])) {
            found.push_back(other);
        }
    }
    std::sort(found.begin(), found.end(), [&](auto a, auto b) { return matrix.ranks[a] < matrix.ranks[b]; });
    return found;
}

}  // namespace throng::ui
