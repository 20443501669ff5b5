#include "core/redact/plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace throng {
namespace {

bool is_judged(const Box& box) {
    return std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.x + box.w) &&
           std::isfinite(box.y + box.h) && box.w > 0 && box.h > 0;
}

Box grown(const Box& box, float share) {
    return {box.x - share * box.w, box.y - share * box.h, box.w * (1 + 2 * share), box.h * (1 + 2 * share)};
}

Box between(const Box& a, const Box& b, float part) {
    const auto mix = [part](float from, float to) { return from + (to - from) * part; };
    return {mix(a.x, b.x), mix(a.y, b.y), mix(a.w, b.w), mix(a.h, b.h)};
}

}  // namespace

RedactRegions FramePlan::to_hide() const {
    RedactRegions result;
    result.whole = whole;
    for (const PlannedRegion& region : regions) result.boxes.push_back(region.box);
    return result;
}

RedactPlanner::RedactPlanner(const PlanOptions& options) : options_(options) {}

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
            continue;
        }
        const auto [entry, is_new] = tracks_.try_emplace(face.track);
        Track& track = entry->second;
        TrackSummary& summary = track.summary;
        if (is_new) {
            summary.track = face.track;
            summary.first = next_push_;
        }
        if (is_new || face.score > summary.best_score) {
            summary.best_score = face.score;
            summary.best_frame = next_push_;
            summary.best_box = face.box;
        }
        summary.last = next_push_;
        ++summary.num_detected;
        track.seen.push_back({next_push_, face.box, face.score});
    }
    ++next_push_;
}

void RedactPlanner::finish() {
    finished_ = true;
}

std::optional<PlannedRegion> RedactPlanner::region_of(const Track& track, std::int64_t frame) const {
    const auto after = std::lower_bound(track.seen.begin(), track.seen.end(), frame,
                                        [](const Seen& seen, std::int64_t number) { return seen.frame < number; });
    const Seen* next = after != track.seen.end() ? &*after : nullptr;
    const Seen* previous = after != track.seen.begin() ? &*std::prev(after) : nullptr;
    PlannedRegion region;
    region.track = track.summary.track;
    if (next != nullptr && next->frame == frame) {
        region.box = next->box;
        region.score = next->score;
        return region;
    }
    const auto grow = [&](const Box& box, std::int64_t distance) {
        return grown(box, std::min(options_.growth * static_cast<float>(distance), options_.max_growth));
    };
    if (previous != nullptr && next != nullptr && next->frame - previous->frame - 1 <= options_.max_gap) {
        const std::int64_t from_previous = frame - previous->frame;
        const std::int64_t to_next = next->frame - frame;
        const Seen& nearest = from_previous <= to_next ? *previous : *next;
        const float part = static_cast<float>(from_previous) / static_cast<float>(from_previous + to_next);
        region.box = grow(between(previous->box, next->box, part), std::min(from_previous, to_next));
        region.score = nearest.score;
        region.reason = RegionReason::filled;
        return region;
    }
    region.reason = RegionReason::extended;
    if (next != nullptr && next->frame - frame <= options_.extension) {
        region.box = grow(next->box, next->frame - frame);
        region.score = next->score;
        return region;
    }
    if (previous != nullptr && frame - previous->frame <= options_.extension) {
        region.box = grow(previous->box, frame - previous->frame);
        region.score = previous->score;
        return region;
    }
    return std::nullopt;
}

std::optional<FramePlan> RedactPlanner::pop() {
    const bool decided = finished_ || next_push_ - next_pop_ > options_.delay;
    if (pending_.empty() || !decided) return std::nullopt;
    FramePlan plan;
    plan.number = next_pop_;
    plan.whole = pending_.front().whole;
    for (const FaceBox& face : pending_.front().single) {
        plan.regions.push_back({face.box, -1, RegionReason::detected, face.score});
    }
    for (auto entry = tracks_.begin(); entry != tracks_.end();) {
        Track& track = entry->second;
        TrackSummary& summary = track.summary;
        if (const std::optional<PlannedRegion> region = region_of(track, next_pop_)) {
            plan.regions.push_back(*region);
            if (region->reason == RegionReason::filled) ++summary.num_filled;
            if (region->reason == RegionReason::extended) ++summary.num_extended;
            track.gap = region->reason == RegionReason::filled ? track.gap + 1 : 0;
            summary.longest_gap = std::max(summary.longest_gap, track.gap);
        }
        // The last detection before the next frame is still needed.
        while (track.seen.size() > 1 && track.seen[1].frame <= next_pop_) track.seen.pop_front();
        ++entry;
    }
    pending_.pop_front();
    ++next_pop_;
    return plan;
}

std::vector<TrackSummary> RedactPlanner::tracks() const {
    std::vector<TrackSummary> result = past_;
    for (const auto& [id, track] : tracks_) result.push_back(track.summary);
    std::sort(result.begin(), result.end(),
              [](const TrackSummary& a, const TrackSummary& b) { return a.track < b.track; });
    for (TrackSummary& track : result) {
        track.is_short = track.num_detected <= options_.short_track;
        track.has_low_score = track.best_score < options_.low_score;
        track.has_long_gap = track.longest_gap >= options_.long_gap;
    }
    return result;
}

}  // namespace throng
