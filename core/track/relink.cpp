#include "core/track/relink.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "core/track/cover.h"
#include "core/track/motion_filter.h"

namespace throng {
namespace {

constexpr double kMaxGap = 3;       // seconds between two pieces of a track
constexpr double kMaxFilled = 0.5;  // seconds of a gap that is filled

// Limits of join_cost.
constexpr double kTurn = 5;         // from here on a track is cut
constexpr double kJoin = 20;        // of two pieces
constexpr double kJoinShort = -10;  // of two pieces of which one is short: its motion is uncertain
constexpr double kInsert = 10;      // of a piece in a gap, on each side

// A run of detections is in doubt if another track takes it at no more than these costs above those of its own.
constexpr double kDoubtJoin = 15;        // sum of join_cost over the gaps that the run divides
constexpr double kDoubtFit = 2;          // mean of fit_cost over the run
constexpr double kDoubtReach = 1;        // sides, of the run from the end of the gap
constexpr std::size_t kMaxDoubtful = 8;  // detections in a run

constexpr std::size_t kShort = 6;     // detections: shorter pieces alone are no track
constexpr std::size_t kMemory = 64;   // detections from which the motion at an end is estimated
constexpr std::size_t kMaxCut = 256;  // detections that are searched for a turn at a time

constexpr MotionNoise kNoise;
constexpr double kHeightDeviation = 0.1;  // natural logarithm, of a piece from the next one

struct Seen {
    std::size_t frame;
    double seconds;
    Track track;
    Box box;  // that of the whole face: see with_cut_part
};

struct Piece {
    std::vector<Seen> seen;  // by frame; empty after the piece was joined to another one
    bool confirmed = false;
    std::optional<MotionFilter> start, end;  // motions at both ends; that of the start is reversed in time
};

// A box that is narrower than the face shows a part of it: others cover a side. The face is then anywhere around that
// part, and its width changes little.
void correct(MotionFilter& filter, const Box& box) {
    constexpr double kNarrowNoise = 3;   // on the variance, per missing fraction of half the width
    constexpr double kNarrowFollow = 3;  // divides the correction of the width
    const std::array<double, 4> measured = coordinates_of(box);
    const double width = std::exp(filter.axes()[2].position);
    const double slack = 0.5 * (width - static_cast<double>(box.w));
    if (slack <= 0) {
        filter.correct(box, kNoise);
        return;
    }
    const double x = std::clamp(filter.axes()[0].position, measured[0] - slack, measured[0] + slack);
    const double log_width = filter.axes()[2].position;
    const double w = std::exp(log_width + (measured[2] - log_width) / kNarrowFollow);
    filter.correct({static_cast<float>(x - w / 2), box.y, static_cast<float>(w), box.h}, kNoise,
                   1 + kNarrowNoise * slack / width);
}

// Returns the motions after each detection, each from those before it; with reversed, from those after it.
std::vector<MotionFilter> motions_of(std::span<const Seen> seen, bool reversed) {
    std::vector<MotionFilter> motions;
    motions.reserve(seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const Seen& here = seen[reversed ? seen.size() - 1 - i : i];
        if (i == 0) {
            motions.emplace_back(here.box, kNoise);
            continue;
        }
        const Seen& last = seen[reversed ? seen.size() - i : i - 1];
        MotionFilter motion = motions.back();
        motion.predict(std::abs(here.seconds - last.seconds), kNoise);
        correct(motion, here.box);
        motions.push_back(motion);
    }
    if (reversed) std::reverse(motions.begin(), motions.end());
    return motions;
}

// Returns how badly the motion before a gap fits the one after it, which is reversed in time: the negative logarithm of
// the likelihood, up to a constant. area_weight: with 2 the area of uncertainty counts twice, so that certain joins
// come first.
double join_cost(MotionFilter before, const MotionFilter& after, double seconds, double area_weight = 2) {
    before.predict(seconds, kNoise);
    const double side = std::max(before.side(), after.side());
    const double position = kNoise.position * side;
    const double velocity = kNoise.walk * side;
    double cost = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const AxisFilter& a = before.axes()[i];
        const AxisFilter& b = after.axes()[i];
        const double x = a.position - b.position;
        const double v = a.velocity + b.velocity;
        const double pp = a.pp + b.pp + position * position;
        const double vv = a.vv + b.vv + velocity * velocity;
        const double pv = a.pv - b.pv;
        const double determinant = pp * vv - pv * pv;
        cost += (x * x * vv - 2 * x * v * pv + v * v * pp) / determinant;
        cost += area_weight * std::log(determinant / (side * side * side * side));
    }
    const AxisFilter& a = before.axes()[3];
    const AxisFilter& b = after.axes()[3];
    const double height = a.position - b.position;
    return cost + height * height / (kHeightDeviation * kHeightDeviation + a.pp + b.pp);
}

// The detections of a track on both sides of a gap, and the motions there. One side is missing before the first
// detection of the track and after the last one.
struct Gap {
    const Seen* from;
    const Seen* to;
    const MotionFilter* before;
    const MotionFilter* after;  // reversed in time
};

double cost_of(const Gap& gap) {
    if (!gap.from || !gap.to) return 0;
    return join_cost(*gap.before, *gap.after, gap.to->seconds - gap.from->seconds, 1);
}

// Returns the cost of the gaps that a run of detections leaves of a gap. The motion of the run is that of it alone.
double divided_cost(const Gap& gap, std::span<const Seen> run) {
    const MotionFilter start = motions_of(run, true).front();
    const MotionFilter end = motions_of(run, false).back();
    return cost_of({gap.from, &run.front(), gap.before, &start}) + cost_of({&run.back(), gap.to, &end, gap.after});
}

// Returns how badly a detection fits the position and height that the sides of a gap predict for its time: the
// negative logarithm of the likelihood, up to a constant.
double fit_cost(const Gap& gap, const Seen& seen) {
    constexpr double kDeviation = 0.1;  // of x and y in sides, of the height in natural logarithms
    std::array<double, 4> precision{};
    std::array<double, 4> weighted{};
    double side = 0;
    const double sides = gap.from && gap.to ? 2 : 1;
    const auto add = [&](MotionFilter motion, double seconds) {
        motion.predict(seconds, kNoise);
        for (std::size_t i = 0; i < precision.size(); ++i) {
            precision[i] += 1 / motion.axes()[i].pp;
            weighted[i] += motion.axes()[i].position / motion.axes()[i].pp;
        }
        side += motion.side() / sides;
    };
    if (gap.from) add(*gap.before, seen.seconds - gap.from->seconds);
    if (gap.to) add(*gap.after, gap.to->seconds - seen.seconds);
    const std::array<double, 4> measured = coordinates_of(seen.box);
    double cost = 0;
    for (const std::size_t i : {0U, 1U, 3U}) {
        const double unit = i == 3 ? 1 : side;
        const double expected = weighted[i] / precision[i];
        const double distance = measured[i] - expected;
        const double total = 1 / (precision[i] * unit * unit) + kDeviation * kDeviation;
        cost += distance * distance / (unit * unit * total) + std::log(total);
    }
    return cost;
}

// Returns whether a run of detections that divides the gap `here` could belong in the gap `there`.
bool is_doubtful(std::span<const Seen> run, const Gap& here, const Gap& there) {
    double fit = 0;
    for (const Seen& seen : run) fit += fit_cost(there, seen) - fit_cost(here, seen);
    if (!(fit <= kDoubtFit * static_cast<double>(run.size()))) return false;
    return divided_cost(there, run) - cost_of(there) < divided_cost(here, run) - cost_of(here) + kDoubtJoin;
}

bool is_near(const Box& a, const Box& b) {
    const auto distance = [](float from, float size, float other, float other_size) {
        return std::abs(static_cast<double>(from) + 0.5 * static_cast<double>(size) - static_cast<double>(other) -
                        0.5 * static_cast<double>(other_size));
    };
    return distance(a.x, a.w, b.x, b.w) < kDoubtReach * static_cast<double>(std::max(a.w, b.w)) &&
           distance(a.y, a.h, b.y, b.h) < kDoubtReach * static_cast<double>(std::max(a.h, b.h));
}

bool is_seen(const Track& track) {
    return track.state != TrackState::predicted && track.box.w > 0 && track.box.h > 0;
}

// Returns whether the left or right edge of the frame cuts a box, or almost.
bool is_cut(const Box& box, int width) {
    constexpr float kNearEdge = 0.05F;  // of the height
    const float near = kNearEdge * box.h;
    return width > 0 && (box.x < near || box.x + box.w > static_cast<float>(width) - near);
}

// A detector reports the visible part of a face that the edge of the frame cuts, so the center of the box moves at half
// the speed of the face. Returns the box widened out of the frame to the ratio of width to height of the other boxes.
Box with_cut_part(const Box& box, int width, float ratio) {
    const float more = ratio * box.h - box.w;
    if (!(more > 0) || !is_cut(box, width)) return box;
    const bool left = box.x + box.w / 2 < static_cast<float>(width) / 2;
    return {left ? box.x - more : box.x, box.y, box.w + more, box.h};
}

class Relinker {
public:
    explicit Relinker(const std::vector<TimedTracks>& frames) : frames_(frames) {
        collect();
        while (join(kShort, kJoin)) {  // a join changes the motions at the ends
        }
        while (join(1, kJoinShort)) {
        }
        while (insert()) {
        }
        separate_doubtful();
    }

    std::vector<std::vector<Track>> result() const {
        std::vector<std::vector<Track>> result(frames_.size());
        std::int64_t id = 0;
        std::map<std::int64_t, std::vector<const Seen*>> rest;  // of no track, by the track before
        for (const Piece& piece : pieces_) {
            if (piece.seen.size() < kShort || !piece.confirmed) {
                for (const Seen& seen : piece.seen) rest[seen.track.id].push_back(&seen);
                continue;
            }
            ++id;
            const std::size_t first = piece.seen.front().frame;
            for (std::size_t i = 0; i < piece.seen.size(); ++i) {
                const Seen& seen = piece.seen[i];
                Track track = seen.track;
                track.id = id;
                track.confirmed = true;
                track.covered = false;
                track.gap = 0;
                track.age = static_cast<std::int32_t>(seen.frame - first);
                result[seen.frame].push_back(track);
                if (i + 1 < piece.seen.size()) fill(track, seen, piece.seen[i + 1], result);
            }
        }
        for (const auto& [before, all] : rest) add_unconfirmed(all, ++id, result);
        for (const std::vector<Seen>& run : doubtful_) {
            std::vector<const Seen*> all;
            for (const Seen& seen : run) all.push_back(&seen);
            add_unconfirmed(all, ++id, result);
        }
        for (std::vector<Track>& tracks : result) mark_covered(tracks);
        return result;
    }

private:
    // Returns the median ratio of width to height of the boxes inside the frame.
    float ratio_of_boxes() const {
        std::vector<float> ratios;
        for (const TimedTracks& frame : frames_) {
            for (const Track& track : frame.tracks) {
                if (!is_seen(track) || is_cut(track.box, frame.width)) continue;
                const float ratio = track.box.w / track.box.h;
                if (std::isfinite(ratio)) ratios.push_back(ratio);
            }
        }
        if (ratios.empty()) return 0;
        const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
        std::nth_element(ratios.begin(), middle, ratios.end());
        return *middle;
    }

    void collect() {
        const float ratio = ratio_of_boxes();
        std::map<std::int64_t, std::vector<Seen>> tracks;
        std::map<std::int64_t, bool> confirmed;
        for (std::size_t f = 0; f < frames_.size(); ++f) {
            for (const Track& track : frames_[f].tracks) {
                if (!is_seen(track)) continue;
                std::vector<Seen>& seen = tracks[track.id];
                const Box whole = with_cut_part(track.box, frames_[f].width, ratio);
                seen.push_back({f, frames_[f].seconds, track, whole});
                seen.back().track.whole = whole.w > track.box.w ? whole : Box();
                confirmed[track.id] |= track.confirmed;
            }
        }
        for (const auto& [id, seen] : tracks) {
            std::size_t from = 0;
            for (std::size_t i = 1; i <= seen.size(); ++i) {
                if (i < seen.size() && seen[i].frame == seen[i - 1].frame + 1 && i - from < kMaxCut) continue;
                cut(std::span(seen).subspan(from, i - from), confirmed[id]);
                from = i;
            }
        }
        std::stable_sort(pieces_.begin(), pieces_.end(),
                         [](const Piece& a, const Piece& b) { return a.seen.front().frame < b.seen.front().frame; });
        for (const Piece& piece : pieces_) starts_.push_back(piece.seen.front().seconds);
    }

    // Adds the pieces of a track between its turns.
    void cut(std::span<const Seen> seen, bool confirmed) {
        const std::vector<MotionFilter> before = motions_of(seen, false);
        const std::vector<MotionFilter> after = motions_of(seen, true);
        double worst = kTurn;
        std::size_t turn = 0;
        for (std::size_t i = 1; i < seen.size(); ++i) {
            const double cost = join_cost(before[i - 1], after[i], seen[i].seconds - seen[i - 1].seconds);
            if (cost <= worst) continue;
            worst = cost;
            turn = i;
        }
        if (turn > 0) {
            cut(seen.first(turn), confirmed);
            cut(seen.subspan(turn), confirmed);
        } else {
            pieces_.push_back({{seen.begin(), seen.end()}, confirmed, {}, {}});
            estimate_ends(pieces_.back());
        }
    }

    static void estimate_ends(Piece& piece) {
        const std::span<const Seen> seen = piece.seen;
        const std::size_t memory = std::min(seen.size(), kMemory);
        piece.start = motions_of(seen.first(memory), true).front();
        piece.end = motions_of(seen.last(memory), false).back();
    }

    // Returns the pieces that start after `from` and not after `to`, as a range of numbers.
    std::pair<std::size_t, std::size_t> starting(double from, double to) const {
        return {std::upper_bound(starts_.begin(), starts_.end(), from) - starts_.begin(),
                std::upper_bound(starts_.begin(), starts_.end(), to) - starts_.begin()};
    }

    // Returns whether a motion has left the frame at its left or right edge after some time, by more than its deviation:
    // who comes in there is another person.
    bool is_out(MotionFilter motion, double seconds, std::size_t frame) const {
        constexpr float kMinInside = 0.25F;  // fraction of the width
        const auto width = static_cast<float>(frames_[frame].width);
        if (!(width > 0)) return false;
        motion.predict(seconds, kNoise);
        const Box box = motion.box();
        const auto deviation = static_cast<float>(std::sqrt(motion.axes()[0].pp));
        return !(std::min(box.x + box.w, width) - std::max(box.x, 0.0F) + deviation >= kMinInside * box.w);
    }

    // Joins pieces of at least min_seen detections, those that fit best first. Returns whether there were any.
    bool join(std::size_t min_seen, double limit) {
        struct Link {
            double cost;
            std::size_t before, after;
        };
        std::vector<Link> links;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const Piece& before = pieces_[i];
            if (before.seen.empty() || before.seen.size() < min_seen) continue;
            const Seen& from = before.seen.back();
            const auto [first, last] = starting(from.seconds, from.seconds + kMaxGap);
            for (std::size_t k = first; k < last; ++k) {
                const Piece& after = pieces_[k];
                if (after.seen.empty() || after.seen.size() < min_seen) continue;
                const Seen& to = after.seen.front();
                if (to.frame <= from.frame) continue;
                const double gap = to.seconds - from.seconds;
                if (is_out(*before.end, gap, to.frame) || is_out(*after.start, gap, from.frame)) continue;
                const double cost = join_cost(*before.end, *after.start, gap);
                if (cost < limit) links.push_back({cost, i, k});
            }
        }
        std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
            return std::tie(a.cost, a.before, a.after) < std::tie(b.cost, b.before, b.after);
        });
        constexpr std::size_t kNone = static_cast<std::size_t>(-1);
        std::vector<std::size_t> next(pieces_.size(), kNone);
        std::vector<std::uint8_t> follows(pieces_.size());
        for (const Link& link : links) {
            if (next[link.before] != kNone || follows[link.after] != 0) continue;
            next[link.before] = link.after;
            follows[link.after] = 1;
        }
        bool any = false;
        for (std::size_t i = pieces_.size(); i-- > 0;) {  // the last first: what follows it is joined to it already
            if (next[i] == kNone) continue;
            Piece& piece = pieces_[i];
            Piece& after = pieces_[next[i]];
            piece.seen.insert(piece.seen.end(), after.seen.begin(), after.seen.end());
            piece.confirmed = piece.confirmed || after.confirmed;
            after.seen.clear();
            estimate_ends(piece);
            any = true;
        }
        return any;
    }

    // Puts pieces into gaps of others, the best first. Returns whether there were any.
    bool insert() {
        struct Insertion {
            double cost;
            std::size_t piece, into, gap;
        };
        std::vector<Insertion> insertions;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const std::vector<Seen>& seen = pieces_[i].seen;
            std::vector<MotionFilter> before, after;
            for (std::size_t k = 1; k < seen.size(); ++k) {
                if (seen[k].frame == seen[k - 1].frame + 1) continue;
                if (before.empty()) {
                    before = motions_of(seen, false);
                    after = motions_of(seen, true);
                }
                const auto [first, last] = starting(seen[k - 1].seconds, seen[k].seconds);
                for (std::size_t p = first; p < last; ++p) {
                    const Piece& piece = pieces_[p];
                    if (piece.seen.empty() || piece.seen.back().frame >= seen[k].frame) continue;
                    const double gap_before = piece.seen.front().seconds - seen[k - 1].seconds;
                    const double gap_after = seen[k].seconds - piece.seen.back().seconds;
                    const double cost = std::max(join_cost(before[k - 1], *piece.start, gap_before),
                                                 join_cost(*piece.end, after[k], gap_after));
                    if (cost < kInsert) insertions.push_back({cost, p, i, k});
                }
            }
        }
        std::sort(insertions.begin(), insertions.end(), [](const Insertion& a, const Insertion& b) {
            return std::tie(a.cost, a.piece, a.into, a.gap) < std::tie(b.cost, b.piece, b.into, b.gap);
        });
        std::set<std::pair<std::size_t, std::size_t>> filled;  // gaps
        std::set<std::size_t> inserted, extended;
        for (const Insertion& insertion : insertions) {
            if (inserted.contains(insertion.piece) || extended.contains(insertion.piece)) continue;
            if (inserted.contains(insertion.into) || !filled.emplace(insertion.into, insertion.gap).second) continue;
            inserted.insert(insertion.piece);
            extended.insert(insertion.into);
            Piece& piece = pieces_[insertion.piece];
            Piece& into = pieces_[insertion.into];
            into.seen.insert(into.seen.end(), piece.seen.begin(), piece.seen.end());
            into.confirmed = into.confirmed || piece.confirmed;
            piece.seen.clear();
        }
        for (const std::size_t piece : extended) {
            std::vector<Seen>& seen = pieces_[piece].seen;
            std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.frame < b.frame; });
        }
        return !inserted.empty();
    }

    struct Motions {
        std::vector<MotionFilter> before, after;  // at each detection; empty for short pieces
    };

    // Returns the gap before detection `next` of a piece, and after detection `next` - 1 - `count`.
    Gap gap_before(std::size_t piece, std::size_t next, std::size_t count, const std::vector<Motions>& motions) const {
        const std::vector<Seen>& seen = pieces_[piece].seen;
        Gap gap{};
        if (next > count) gap.from = &seen[next - count - 1], gap.before = &motions[piece].before[next - count - 1];
        if (next < seen.size()) gap.to = &seen[next], gap.after = &motions[piece].after[next];
        return gap;
    }

    // Removes runs of detections that could belong to another track: when one of two people who overlap disappears
    // and the other one appears, the detector finds one box between both for some frames.
    void separate_doubtful() {
        std::vector<Motions> motions(pieces_.size());
        std::vector<std::vector<std::pair<std::size_t, std::size_t>>> at(frames_.size());  // piece, detection
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const std::vector<Seen>& seen = pieces_[i].seen;
            if (seen.size() < kShort) continue;
            motions[i] = {motions_of(seen, false), motions_of(seen, true)};
            for (std::size_t k = 0; k < seen.size(); ++k) at[seen[k].frame].emplace_back(i, k);
        }
        std::vector<std::set<std::size_t>> doubtful(pieces_.size());  // detections
        // The first and the last detection of a track remain.
        const auto check = [&](std::size_t from, std::size_t first, std::size_t last, const Gap& there) {
            const std::vector<Seen>& seen = pieces_[from].seen;
            if (first == 0 || last + 1 == seen.size()) return;
            const std::size_t count = last - first + 1;
            if (!is_doubtful({&seen[first], count}, gap_before(from, last + 1, count, motions), there)) return;
            for (std::size_t i = first; i <= last; ++i) doubtful[from].insert(i);
        };
        for (std::size_t to = 0; to < pieces_.size(); ++to) {
            if (motions[to].before.empty()) continue;
            for (std::size_t next = 0; next <= pieces_[to].seen.size(); ++next) {
                const Gap gap = gap_before(to, next, 0, motions);
                if (gap.from && gap.to && gap.to->frame == gap.from->frame + 1) continue;
                // Runs that end with the gap, and those that start with it.
                if (gap.to && gap.to->frame > 0) {
                    for (const auto& [from, last] : at[gap.to->frame - 1]) {
                        const std::vector<Seen>& seen = pieces_[from].seen;
                        if (!is_near(seen[last].box, gap.to->box)) continue;
                        for (std::size_t n = 0; n < std::min(kMaxDoubtful, last + 1); ++n) {
                            if (gap.from && seen[last - n].frame <= gap.from->frame) break;
                            check(from, last - n, last, gap);
                        }
                    }
                }
                if (gap.from && gap.from->frame + 1 < frames_.size()) {
                    for (const auto& [from, first] : at[gap.from->frame + 1]) {
                        const std::vector<Seen>& seen = pieces_[from].seen;
                        if (!is_near(seen[first].box, gap.from->box)) continue;
                        for (std::size_t n = 0; n < std::min(kMaxDoubtful, seen.size() - first); ++n) {
                            if (gap.to && seen[first + n].frame >= gap.to->frame) break;
                            check(from, first, first + n, gap);
                        }
                    }
                }
            }
        }
        for (std::size_t i = 0; i < pieces_.size(); ++i) separate(pieces_[i].seen, doubtful[i]);
    }

    // Moves detections of a track into runs of their own, unless little remains.
    void separate(std::vector<Seen>& seen, const std::set<std::size_t>& doubtful) {
        if (doubtful.empty() || seen.size() < doubtful.size() + kShort) return;
        std::vector<Seen> rest;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            if (!doubtful.contains(i)) {
                rest.push_back(seen[i]);
                continue;
            }
            const bool goes_on = doubtful.contains(i - 1) && seen[i].frame == seen[i - 1].frame + 1;
            if (!goes_on) doubtful_.emplace_back();
            doubtful_.back().push_back(seen[i]);
        }
        seen = std::move(rest);
    }

    static void add_unconfirmed(const std::vector<const Seen*>& all, std::int64_t id,
                                std::vector<std::vector<Track>>& result) {
        const auto is_earlier = [](const Seen* a, const Seen* b) { return a->frame < b->frame; };
        const std::size_t first = (*std::min_element(all.begin(), all.end(), is_earlier))->frame;
        for (const Seen* seen : all) {
            Track track = seen->track;
            track.id = id;
            track.confirmed = track.covered = false;
            track.gap = 0;
            track.age = static_cast<std::int32_t>(seen->frame - first);
            result[seen->frame].push_back(track);
        }
    }

    // Adds the boxes between two detections of a track.
    void fill(Track track, const Seen& from, const Seen& to, std::vector<std::vector<Track>>& result) const {
        const double gap = to.seconds - from.seconds;
        if (gap > kMaxFilled) return;
        track.state = TrackState::predicted;
        track.detection = -1;
        track.whole = {};
        for (std::size_t f = from.frame + 1; f < to.frame; ++f) {
            const auto part = static_cast<float>((frames_[f].seconds - from.seconds) / gap);
            const auto mix = [part](float a, float b) { return a + (b - a) * part; };
            const Box& a = from.box;
            const Box& b = to.box;
            track.box = track.smoothed = {mix(a.x, b.x), mix(a.y, b.y), mix(a.w, b.w), mix(a.h, b.h)};
            ++track.age;
            ++track.gap;
            result[f].push_back(track);
        }
    }

    static void mark_covered(std::vector<Track>& tracks) {
        for (Track& track : tracks) {
            if (track.state != TrackState::predicted) continue;
            track.covered = std::any_of(tracks.begin(), tracks.end(), [&](const Track& other) {
                return other.state != TrackState::predicted && is_behind(track.box, other.box);
            });
        }
    }

    const std::vector<TimedTracks>& frames_;
    std::vector<Piece> pieces_;                // by their first frame
    std::vector<double> starts_;               // seconds, of each piece
    std::vector<std::vector<Seen>> doubtful_;  // runs that could belong to two tracks
};

}  // namespace

std::vector<std::vector<Track>> relink_tracks(const std::vector<TimedTracks>& frames) {
    return Relinker(frames).result();
}

}  // namespace throng
