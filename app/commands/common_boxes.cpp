#include "app/commands/common_boxes.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace throng {

std::int64_t common_boxes(const DetectionSet& ours, std::vector<cv::Rect> theirs) {
    const auto before = [](const cv::Rect& a, const cv::Rect& b) {
        return std::tuple(a.x, a.y, a.width, a.height) < std::tuple(b.x, b.y, b.width, b.height);
    };
    std::vector<cv::Rect> mine;
    for (const Detection& d : ours.detections) {
        mine.emplace_back(static_cast<int>(d.box.x), static_cast<int>(d.box.y), static_cast<int>(d.box.w),
                          static_cast<int>(d.box.h));
    }
    std::sort(mine.begin(), mine.end(), before);
    std::sort(theirs.begin(), theirs.end(), before);
    std::vector<cv::Rect> both;
    std::set_intersection(mine.begin(), mine.end(), theirs.begin(), theirs.end(), std::back_inserter(both), before);
    return static_cast<std::int64_t>(both.size());
}

}  // namespace throng
