// Names of the NMS choices on the command line, in configuration files, in JSON and in the window.
#pragma once

#include <string_view>
#include <utility>

#include "core/base/choice_names.h"
#include "core/detect/nms.h"

namespace throng {

inline constexpr std::pair<std::string_view, NmsRule> kNmsRuleNames[] = {
    {"one-pass", NmsRule::one_pass},
    {"greedy", NmsRule::greedy},
    {"soft-linear", NmsRule::soft_linear},
    {"soft-gaussian", NmsRule::soft_gaussian},
};
inline constexpr std::pair<std::string_view, Overlap> kOverlapNames[] = {
    {"iou", Overlap::iou},
    {"suppressor", Overlap::suppressor},
    {"min", Overlap::min},
};
inline constexpr std::pair<std::string_view, PairRule> kPairRuleNames[] = {
    {"overlap", PairRule::overlap},
    {"adaptive", PairRule::adaptive},
    {"feature", PairRule::feature},
};
inline constexpr std::pair<std::string_view, PixelConvention> kPixelNames[] = {
    {"continuous", PixelConvention::continuous},
    {"inclusive", PixelConvention::inclusive},
};
inline constexpr std::pair<std::string_view, Ties> kTiesNames[] = {
    {"total", Ties::total},
    {"strict", Ties::strict},
    {"index", Ties::index},
};
inline constexpr std::pair<std::string_view, Compare> kCompareNames[] = {
    {"at-least", Compare::at_least},
    {"above", Compare::above},
};
inline constexpr std::pair<std::string_view, Merge> kMergeNames[] = {
    {"none", Merge::none},
    {"mean", Merge::mean},
    {"weighted", Merge::weighted},
};
inline constexpr std::pair<std::string_view, NmsKernels> kKernelNames[] = {
    {"fast", NmsKernels::fast},
    {"paper", NmsKernels::paper},
};

}  // namespace throng
