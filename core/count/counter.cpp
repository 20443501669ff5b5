#include "core/count/counter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace throng {
namespace {

constexpr double kLineBand = 0.25;  // sides of the box on each side of a line where the person is on neither side
constexpr double kZoneHold = 0.2;   // seconds

// Returns the distance from the line, positive on its right.
double distance(const CountLine& line, CountPoint p) {
    const double dx = line.to.x - line.from.x;
    const double dy = line.to.y - line.from.y;
    return (dx * (p.y - line.from.y) - dy * (p.x - line.from.x)) / std::hypot(dx, dy);
}

// Returns whether the way from a to b, which are on different sides of the line, passes between its ends.
bool passes_between_ends(const CountLine& line, CountPoint a, CountPoint b) {
    const double at = distance(line, a) / (distance(line, a) - distance(line, b));
    const CountPoint p{a.x + at * (b.x - a.x), a.y + at * (b.y - a.y)};
    const double dx = line.to.x - line.from.x;
    const double dy = line.to.y - line.from.y;
    const double along = ((p.x - line.from.x) * dx + (p.y - line.from.y) * dy) / (dx * dx + dy * dy);
    return along >= 0 && along <= 1;
}

bool has_same_shape(const CountLine& a, const CountLine& b) {
    return a.from == b.from && a.to == b.to;
}
bool has_same_shape(const CountZone& a, const CountZone& b) {
    return a.points == b.points;
}

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Returns for each shape where it was before; kNone: it is new. Of equal shapes, the one of the same name comes first.
template <class Shape>
std::vector<std::size_t> earlier_places(const std::vector<Shape>& before, const std::vector<Shape>& now) {
    std::vector<std::size_t> places(now.size(), kNone);
    std::vector<bool> taken(before.size());
    for (const bool by_name : {true, false}) {
        for (std::size_t i = 0; i < now.size(); ++i) {
            for (std::size_t j = 0; j < before.size() && places[i] == kNone; ++j) {
                if (taken[j] || !has_same_shape(before[j], now[i]) || (by_name && before[j].name != now[i].name))
                    continue;
                places[i] = j;
                taken[j] = true;
            }
        }
    }
    return places;
}

// Returns the values at their new places.
template <class Value>
std::vector<Value> moved_to(const std::vector<std::size_t>& places, const std::vector<Value>& values) {
    std::vector<Value> moved(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] != kNone) moved[i] = values[places[i]];
    }
    return moved;
}

}  // namespace

bool contains(const CountZone& zone, CountPoint point) {
    bool inside = false;
    for (std::size_t i = 0; i < zone.points.size(); ++i) {
        const CountPoint& a = zone.points[i];
        const CountPoint& b = zone.points[(i + 1) % zone.points.size()];
        if ((a.y > point.y) == (b.y > point.y)) continue;
        if (point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
    }
    return inside;
}

Counter::Counter(const CountPlan& plan) : given_(plan), plan_(plan) {
    totals_.lines.resize(plan.lines.size());
    totals_.zones.resize(plan.zones.size());
}

std::vector<CountEvent> Counter::update(std::span<const Track> tracks, double seconds, int width, int height) {
    if (width != plan_.width || height != plan_.height) plan_ = scaled_to(given_, width, height);
    std::vector<CountEvent> events;
    if (goes_back(seconds)) events = finish();
    seconds_ = seconds;
    for (auto& [id, person] : people_) person.present = false;
    for (const Track& track : tracks) {
        if (!track.confirmed) continue;
        const auto [found, is_new] = people_.try_emplace(track.id);
        Person& person = found->second;
        if (is_new) {
            person.first = person.last = seconds;
            person.lines.resize(plan_.lines.size());
            person.zones.resize(plan_.zones.size());
            const bool again = is_known(track.id);
            totals_.unique += again ? 0 : 1;
            events.push_back({CountEvent::Kind::appeared, seconds, track.id, {}, false, 0, again});
        }
        person.present = true;
        if (track.state != TrackState::predicted) person.last = seconds;
        const Box& box = track.smoothed;
        const CountPoint center{static_cast<double>(box.x) + 0.5 * static_cast<double>(box.w),
                                static_cast<double>(box.y) + 0.5 * static_cast<double>(box.h)};
        const double side = std::sqrt(static_cast<double>(box.w) * static_cast<double>(box.h));
        cross_lines(track, person, center, side, events);
        visit_zones(track.id, person, center, events);
    }
    for (auto at = people_.begin(); at != people_.end();) {
        if (at->second.present) {
            ++at;
            continue;
        }
        leave(at->first, at->second, events);
        at = people_.erase(at);
    }
    totals_.people = static_cast<int>(people_.size());
    return events;
}

void Counter::change(const CountPlan& plan) {
    const bool same_size = plan.width == given_.width && plan.height == given_.height;
    const CountPlan before = same_size ? given_ : CountPlan{};
    const std::vector<std::size_t> lines = earlier_places(before.lines, plan.lines);
    const std::vector<std::size_t> zones = earlier_places(before.zones, plan.zones);
    totals_.lines = moved_to(lines, totals_.lines);
    totals_.zones = moved_to(zones, totals_.zones);
    for (auto& [id, person] : people_) {
        person.lines = moved_to(lines, person.lines);
        person.zones = moved_to(zones, person.zones);
    }
    given_ = plan;
    plan_ = plan;  // scaled with the next frame
}

// Returns whether the id was counted before, and counts it.
bool Counter::is_known(std::int64_t id) {
    const std::int64_t block = id >= 0 ? id / kBlock : (id + 1) / kBlock - 1;
    auto bit = known_[block][static_cast<std::size_t>(id - block * kBlock)];
    const bool known = bit;
    bit = true;
    return known;
}

double Counter::settled_until() const {
    double until = seconds_;
    for (const auto& [id, person] : people_) {
        until = std::min(until, person.last);
        for (const Presence& presence : person.zones) {
            if (presence.changed >= 0) until = std::min(until, presence.changed);
        }
    }
    return until;
}

void Counter::cross_lines(const Track& track, Person& person, CountPoint center, double side,
                          std::vector<CountEvent>& events) {
    for (std::size_t i = 0; i < plan_.lines.size(); ++i) {
        const CountLine& line = plan_.lines[i];
        const double offset = distance(line, center);
        if (std::abs(offset) < kLineBand * side) continue;
        const int now = offset > 0 ? 1 : -1;
        const LineSide before = std::exchange(person.lines[i], LineSide{now, center});
        if (before.side == 0 || before.side == now || !passes_between_ends(line, before.at, center)) continue;
        ++(now > 0 ? totals_.lines[i].in : totals_.lines[i].out);
        events.push_back(
            {CountEvent::Kind::crossed, seconds_, track.id, line.name, now > 0, 0, false, track.partner != 0});
    }
}

void Counter::visit_zones(std::int64_t id, Person& person, CountPoint center, std::vector<CountEvent>& events) {
    for (std::size_t i = 0; i < plan_.zones.size(); ++i) {
        Presence& presence = person.zones[i];
        if (contains(plan_.zones[i], center) == presence.inside) {
            presence.changed = -1;
            continue;
        }
        if (presence.changed < 0) presence.changed = seconds_;
        if (seconds_ - presence.changed < kZoneHold) continue;
        const double changed = std::exchange(presence.changed, -1);
        if (presence.inside) {
            exit_zone(id, person, i, changed, events);
            continue;
        }
        presence.inside = true;
        presence.since = changed;
        ++totals_.zones[i].occupancy;
        ++totals_.zones[i].visits;
        events.push_back({CountEvent::Kind::entered, changed, id, plan_.zones[i].name, false, 0});
    }
}

void Counter::exit_zone(std::int64_t id, Person& person, std::size_t zone, double seconds,
                        std::vector<CountEvent>& events) {
    Presence& presence = person.zones[zone];
    presence.inside = false;
    const double dwell = std::max(seconds - presence.since, 0.0);
    CountTotals::Zone& totals = totals_.zones[zone];
    --totals.occupancy;
    ++totals.exits;
    totals.dwell += dwell;
    events.push_back({CountEvent::Kind::exited, seconds, id, plan_.zones[zone].name, false, dwell});
}

void Counter::leave(std::int64_t id, Person& person, std::vector<CountEvent>& events) {
    double end = person.last;
    for (const Presence& presence : person.zones) {
        if (presence.inside) end = std::max(end, presence.since);  // entered while not seen
    }
    for (std::size_t i = 0; i < person.zones.size(); ++i) {
        if (person.zones[i].inside) exit_zone(id, person, i, end, events);
    }
    events.push_back({CountEvent::Kind::left, end, id, {}, false, end - person.first});
}

std::vector<CountEvent> Counter::finish() {
    std::vector<CountEvent> events;
    for (auto& [id, person] : people_) leave(id, person, events);
    people_.clear();
    totals_.people = 0;
    return events;
}

}  // namespace throng
