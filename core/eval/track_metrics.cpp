#include "core/eval/track_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/eval/average_precision.h"
#include "core/track/assignment.h"

namespace throng {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr std::size_t kThresholds = 19;  // 0.05 to 0.95
using Index = int;
using Pair = std::pair<Index, Index>;  // numbers of a true and a found identity

// A pair of boxes of one frame that overlap.
struct BoxPair {
    int truth, found;  // positions in the frame
    double iou;
};

// One frame with dense numbers instead of ids.
struct FrameBoxes {
    std::vector<Index> truth, found;
    std::vector<BoxPair> overlaps;
};

struct Sequence {
    std::vector<FrameBoxes> frames;
    std::vector<std::int64_t> truth_count, found_count;  // boxes of each identity
    std::int64_t faces = 0;
    std::int64_t boxes = 0;
};

Sequence numbered(const std::vector<TrackFrame>& input) {
    Sequence sequence;
    std::unordered_map<std::int64_t, Index> truth_numbers, found_numbers;
    const auto number = [](std::unordered_map<std::int64_t, Index>& numbers, std::vector<std::int64_t>& counts,
                           std::int64_t id) {
        const auto [at, is_new] = numbers.try_emplace(id, static_cast<Index>(counts.size()));
        if (is_new) counts.push_back(0);
        ++counts[static_cast<std::size_t>(at->second)];
        return at->second;
    };
    for (const TrackFrame& in : input) {
        FrameBoxes frame;
        for (const IdBox& box : in.truth) {
            frame.truth.push_back(number(truth_numbers, sequence.truth_count, box.id));
        }
        for (const IdBox& box : in.found) {
            frame.found.push_back(number(found_numbers, sequence.found_count, box.id));
        }
        for (std::size_t t = 0; t < in.truth.size(); ++t) {
            for (std::size_t f = 0; f < in.found.size(); ++f) {
                const double iou = intersection_over_union(in.truth[t].box, in.found[f].box);
                if (iou > 0) frame.overlaps.push_back({static_cast<int>(t), static_cast<int>(f), iou});
            }
        }
        sequence.faces += static_cast<std::int64_t>(frame.truth.size());
        sequence.boxes += static_cast<std::int64_t>(frame.found.size());
        sequence.frames.push_back(std::move(frame));
    }
    return sequence;
}

Pair identities(const FrameBoxes& frame, const BoxPair& overlap) {
    return {frame.truth[static_cast<std::size_t>(overlap.truth)], frame.found[static_cast<std::size_t>(overlap.found)]};
}

// Returns the overlaps of the matching with the highest sum of scores. score: of an overlap, at least 0.
template <typename Score>
std::vector<BoxPair> best_matches(const FrameBoxes& frame, const Score& score) {
    std::vector<AssignmentPair> pairs;
    std::map<std::pair<int, int>, const BoxPair*> by_position;
    for (const BoxPair& overlap : frame.overlaps) {
        const double value = score(overlap);
        if (value <= 0) continue;
        pairs.push_back({overlap.truth, overlap.found, -value});
        by_position[{overlap.truth, overlap.found}] = &overlap;
    }
    const std::vector<int> found =
        assign(static_cast<int>(frame.truth.size()), static_cast<int>(frame.found.size()), pairs, 0);
    std::vector<BoxPair> matches;
    for (std::size_t t = 0; t < found.size(); ++t) {
        if (found[t] >= 0) matches.push_back(*by_position.at({static_cast<int>(t), found[t]}));
    }
    return matches;
}

double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

void compute_hota(const Sequence& sequence, double iou, TrackMetrics& metrics) {
    std::array<double, kThresholds + 1> thresholds{};
    for (std::size_t i = 0; i < kThresholds; ++i) thresholds[i] = 0.05 * static_cast<double>(i + 1);
    thresholds[kThresholds] = iou;

    // How well two identities fit over all frames, before any matching.
    std::map<Pair, double> fit;
    for (const FrameBoxes& frame : sequence.frames) {
        std::vector<double> truth_sum(frame.truth.size(), 0), found_sum(frame.found.size(), 0);
        for (const BoxPair& overlap : frame.overlaps) {
            truth_sum[static_cast<std::size_t>(overlap.truth)] += overlap.iou;
            found_sum[static_cast<std::size_t>(overlap.found)] += overlap.iou;
        }
        for (const BoxPair& overlap : frame.overlaps) {
            const double all = truth_sum[static_cast<std::size_t>(overlap.truth)] +
                               found_sum[static_cast<std::size_t>(overlap.found)] - overlap.iou;
            if (all > kEpsilon) fit[identities(frame, overlap)] += overlap.iou / all;
        }
    }
    const auto boxes_of = [&](const Pair& pair) {
        return std::pair(static_cast<double>(sequence.truth_count[static_cast<std::size_t>(pair.first)]),
                         static_cast<double>(sequence.found_count[static_cast<std::size_t>(pair.second)]));
    };
    for (auto& [pair, value] : fit) {
        const auto [truth, found] = boxes_of(pair);
        value /= truth + found - value;
    }

    std::array<double, kThresholds + 1> matches{}, overlap_sum{};
    std::map<Pair, std::array<std::int64_t, kThresholds + 1>> counts;
    for (const FrameBoxes& frame : sequence.frames) {
        const auto score = [&](const BoxPair& overlap) { return fit[identities(frame, overlap)] * overlap.iou; };
        for (const BoxPair& overlap : best_matches(frame, score)) {
            for (std::size_t i = 0; i < thresholds.size(); ++i) {
                if (overlap.iou < thresholds[i] - kEpsilon) continue;
                matches[i] += 1;
                overlap_sum[i] += overlap.iou;
                ++counts[identities(frame, overlap)][i];
            }
        }
    }

    std::array<HotaScores, kThresholds + 1> scores;
    for (const auto& [pair, by_threshold] : counts) {
        const auto [truth, found] = boxes_of(pair);
        for (std::size_t i = 0; i < thresholds.size(); ++i) {
            const auto count = static_cast<double>(by_threshold[i]);
            scores[i].ass_a += count * ratio(count, truth + found - count);
            scores[i].ass_re += count * ratio(count, truth);
            scores[i].ass_pr += count * ratio(count, found);
        }
    }
    for (std::size_t i = 0; i < thresholds.size(); ++i) {
        HotaScores& s = scores[i];
        for (double* part : {&s.ass_a, &s.ass_re, &s.ass_pr}) *part = ratio(*part, matches[i]);
        s.det_a = ratio(matches[i], static_cast<double>(sequence.faces + sequence.boxes) - matches[i]);
        s.loc_a = matches[i] > 0 ? overlap_sum[i] / matches[i] : 1;
        s.hota = std::sqrt(s.det_a * s.ass_a);
    }
    metrics.at_iou = scores[kThresholds];
    for (std::size_t i = 0; i < kThresholds; ++i) {
        const HotaScores& s = scores[i];
        metrics.hota.hota += s.hota / kThresholds;
        metrics.hota.det_a += s.det_a / kThresholds;
        metrics.hota.ass_a += s.ass_a / kThresholds;
        metrics.hota.ass_re += s.ass_re / kThresholds;
        metrics.hota.ass_pr += s.ass_pr / kThresholds;
        metrics.hota.loc_a += s.loc_a / kThresholds;
    }
}

void compute_clear(const Sequence& sequence, double iou, TrackMetrics& metrics) {
    constexpr double kContinued = 1000;  // a match of the previous frame goes on, whatever the overlap
    const std::size_t identities_count = sequence.truth_count.size();
    std::vector<Index> last(identities_count, -1);      // found identity of the last match
    std::vector<Index> previous(identities_count, -1);  // of the match in the previous frame that has boxes of both
    std::vector<std::int64_t> starts(identities_count, 0);
    double overlap_sum = 0;
    for (const FrameBoxes& frame : sequence.frames) {
        // TrackEval leaves the state of the previous frame unchanged here.
        if (frame.truth.empty() || frame.found.empty()) continue;
        const auto score = [&](const BoxPair& overlap) {
            if (overlap.iou < iou - kEpsilon) return 0.0;
            const auto [truth, found] = identities(frame, overlap);
            return (previous[static_cast<std::size_t>(truth)] == found ? kContinued : 0) + overlap.iou;
        };
        std::vector<Index> current(identities_count, -1);
        for (const BoxPair& overlap : best_matches(frame, score)) {
            const auto [identity, found] = identities(frame, overlap);
            const auto truth = static_cast<std::size_t>(identity);
            if (last[truth] >= 0 && last[truth] != found) ++metrics.switches;
            if (previous[truth] < 0) ++starts[truth];
            last[truth] = current[truth] = found;
            ++metrics.matches;
            overlap_sum += overlap.iou;
        }
        previous = std::move(current);
    }
    for (const std::int64_t count : starts) metrics.fragmentations += std::max<std::int64_t>(count - 1, 0);
    metrics.faces = sequence.faces;
    metrics.misses = sequence.faces - metrics.matches;
    metrics.wrong = sequence.boxes - metrics.matches;
    const auto faces = static_cast<double>(sequence.faces);
    metrics.mota = ratio(static_cast<double>(metrics.matches - metrics.wrong - metrics.switches), faces);
    metrics.motp = ratio(overlap_sum, static_cast<double>(metrics.matches));
}

void compute_identity(const Sequence& sequence, double iou, TrackMetrics& metrics) {
    std::map<Pair, std::int64_t> counts;
    for (const FrameBoxes& frame : sequence.frames) {
        for (const BoxPair& overlap : frame.overlaps) {
            if (overlap.iou >= iou) ++counts[identities(frame, overlap)];
        }
    }
    std::vector<AssignmentPair> pairs;
    for (const auto& [pair, count] : counts) pairs.push_back({pair.first, pair.second, -static_cast<double>(count)});
    const std::vector<int> found =
        assign(static_cast<int>(sequence.truth_count.size()), static_cast<int>(sequence.found_count.size()), pairs, 0);
    for (std::size_t truth = 0; truth < found.size(); ++truth) {
        if (found[truth] >= 0) metrics.id_matches += counts.at({static_cast<Index>(truth), found[truth]});
    }
    metrics.id_misses = sequence.faces - metrics.id_matches;
    metrics.id_wrong = sequence.boxes - metrics.id_matches;
    metrics.idf1 =
        ratio(2.0 * static_cast<double>(metrics.id_matches), static_cast<double>(sequence.faces + sequence.boxes));
}

}  // namespace

TrackMetrics compute_track_metrics(const std::vector<TrackFrame>& frames, double iou) {
    const Sequence sequence = numbered(frames);
    TrackMetrics metrics;
    compute_hota(sequence, iou, metrics);
    compute_clear(sequence, iou, metrics);
    compute_identity(sequence, iou, metrics);
    return metrics;
}

}  // namespace throng
