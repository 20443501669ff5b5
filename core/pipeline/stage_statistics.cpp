#include "core/pipeline/stage_statistics.h"

#include <algorithm>
#include <iterator>

namespace throng {
namespace {

constexpr std::string_view kOrder[] = {stage::kDecode,    stage::kUpload,   stage::kGray,       stage::kPyramid,
                                       stage::kIntegral,  stage::kCascade,  stage::kGradient,   stage::kHistogram,
                                       stage::kNormalize, stage::kSvm,      stage::kPreprocess, stage::kNetwork,
                                       stage::kBoxes,     stage::kNmsOrder, stage::kNmsMap,     stage::kNmsReduce,
                                       stage::kDownload,  stage::kTrack,    stage::kTotal};

// Backend-specific stages are ordered between the known stages and the download.
std::size_t rank(std::string_view name) {
    constexpr std::size_t kBackendSpecific = std::size(kOrder);
    const auto* found = std::find(std::begin(kOrder), std::end(kOrder), name);
    const auto at = static_cast<std::size_t>(found - std::begin(kOrder));
    return name == stage::kDownload || name == stage::kTrack || name == stage::kTotal ? kBackendSpecific + at : at;
}

}  // namespace

RollingStatistics& StageStatistics::find(std::string_view name) {
    const auto found = std::find_if(stages_.begin(), stages_.end(), [&](const Entry& e) { return e.name == name; });
    if (found != stages_.end()) return found->statistics;
    const auto after =
        std::find_if(stages_.begin(), stages_.end(), [&](const Entry& e) { return rank(e.name) > rank(name); });
    return stages_.insert(after, Entry{std::string(name), RollingStatistics(window_)})->statistics;
}

void StageStatistics::add(const StageTimes& times) {
    for (const StageTime& time : times) find(time.name).add(time.ms);
}

std::vector<StageSummary> StageStatistics::summaries() const {
    std::vector<StageSummary> result;
    result.reserve(stages_.size());
    for (const Entry& entry : stages_) result.push_back({entry.name, entry.statistics.summary()});
    return result;
}

}  // namespace throng
