#include "core/eval/average_precision.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/algo/box_size.h"
#include "core/base/error.h"

namespace throng {
namespace {

double intersection(const Box& a, const Box& b) {
    const double left = std::max<double>(a.x, b.x);
    const double top = std::max<double>(a.y, b.y);
    const double right = std::min(static_cast<double>(a.x) + static_cast<double>(a.w),
                                  static_cast<double>(b.x) + static_cast<double>(b.w));
    const double bottom = std::min(static_cast<double>(a.y) + static_cast<double>(a.h),
                                   static_cast<double>(b.y) + static_cast<double>(b.h));
    return std::max(0.0, right - left) * std::max(0.0, bottom - top);
}

}  // namespace

void check_options(const MatchOptions& options) {
    if (!(options.iou > 0.0 && options.iou <= 1.0))
        throw Error(ErrorKind::usage, "must be above 0 and at most 1", Setting{"iou"});
    if (!(options.min_size >= 0.0 && options.min_size <= 1e6))
        throw Error(ErrorKind::usage, "must be at least 0 pixels", Setting{"min_size"});
}

double intersection_over_union(const Box& a, const Box& b) {
    const double common = intersection(a, b);
    return common > 0.0 ? common / (area(a) + area(b) - common) : 0.0;
}

double rank_of(const ScoredBox& detection, Rank rank) {
    switch (rank) {
        case Rank::confidence: return detection.confidence.value_or(detection.score);
        case Rank::score: return detection.score;
        // Compress the score into less than one hit, so that it orders detections with the same hits.
        case Rank::hits: return detection.hits + 0.25 * detection.score / (1.0 + std::abs(detection.score));
        case Rank::score_times_hits: return detection.score * detection.hits;
    }
    return 0;
}

MatchResult& MatchResult::operator+=(const MatchResult& other) {
    faces += other.faces;
    correct += other.correct;
    wrong += other.wrong;
    ignored += other.ignored;
    outcomes.insert(outcomes.end(), other.outcomes.begin(), other.outcomes.end());
    heights.insert(heights.end(), other.heights.begin(), other.heights.end());
    return *this;
}

MatchResult match(const std::vector<TruthFace>& truth, const std::vector<ScoredBox>& detections,
                  const MatchOptions& options) {
    const auto ignored = [&options](const TruthFace& face) {
        return face.ignore || smaller_side(face.box) < options.min_size;
    };

    MatchResult result;
    for (const TruthFace& face : truth) {
        if (!ignored(face)) result.heights.push_back(static_cast<double>(face.box.h));
    }
    result.faces = static_cast<std::int64_t>(result.heights.size());

    std::vector<std::size_t> order(detections.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return rank_of(detections[a], options.rank) > rank_of(detections[b], options.rank);
    });

    std::vector<bool> taken(truth.size(), false);
    for (const std::size_t d : order) {
        const Box& box = detections[d].box;
        std::size_t best = truth.size();
        double best_overlap = options.iou;
        bool excused = smaller_side(box) < options.min_size;
        for (std::size_t t = 0; t < truth.size(); ++t) {
            const double overlap = intersection_over_union(box, truth[t].box);
            if (ignored(truth[t])) {
                excused = excused || overlap >= options.iou || intersection(box, truth[t].box) > 0.5 * area(box);
            } else if (!taken[t] && overlap >= best_overlap && (best == truth.size() || overlap > best_overlap)) {
                best = t;
                best_overlap = overlap;
            }
        }
        const bool correct = best < truth.size();
        if (correct) taken[best] = true;
        if (!correct && excused) {
            ++result.ignored;
            continue;
        }
        ++(correct ? result.correct : result.wrong);
        const Box& measured = correct ? truth[best].box : box;
        result.outcomes.push_back({rank_of(detections[d], options.rank), correct, static_cast<double>(measured.h)});
    }
    return result;
}

std::optional<double> precision(const MatchResult& result) {
    const auto all = static_cast<double>(result.correct + result.wrong);
    return all > 0 ? std::optional(static_cast<double>(result.correct) / all) : std::nullopt;
}

std::optional<double> recall(const MatchResult& result) {
    return result.faces > 0 ? std::optional(static_cast<double>(result.correct) / static_cast<double>(result.faces))
                            : std::nullopt;
}

std::vector<CurvePoint> precision_recall_curve(const MatchResult& result) {
    std::vector<CurvePoint> curve;
    if (result.faces == 0) return curve;
    std::vector<RankedOutcome> sorted = result.outcomes;
    std::sort(sorted.begin(), sorted.end(),
              [](const RankedOutcome& a, const RankedOutcome& b) { return a.rank > b.rank; });
    std::int64_t correct = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        correct += sorted[i].correct ? 1 : 0;
        if (i + 1 < sorted.size() && sorted[i + 1].rank == sorted[i].rank) continue;
        const auto hits = static_cast<double>(correct);
        curve.push_back({sorted[i].rank, hits / static_cast<double>(i + 1), hits / static_cast<double>(result.faces)});
    }
    return curve;
}

std::optional<double> average_precision(const MatchResult& result) {
    if (result.faces == 0) return std::nullopt;
    const std::vector<CurvePoint> curve = precision_recall_curve(result);
    double sum = 0;
    double best_precision = 0;
    for (std::size_t k = curve.size(); k-- > 0;) {
        best_precision = std::max(best_precision, curve[k].precision);
        sum += (curve[k].recall - (k > 0 ? curve[k - 1].recall : 0.0)) * best_precision;
    }
    return sum;
}

}  // namespace throng
