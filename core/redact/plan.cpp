#include "core/redact/plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/redact/box_check.h"

namespace throng {
namespace {

constexpr float kAtEdge = 0.2F;       // a box counts as cut if it is closer to the edge than this share of its size
constexpr std::size_t kMinKept = 16;  // detections of a track that are kept for its size and its motion
constexpr std::int64_t kMaxLead = 8;  // frames over which motion is extrapolated; then the region stands still

Box grown(const Box& box, float share) {
    return {box.x - share * box.w, box.y - share * box.h, box.w * (1 + 2 * share), box.h * (1 + 2 * share)};
}

Box union_of(const Box& a, const Box& b) {
    const float left = std::min(a.x, b.x);
    const float top = std::min(a.y, b.y);
    return {left, top, std::max(a.x + a.w, b.x + b.w) - left, std::max(a.y + a.h, b.y + b.h) - top};
}

Box between(const Box& a, const Box& b, float part) {
    const auto mix = [part](float from, float to) { return from + (to - from) * part; };
    return {mix(a.x, b.x), mix(a.y, b.y), mix(a.w, b.w), mix(a.h, b.h)};
}

}  // namespace

Box hidden_box(const Box& box, const PlanOptions& options) {
    const float w = std::max(box.w, options.min_aspect * box.h);
    return {box.x - (w - box.w) / 2, box.y, w, box.h};
}

RedactRegions FramePlan::to_hide() const {
    RedactRegions result;
    result.whole = whole;
    for (const PlannedRegion& region : regions) result.boxes.push_back(region.box);
    return result;
}

RedactPlanner::RedactPlanner(int width, int height, const PlanOptions& options)
    : width_(width),
      height_(height),
      options_(options),
      reach_(std::max({options.extension, options.edge_extension, options.max_gap + 1})) {}

void RedactPlanner::push(const std::vector<FaceBox>& boxes, bool damaged) {
    Pending& frame = pending_.emplace_back();
    frame.whole = damaged;
    for (const FaceBox& face : boxes) {
        if (!face.detected) continue;
        if (!is_judged(face.box)) {
            frame.whole = true;
            continue;
        }
        if (face.track < 0) {
            frame.single.push_back(face);
            frame.single.back().box = hidden_box(face.box, options_);
            continue;
        }
        const auto [entry, is_new] = tracks_.try_emplace(face.track);
        Track& track = entry->second;
        TrackSummary& summary = track.summary;
        if (is_new) {
            summary.track = face.track;
            summary.first = next_push_;
        }
        if (is_new || track.is_past) starts_.push_back({next_push_, face.track});
        track.is_past = false;
        if (is_new || face.score > summary.best_score) {
            summary.best_score = face.score;
            summary.best_frame = next_push_;
            summary.best_box = face.box;
        }
        summary.last = next_push_;
        ++summary.num_detected;
        track.seen.push_back({next_push_, hidden_box(face.box, options_), face.score});
    }
    ++next_push_;
}

void RedactPlanner::finish() {
    decided_ = next_push_;
}

// Returns the union of the boxes near seen[nearest], each moved along the track to `frame`. A single box
// that is off or too small has no effect.
Box RedactPlanner::hull(const Track& track, std::size_t nearest, std::int64_t frame) const {
    const std::deque<Seen>& seen = track.seen;
    const std::int64_t center = seen[nearest].frame;
    std::size_t first = nearest;
    std::size_t last = nearest;
    while (first > 0 && center - seen[first - 1].frame <= options_.window) --first;
    while (last + 1 < seen.size() && seen[last + 1].frame - center <= options_.window) ++last;
    // The velocity of the centers, by least squares.
    double mean_time = 0;
    double mean_x = 0;
    double mean_y = 0;
    const auto count = static_cast<double>(last - first + 1);
    for (std::size_t i = first; i <= last; ++i) {
        mean_time += static_cast<double>(seen[i].frame - center) / count;
        mean_x += static_cast<double>(seen[i].box.x + seen[i].box.w / 2) / count;
        mean_y += static_cast<double>(seen[i].box.y + seen[i].box.h / 2) / count;
    }
    double square = 0;
    double along_x = 0;
    double along_y = 0;
    for (std::size_t i = first; i <= last; ++i) {
        const double time = static_cast<double>(seen[i].frame - center) - mean_time;
        square += time * time;
        along_x += time * (static_cast<double>(seen[i].box.x + seen[i].box.w / 2) - mean_x);
        along_y += time * (static_cast<double>(seen[i].box.y + seen[i].box.h / 2) - mean_y);
    }
    const bool moves = last - first >= 2;
    const double speed_x = moves ? along_x / square : 0;
    const double speed_y = moves ? along_y / square : 0;
    Box result{};
    for (std::size_t i = first; i <= last; ++i) {
        const auto time = static_cast<double>(frame - seen[i].frame);
        Box box = seen[i].box;
        box.x += static_cast<float>(speed_x * time);
        box.y += static_cast<float>(speed_y * time);
        result = i == first ? box : union_of(result, box);
    }
    return result;
}

// A detector reports the visible part of a face that the edge of the frame cuts. Extends such a box to its size before,
// out of the frame.
Box RedactPlanner::beyond_edges(const Track& track, std::size_t nearest, Box box) const {
    float full_w = box.w;
    float full_h = box.h;
    const std::deque<Seen>& seen = track.seen;
    const std::int64_t center = seen[nearest].frame;
    const auto include = [&](const Seen& each) {
        full_w = std::max(full_w, each.box.w);
        full_h = std::max(full_h, each.box.h);
    };
    // A track may be as long as the video: looks at its detections around this one only.
    for (std::size_t i = nearest; i < seen.size() && seen[i].frame - center <= options_.edge_extension; ++i) {
        include(seen[i]);
    }
    for (std::size_t i = nearest; i > 0 && center - seen[i - 1].frame <= options_.edge_extension; --i) {
        include(seen[i - 1]);
    }
    const auto far_right = static_cast<float>(width_) - kAtEdge * full_w;
    const auto far_bottom = static_cast<float>(height_) - kAtEdge * full_h;
    const bool left = box.x < kAtEdge * full_w;
    const bool right = box.x + box.w > far_right;
    const bool top = box.y < kAtEdge * full_h;
    const bool bottom = box.y + box.h > far_bottom;
    if (!left && !right && !top && !bottom) return box;
    // Grows away from the center of the frame; to both sides along an edge.
    const float more_w = full_w - box.w;
    const float more_h = full_h - box.h;
    box.x -= left == right ? more_w / 2 : (left ? more_w : 0);
    box.y -= top == bottom ? more_h / 2 : (top ? more_h : 0);
    box.w = full_w;
    box.h = full_h;
    return box;
}

int RedactPlanner::extension_of(const Track& track, const Box& box) const {
    if (track.summary.num_detected < options_.min_extended) return 0;
    const bool at_edge = box.x < kAtEdge * box.w || box.y < kAtEdge * box.h ||
                         box.x + box.w > static_cast<float>(width_) - kAtEdge * box.w ||
                         box.y + box.h > static_cast<float>(height_) - kAtEdge * box.h;
    return at_edge ? options_.edge_extension : options_.extension;
}

std::optional<PlannedRegion> RedactPlanner::region_of(const Track& track, std::int64_t frame) const {
    const std::deque<Seen>& seen = track.seen;
    const auto after = std::lower_bound(seen.begin(), seen.end(), frame,
                                        [](const Seen& each, std::int64_t number) { return each.frame < number; });
    const auto next = static_cast<std::size_t>(after - seen.begin());
    const bool has_next = next < seen.size();
    const bool has_previous = next > 0;
    PlannedRegion region;
    region.track = track.summary.track;
    const auto hide = [&](std::size_t nearest, RegionReason reason, Box box) {
        const auto distance = static_cast<float>(std::abs(frame - seen[nearest].frame));
        region.box =
            grown(beyond_edges(track, nearest, box), std::min(options_.growth * distance, options_.max_growth));
        region.score = seen[nearest].score;
        region.reason = reason;
        return region;
    };
    if (has_next && seen[next].frame == frame) return hide(next, RegionReason::detected, hull(track, next, frame));
    const std::int64_t since = has_previous ? frame - seen[next - 1].frame : 0;
    const std::int64_t until = has_next ? seen[next].frame - frame : 0;
    if (has_previous && has_next && since + until - 1 <= options_.max_gap) {
        const float part = static_cast<float>(since) / static_cast<float>(since + until);
        const Box box = between(hull(track, next - 1, seen[next - 1].frame), hull(track, next, seen[next].frame), part);
        return hide(since <= until ? next - 1 : next, RegionReason::filled, box);
    }
    // A face at the edge moves on out of the frame. Elsewhere the region stands still after a few frames.
    const auto lead = [&](std::size_t at, std::int64_t distance) {
        const int extension = extension_of(track, seen[at].box);
        return extension == options_.edge_extension ? distance : std::min(distance, kMaxLead);
    };
    if (has_next && until <= extension_of(track, seen[next].box)) {
        return hide(next, RegionReason::extended, hull(track, next, seen[next].frame - lead(next, until)));
    }
    if (has_previous && since <= extension_of(track, seen[next - 1].box)) {
        return hide(next - 1, RegionReason::extended,
                    hull(track, next - 1, seen[next - 1].frame + lead(next - 1, since)));
    }
    return std::nullopt;
}

void RedactPlanner::start_tracks() {
    for (; !starts_.empty() && starts_.front().frame - reach_ <= next_pop_; starts_.pop_front()) {
        const std::int64_t id = starts_.front().track;
        active_.emplace(id, &tracks_.at(id));
    }
}

std::optional<FramePlan> RedactPlanner::pop() {
    const bool decided = next_pop_ < decided_ || next_push_ - next_pop_ > options_.delay;
    if (pending_.empty() || !decided) return std::nullopt;
    FramePlan plan;
    plan.number = next_pop_;
    plan.whole = pending_.front().whole;
    for (const FaceBox& face : pending_.front().single) {
        plan.regions.push_back({face.box, -1, RegionReason::detected, face.score});
    }
    start_tracks();
    for (auto entry = active_.begin(); entry != active_.end();) {
        Track& track = *entry->second;
        TrackSummary& summary = track.summary;
        if (const std::optional<PlannedRegion> region = region_of(track, next_pop_)) {
            plan.regions.push_back(*region);
            if (region->reason == RegionReason::filled) ++summary.num_filled;
            if (region->reason == RegionReason::extended) ++summary.num_extended;
            track.gap = region->reason == RegionReason::filled ? track.gap + 1 : 0;
            summary.longest_gap = std::max(summary.longest_gap, track.gap);
        }
        // The last detection before the next frame is still needed.
        const std::int64_t oldest = next_pop_ - options_.edge_extension;
        while (track.seen.size() > kMinKept && track.seen[kMinKept].frame <= oldest) track.seen.pop_front();
        track.is_past = summary.last + reach_ <= next_pop_;
        if (!track.is_past) {
            ++entry;
            continue;
        }
        const std::int64_t id = entry->first;
        entry = active_.erase(entry);
        if (options_.delay != PlanOptions::kWholeSequence) tracks_.erase(id);
    }
    pending_.pop_front();
    ++next_pop_;
    return plan;
}

std::vector<TrackSummary> RedactPlanner::tracks() const {
    std::vector<TrackSummary> result;
    for (const auto& [id, track] : tracks_) result.push_back(track.summary);
    for (TrackSummary& track : result) {
        track.is_short = track.num_detected <= options_.short_track;
        track.has_low_score = track.best_score < options_.low_score;
        track.has_long_gap = track.longest_gap >= options_.long_gap;
    }
    return result;
}

}  // namespace throng
