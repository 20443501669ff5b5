#include "core/track/relink.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>
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
constexpr double kTurn = 6;         // from here on a track is cut
constexpr double kJoin = 20;        // of two pieces
constexpr double kJoinShort = -10;  // of two pieces of which one is short: its motion is uncertain
constexpr double kInsert = 10;      // of a piece in a gap, on each side

// A run of detections is moved to another track if it fits there better by both.
constexpr double kMoveJoin = 7;        // sum of join_cost over the gaps that the run divides
constexpr double kMoveFit = 0.5;       // mean of fit_cost over the run
constexpr double kMoveReach = 1;       // sides, of the run from the end of the gap
constexpr std::size_t kMaxMoved = 16;  // detections in a run
constexpr std::size_t kMaxMoveRounds = 3;

constexpr std::size_t kShort = 6;     // detections: shorter pieces alone are no track
constexpr std::size_t kMemory = 64;   // detections from which the motion at an end is estimated
constexpr std::size_t kMaxCut = 256;  // detections that are searched for a turn at a time

constexpr MotionNoise kNoise;
constexpr double kHeightDeviation = 0.1;  // natural logarithm, of a piece from the next one

struct Seen {
    std::size_t frame;
    double seconds;
    Track track;
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
            motions.emplace_back(here.track.box, kNoise);
            continue;
        }
        const Seen& last = seen[reversed ? seen.size() - i : i - 1];
        MotionFilter motion = motions.back();
        motion.predict(std::abs(here.seconds - last.seconds), kNoise);
        correct(motion, here.track.box);
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

// Two consecutive detections of a track, and the motions before and after the gap between them.
struct Gap {
    const Seen& from;
    const Seen& to;
    const MotionFilter& before;
    const MotionFilter& after;  // reversed in time

    [[nodiscard]] double cost() const { return join_cost(before, after, to.seconds - from.seconds, 1); }
};

// Returns the cost of both gaps that a run of detections leaves of a gap. The motion of the run is that of it alone.
double divided_cost(const Gap& gap, std::span<const Seen> run) {
    const MotionFilter start = motions_of(run, true).front();
    const MotionFilter end = motions_of(run, false).back();
    return Gap{gap.from, run.front(), gap.before, start}.cost() + Gap{run.back(), gap.to, end, gap.after}.cost();
}

// Returns how badly a detection fits the position and height that both sides of a gap predict for its time: the
// negative logarithm of the likelihood, up to a constant.
double fit_cost(const Gap& gap, const Seen& seen) {
    constexpr double kDeviation = 0.1;  // of x and y in sides, of the height in natural logarithms
    MotionFilter before = gap.before;
    MotionFilter after = gap.after;
    before.predict(seen.seconds - gap.from.seconds, kNoise);
    after.predict(gap.to.seconds - seen.seconds, kNoise);
    const std::array<double, 4> measured = coordinates_of(seen.track.box);
    const double width = std::exp(0.5 * (before.axes()[2].position + after.axes()[2].position));
    const double slack = std::max(0.0, 0.5 * (width - static_cast<double>(seen.track.box.w)));  // see correct
    double cost = 0;
    for (const std::size_t i : {0U, 1U, 3U}) {
        const AxisFilter& a = before.axes()[i];
        const AxisFilter& b = after.axes()[i];
        const double unit = i == 3 ? 1 : 0.5 * (before.side() + after.side());
        const double variance = 1 / (1 / a.pp + 1 / b.pp);
        const double expected = variance * (a.position / a.pp + b.position / b.pp);
        const double distance = std::max(0.0, std::abs(measured[i] - expected) - (i == 0 ? slack : 0));
        const double total = variance / (unit * unit) + kDeviation * kDeviation;
        cost += distance * distance / (unit * unit * total) + std::log(total);
    }
    return cost;
}

bool is_near(const Box& a, const Box& b) {
    const auto distance = [](float from, float size, float other, float other_size) {
        return std::abs(static_cast<double>(from) + 0.5 * static_cast<double>(size) - static_cast<double>(other) -
                        0.5 * static_cast<double>(other_size));
    };
    return distance(a.x, a.w, b.x, b.w) < kMoveReach * static_cast<double>(std::max(a.w, b.w)) &&
           distance(a.y, a.h, b.y, b.h) < kMoveReach * static_cast<double>(std::max(a.h, b.h));
}

class Relinker {
public:
    explicit Relinker(const std::vector<TimedTracks>& frames) : frames_(frames) {
        collect();
        join(kShort, kJoin);
        join(1, kJoinShort);
        insert_all();
        for (std::size_t i = 0; i < kMaxMoveRounds && move_runs(); ++i) insert_all();
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
        for (const auto& [before, all] : rest) {
            ++id;
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
        for (std::vector<Track>& tracks : result) mark_covered(tracks);
        return result;
    }

private:
    void collect() {
        std::map<std::int64_t, std::vector<Seen>> tracks;
        std::map<std::int64_t, bool> confirmed;
        for (std::size_t f = 0; f < frames_.size(); ++f) {
            for (const Track& track : frames_[f].tracks) {
                if (track.state == TrackState::predicted || !(track.box.w > 0 && track.box.h > 0)) continue;
                tracks[track.id].push_back({f, frames_[f].seconds, track});
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

    // Joins pieces of at least min_seen detections, the best pair first.
    void join(std::size_t min_seen, double limit) {
        struct Join {
            double cost;
            std::size_t before, after;
            int version;  // of both, summed: a join changes the motion at the ends
        };
        const auto worse = [](const Join& a, const Join& b) {
            return std::tie(a.cost, a.before, a.after) > std::tie(b.cost, b.before, b.after);
        };
        std::priority_queue<Join, std::vector<Join>, decltype(worse)> joins(worse);
        std::vector<int> version(pieces_.size(), 0);
        // Pieces by their last detection, as far as it is the end of one: joins only remove ends.
        std::vector<std::pair<double, std::size_t>> ends;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            if (!pieces_[i].seen.empty()) ends.emplace_back(pieces_[i].seen.back().seconds, i);
        }
        std::sort(ends.begin(), ends.end());
        std::vector<std::size_t> joined_to(pieces_.size());
        for (std::size_t i = 0; i < joined_to.size(); ++i) joined_to[i] = i;
        const auto propose = [&](std::size_t before, std::size_t after) {
            const Piece& a = pieces_[before];
            const Piece& b = pieces_[after];
            if (before == after || a.seen.size() < min_seen || b.seen.size() < min_seen) return;
            const double gap = b.seen.front().seconds - a.seen.back().seconds;
            if (!(gap > 0 && gap <= kMaxGap)) return;
            const double cost = join_cost(*a.end, *b.start, gap);
            if (cost < limit) joins.push({cost, before, after, version[before] + version[after]});
        };
        const auto propose_after = [&](std::size_t piece) {
            if (pieces_[piece].seen.empty()) return;
            const double end = pieces_[piece].seen.back().seconds;
            const auto [first, last] = starting(end, end + kMaxGap);
            for (std::size_t next = first; next < last; ++next) propose(piece, next);
        };
        for (std::size_t i = 0; i < pieces_.size(); ++i) propose_after(i);
        while (!joins.empty()) {
            const Join best = joins.top();
            joins.pop();
            Piece& a = pieces_[best.before];
            Piece& b = pieces_[best.after];
            if (a.seen.empty() || b.seen.empty() || best.version != version[best.before] + version[best.after])
                continue;
            a.seen.insert(a.seen.end(), b.seen.begin(), b.seen.end());
            a.confirmed = a.confirmed || b.confirmed;
            b.seen.clear();
            joined_to[best.after] = best.before;
            ++version[best.before];
            estimate_ends(a);
            propose_after(best.before);
            const double start = a.seen.front().seconds;
            for (auto end = std::lower_bound(ends.begin(), ends.end(), std::pair(start - kMaxGap, std::size_t{0}));
                 end != ends.end() && end->first < start; ++end) {
                std::size_t owner = end->second;
                while (joined_to[owner] != owner) owner = joined_to[owner];
                if (pieces_[owner].seen.back().seconds == end->first) propose(owner, best.before);
            }
        }
    }

    void insert_all() {
        while (insert()) {
        }
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

    struct Move {
        double gain;
        std::size_t from, first, last;  // a piece, and its detections
        std::size_t to, gap;            // a piece, and its first detection after the gap
    };
    struct Motions {
        std::vector<MotionFilter> before, after;  // empty for short pieces
    };

    Gap gap_between(std::size_t piece, std::size_t from, std::size_t to, const std::vector<Motions>& motions) const {
        const std::vector<Seen>& seen = pieces_[piece].seen;
        return {seen[from], seen[to], motions[piece].before[from], motions[piece].after[to]};
    }

    // Moves runs of detections into the gap of another track if they fit better there, the best first: a covered track
    // takes the detections of another person for some frames, at a distance that is no turn. Returns whether there were
    // any.
    bool move_runs() {
        std::vector<Motions> motions(pieces_.size());
        std::vector<std::vector<std::pair<std::size_t, std::size_t>>> at(frames_.size());  // piece, detection
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const std::vector<Seen>& seen = pieces_[i].seen;
            if (seen.size() < kShort) continue;
            motions[i] = {motions_of(seen, false), motions_of(seen, true)};
            for (std::size_t k = 0; k < seen.size(); ++k) at[seen[k].frame].emplace_back(i, k);
        }
        std::vector<Move> moves;
        for (std::size_t to = 0; to < pieces_.size(); ++to) {
            const std::vector<Seen>& seen = pieces_[to].seen;
            if (motions[to].before.empty()) continue;
            for (std::size_t k = 1; k < seen.size(); ++k) {
                if (seen[k].frame == seen[k - 1].frame + 1) continue;
                // Runs that end with the gap, and those that start with it.
                for (const auto& [from, last] : at[seen[k].frame - 1]) {
                    const std::vector<Seen>& other = pieces_[from].seen;
                    if (!is_near(other[last].track.box, seen[k].track.box)) continue;
                    for (std::size_t n = 0; n < std::min(kMaxMoved, last + 1); ++n) {
                        if (other[last - n].frame <= seen[k - 1].frame) break;
                        propose({0, from, last - n, last, to, k}, motions, moves);
                    }
                }
                for (const auto& [from, first] : at[seen[k - 1].frame + 1]) {
                    const std::vector<Seen>& other = pieces_[from].seen;
                    if (!is_near(other[first].track.box, seen[k - 1].track.box)) continue;
                    for (std::size_t n = 0; n < std::min(kMaxMoved, other.size() - first); ++n) {
                        if (other[first + n].frame >= seen[k].frame) break;
                        propose({0, from, first, first + n, to, k}, motions, moves);
                    }
                }
            }
        }
        std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
            return std::tie(b.gain, a.from, a.first, a.last, a.to, a.gap) <
                   std::tie(a.gain, b.from, b.first, b.last, b.to, b.gap);
        });
        std::set<std::size_t> changed;
        for (const Move& move : moves) {
            if (changed.contains(move.from) || changed.contains(move.to)) continue;
            changed.insert({move.from, move.to});
            std::vector<Seen>& from = pieces_[move.from].seen;
            std::vector<Seen>& to = pieces_[move.to].seen;
            const auto first = from.begin() + static_cast<std::ptrdiff_t>(move.first);
            const auto end = from.begin() + static_cast<std::ptrdiff_t>(move.last) + 1;
            to.insert(to.begin() + static_cast<std::ptrdiff_t>(move.gap), first, end);
            from.erase(first, end);
        }
        return !changed.empty();
    }

    // Adds the move if the run fits better in the gap. The first and the last detection of a track remain.
    void propose(Move move, const std::vector<Motions>& motions, std::vector<Move>& moves) const {
        const std::vector<Seen>& from = pieces_[move.from].seen;
        if (move.first == 0 || move.last + 1 == from.size()) return;
        const std::span<const Seen> run(&from[move.first], move.last - move.first + 1);
        const Gap there = gap_between(move.to, move.gap - 1, move.gap, motions);
        const Gap here = gap_between(move.from, move.first - 1, move.last + 1, motions);
        double fit = 0;
        for (const Seen& seen : run) fit += fit_cost(here, seen) - fit_cost(there, seen);
        if (!(fit >= kMoveFit * static_cast<double>(run.size()))) return;
        move.gain = divided_cost(here, run) + there.cost() - divided_cost(there, run) - here.cost();
        if (move.gain > kMoveJoin) moves.push_back(move);
    }

    // Adds the boxes between two detections of a track.
    void fill(Track track, const Seen& from, const Seen& to, std::vector<std::vector<Track>>& result) const {
        const double gap = to.seconds - from.seconds;
        if (gap > kMaxFilled) return;
        track.state = TrackState::predicted;
        track.detection = -1;
        for (std::size_t f = from.frame + 1; f < to.frame; ++f) {
            const auto part = static_cast<float>((frames_[f].seconds - from.seconds) / gap);
            const auto mix = [part](float a, float b) { return a + (b - a) * part; };
            const Box& a = from.track.box;
            const Box& b = to.track.box;
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
    std::vector<Piece> pieces_;   // by their first frame
    std::vector<double> starts_;  // seconds, of each piece
};

}  // namespace

std::vector<std::vector<Track>> relink_tracks(const std::vector<TimedTracks>& frames) {
    return Relinker(frames).result();
}

}  // namespace throng
