#include "core/redact/plan.h"

#include <algorithm>
#include <cmath>

#include "core/redact/box_check.h"

namespace throng {
namespace {

constexpr float kAtEdge = 0.2F;       // a box counts as cut if it is closer to the edge than this share of its size
constexpr std::size_t kMinKept = 16;  // detections of a track that are kept for its size and its motion
constexpr std::int64_t kMaxLead = 8;  // frames over which motion is extrapolated; then the region stops

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

Box grown(const Box& box, float share) {
    return {box.x - share * box.w, box.y - share * box.h, box.w * (1 + 2 * share), box.h * (1 + 2 * share)};
}

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
    : options_(options),
      reach_(std::max({options.extension, options.edge_extension, options.max_gap + 1})),
      scene_(std::make_shared<Scene>(Scene{width, height, 0})) {}

void RedactPlanner::begin_scene(int width, int height) {
    finish();
    scene_->end = next_push_;
    scene_ = std::make_shared<Scene>(Scene{width, height, next_push_});
}

void RedactPlanner::push(const std::vector<FaceBox>& boxes, bool damaged) {
    bool whole = damaged;
    for (const FaceBox& face : boxes) {
        if (!face.detected) continue;
        if (!is_judged(face.box)) {
            whole = true;
            continue;
        }
        if (face.track < 0) {
            singles_.push_back({next_push_, face});
            continue;
        }
        const auto [entry, is_new] = tracks_.try_emplace(face.track);
        Track& track = entry->second;
        TrackSummary& summary = track.summary;
        if (is_new) {
            summary.track = face.track;
            summary.first = next_push_;
            track.scene = scene_;
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
        track.seen.push_back({next_push_, face.box, face.score});
    }
    if (whole) whole_.push_back(next_push_);
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
    const auto count = static_cast<double>(last - first + 1);
    for (std::size_t i = first; i <= last; ++i) mean_time += static_cast<double>(seen[i].frame - center) / count;
    double square = 0;
    double along_x = 0;
    double along_y = 0;
    for (std::size_t i = first; i <= last; ++i) {
        const Box box = hidden(seen[i]);
        const double time = static_cast<double>(seen[i].frame - center) - mean_time;
        square += time * time;
        along_x += time * static_cast<double>(box.x + box.w / 2);
        along_y += time * static_cast<double>(box.y + box.h / 2);
    }
    const bool moves = last - first >= 2;
    const double speed_x = moves ? along_x / square : 0;
    const double speed_y = moves ? along_y / square : 0;
    Box result{};
    for (std::size_t i = first; i <= last; ++i) {
        const auto time = static_cast<double>(frame - seen[i].frame);
        Box box = hidden(seen[i]);
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
        const Box each_box = hidden(each);
        full_w = std::max(full_w, each_box.w);
        full_h = std::max(full_h, each_box.h);
    };
    // A track may be as long as the video: looks at its detections around this one only.
    for (std::size_t i = nearest; i < seen.size() && seen[i].frame - center <= options_.edge_extension; ++i) {
        include(seen[i]);
    }
    for (std::size_t i = nearest; i > 0 && center - seen[i - 1].frame <= options_.edge_extension; --i) {
        include(seen[i - 1]);
    }
    const auto far_right = static_cast<float>(track.scene->width) - kAtEdge * full_w;
    const auto far_bottom = static_cast<float>(track.scene->height) - kAtEdge * full_h;
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
                         box.x + box.w > static_cast<float>(track.scene->width) - kAtEdge * box.w ||
                         box.y + box.h > static_cast<float>(track.scene->height) - kAtEdge * box.h;
    return at_edge ? options_.edge_extension : options_.extension;
}

std::optional<PlannedRegion> RedactPlanner::region_of(const Track& track, std::int64_t frame) const {
    if (frame < track.scene->begin || frame >= track.scene->end) return std::nullopt;
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
    // A face at the edge moves on out of the frame. Elsewhere the region stops after a few frames.
    const auto extend = [&](std::size_t from, std::int64_t distance, int direction) -> std::optional<PlannedRegion> {
        const int extension = extension_of(track, hidden(seen[from]));
        if (distance > extension) return std::nullopt;
        const std::int64_t lead = extension == options_.edge_extension ? distance : std::min(distance, kMaxLead);
        return hide(from, RegionReason::extended, hull(track, from, seen[from].frame + direction * lead));
    };
    std::optional<PlannedRegion> from_previous, from_next;
    if (has_previous) from_previous = extend(next - 1, since, 1);
    if (has_next) from_next = extend(next, until, -1);
    if (!from_previous || !from_next) return from_previous ? from_previous : from_next;
    // Both ends of a long gap reach this frame: the face is at one of them, or between.
    PlannedRegion& nearest = since <= until ? *from_previous : *from_next;
    nearest.box = union_of(from_previous->box, from_next->box);
    return nearest;
}

void RedactPlanner::start_tracks() {
    for (; !starts_.empty() && starts_.front().frame - reach_ <= next_pop_; starts_.pop_front()) {
        const std::int64_t id = starts_.front().track;
        active_.emplace(id, &tracks_.at(id));
    }
}

std::optional<FramePlan> RedactPlanner::pop() {
    const bool decided = next_pop_ < decided_ || next_push_ - next_pop_ > options_.delay;
    if (next_pop_ == next_push_ || !decided) return std::nullopt;
    FramePlan plan;
    plan.number = next_pop_;
    if (!whole_.empty() && whole_.front() == next_pop_) {
        plan.whole = true;
        whole_.pop_front();
    }
    for (; !singles_.empty() && singles_.front().frame == next_pop_; singles_.pop_front()) {
        const FaceBox& face = singles_.front().face;
        plan.regions.push_back({hidden_box(face.box, options_), -1, RegionReason::detected, face.score});
    }
    start_tracks();
    for (auto entry = active_.begin(); entry != active_.end();) {
        Track& track = *entry->second;
        if (const std::optional<PlannedRegion> region = region_of(track, next_pop_)) plan.regions.push_back(*region);
        const bool forgets = options_.delay != PlanOptions::kWholeSequence;
        // The last detection before the next frame is still needed.
        const std::int64_t oldest = next_pop_ - options_.edge_extension;
        while (forgets && track.seen.size() > kMinKept && track.seen[kMinKept].frame <= oldest) track.seen.pop_front();
        track.is_past = track.summary.last + reach_ <= next_pop_;
        if (!track.is_past) {
            ++entry;
            continue;
        }
        const std::int64_t id = entry->first;
        entry = active_.erase(entry);
        if (forgets) tracks_.erase(id);
    }
    ++next_pop_;
    return plan;
}

// Adds what is hidden where the track was not detected.
TrackSummary RedactPlanner::summary_of(const Track& track) const {
    TrackSummary summary = track.summary;
    std::int64_t gap = 0;
    const std::int64_t end = std::min({summary.last + reach_ + 1, track.scene->end, next_push_});
    for (std::int64_t frame = std::max(summary.first - reach_, track.scene->begin); frame < end; ++frame) {
        const std::optional<PlannedRegion> region = region_of(track, frame);
        if (!region) continue;
        const bool is_filled = region->reason == RegionReason::filled;
        if (is_filled) ++summary.num_filled;
        if (region->reason == RegionReason::extended) ++summary.num_extended;
        gap = is_filled ? gap + 1 : 0;
        summary.longest_gap = std::max(summary.longest_gap, gap);
    }
    summary.is_short = summary.num_detected <= options_.short_track;
    summary.has_low_score = summary.best_score < options_.low_score;
    summary.has_long_gap = summary.longest_gap >= options_.long_gap;
    return summary;
}

std::vector<TrackSummary> RedactPlanner::tracks() const {
    std::vector<TrackSummary> result;
    for (const auto& [id, track] : tracks_) result.push_back(summary_of(track));
    return result;
}

std::size_t RedactPlanner::num_kept() const {
    std::size_t kept = singles_.size() + whole_.size() + starts_.size();
    for (const auto& [id, track] : tracks_) kept += track.seen.size();
    return kept;
}

}  // namespace throng
