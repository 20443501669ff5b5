#include "app/api/detect/counts.h"

#include <utility>

namespace throng::api {
namespace {

CountPlan plan_of(const std::string& file, const std::stop_token& stop) {
    return file.empty() ? CountPlan{1, 1, {}, {}} : load_count_plan(file, stop);
}

// In the order of CountEvent::Kind.
static_assert(static_cast<int>(CountEvent::Kind::appeared) == THRONG_EVENT_APPEARED &&
              static_cast<int>(CountEvent::Kind::left) == THRONG_EVENT_LEFT &&
              static_cast<int>(CountEvent::Kind::crossed) == THRONG_EVENT_CROSSED &&
              static_cast<int>(CountEvent::Kind::entered) == THRONG_EVENT_ENTERED &&
              static_cast<int>(CountEvent::Kind::exited) == THRONG_EVENT_EXITED);

}  // namespace

StreamCounts::StreamCounts(const std::string& file, const std::stop_token& stop)
    : plan_(plan_of(file, stop)), counter_(plan_) {
    publish({});
}

void StreamCounts::add(const FrameResult& result) {
    const FrameInfo& info = result.frame.info();
    publish(counter_.update(result.tracks, info.pts, info.width, info.height));
}

void StreamCounts::finish() {
    if (!std::exchange(finished_, true)) publish(counter_.finish());
}

const char* StreamCounts::name_of(const CountEvent& event) const {
    for (const CountLine& line : plan_.lines) {
        if (line.name == event.name) return line.name.c_str();
    }
    for (const CountZone& zone : plan_.zones) {
        if (zone.name == event.name) return zone.name.c_str();
    }
    return "";
}

void StreamCounts::publish(const std::vector<CountEvent>& events) {
    const CountTotals& totals = counter_.totals();
    shapes_.clear();
    for (std::size_t k = 0; k < plan_.lines.size(); ++k) {
        throng_shape& line = shapes_.emplace_back();
        line.name = plan_.lines[k].name.c_str();
        line.in = totals.lines[k].in;
        line.out = totals.lines[k].out;
    }
    for (std::size_t k = 0; k < plan_.zones.size(); ++k) {
        throng_shape& zone = shapes_.emplace_back();
        zone.name = plan_.zones[k].name.c_str();
        zone.is_zone = 1;
        zone.occupancy = totals.zones[k].occupancy;
        zone.in = totals.zones[k].visits;
        zone.out = totals.zones[k].exits;
        zone.dwell = totals.zones[k].dwell;
    }
    events_.clear();
    for (const CountEvent& event : events) {
        throng_event& to = events_.emplace_back();
        to.kind = static_cast<std::int32_t>(event.kind);
        to.in = event.in ? 1 : 0;
        to.again = event.again ? 1 : 0;
        to.facing = event.facing ? 1 : 0;
        to.track = event.id;
        to.seconds = event.seconds;
        to.dwell = event.dwell;
        to.name = name_of(event);
    }
    counts_.size = sizeof counts_;
    counts_.people = totals.people;
    counts_.unique = totals.unique;
    counts_.size_of_shape = sizeof(throng_shape);
    counts_.size_of_event = sizeof(throng_event);
    counts_.shapes = shapes_.data();
    counts_.num_shapes = static_cast<std::int64_t>(shapes_.size());
    counts_.events = events_.data();
    counts_.num_events = static_cast<std::int64_t>(events_.size());
}

}  // namespace throng::api
