#include "core/eval/by_height.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace throng {
namespace {

constexpr std::int64_t kFewFaces = 10;

// Returns the lowest rank with at most `wrong` wrong detections among those of this rank or higher.
double lowest_rank(std::vector<RankedOutcome> outcomes, double wrong) {
    std::sort(outcomes.begin(), outcomes.end(), [](const auto& a, const auto& b) { return a.rank > b.rank; });
    double lowest = std::numeric_limits<double>::infinity();
    double count = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        count += outcomes[i].correct ? 0 : 1;
        if (count > wrong) break;
        // Equal ranks are taken or left together.
        if (i + 1 == outcomes.size() || outcomes[i + 1].rank != outcomes[i].rank) lowest = outcomes[i].rank;
    }
    return lowest;
}

}  // namespace

std::vector<HeightResult> results_by_height(const MatchResult& result, std::int64_t images) {
    const auto num_images = static_cast<double>(images);
    const double at_tenth = lowest_rank(result.outcomes, 0.1 * num_images);
    const double at_one = lowest_rank(result.outcomes, num_images);
    std::vector<double> limits{0};
    limits.insert(limits.end(), std::begin(kFaceHeights), std::end(kFaceHeights));
    limits.push_back(std::numeric_limits<double>::infinity());
    std::vector<HeightResult> all;
    for (std::size_t i = 0; i + 1 < limits.size(); ++i) {
        HeightResult of_height;
        of_height.from = limits[i];
        of_height.to = limits[i + 1];
        const auto is_in = [&](double height) { return height >= of_height.from && height < of_height.to; };
        of_height.faces = std::count_if(result.heights.begin(), result.heights.end(), is_in);
        if (of_height.faces == 0) continue;
        MatchResult part;
        part.faces = of_height.faces;
        std::copy_if(result.outcomes.begin(), result.outcomes.end(), std::back_inserter(part.outcomes),
                     [&](const RankedOutcome& outcome) { return is_in(outcome.height); });
        const auto recall_from = [&](double rank) {
            const auto found = std::count_if(part.outcomes.begin(), part.outcomes.end(), [&](const auto& outcome) {
                return outcome.correct && outcome.rank >= rank;
            });
            return static_cast<double>(found) / static_cast<double>(part.faces);
        };
        of_height.recall_at_tenth = recall_from(at_tenth);
        of_height.recall_at_one = recall_from(at_one);
        of_height.ap = average_precision(part);
        all.push_back(of_height);
    }
    return all;
}

std::optional<double> height_found_by_half(const std::vector<HeightResult>& results) {
    std::optional<double> height;
    for (auto each = results.rbegin(); each != results.rend(); ++each) {
        if (each->faces < kFewFaces) continue;
        if (!(each->recall_at_tenth >= 0.5)) break;
        height = each->from;
    }
    return height;
}

}  // namespace throng
