#include "core/sinks/count_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/csv.h"
#include "core/base/json_text.h"
#include "core/base/text_encoding.h"

namespace throng {
namespace {

constexpr double kMinute = 60;

constexpr std::pair<std::string_view, CountEvent::Kind> kEventNames[] = {{"appeared", CountEvent::Kind::appeared},
                                                                         {"left", CountEvent::Kind::left},
                                                                         {"crossed", CountEvent::Kind::crossed},
                                                                         {"entered", CountEvent::Kind::entered},
                                                                         {"exited", CountEvent::Kind::exited}};

// Rounds to milliseconds, for readable numbers.
double rounded(double seconds) {
    return std::round(seconds * 1000) / 1000;
}

}  // namespace

CountSink::CountSink(const CountPlan& plan, const CountOutputs& outputs, std::stop_token stop)
    : plan_(plan), listeners_(outputs.listeners), stop_(std::move(stop)) {
    if (!outputs.events.empty()) events_.emplace(outputs.events);
    if (!outputs.per_minute.empty()) per_minute_.emplace(outputs.per_minute);
}

void CountSink::write(const FrameResult& result) {
    const auto [at, is_new] = sources_.try_emplace(result.source_number, plan_);
    Source& source = at->second;
    const FrameInfo& info = result.frame.info();
    if (is_new) source.name = result.source;
    // Write first what happened until then.
    if (!is_new && source.counter.goes_back(info.pts)) end_visits(source, result.source_number);
    source.frame = info.index;
    source.knows_faces = result.faces != nullptr;
    add_events(source, source.counter.update(result.tracks, info.pts, info.width, info.height));
    const CountTotals& totals = source.counter.totals();
    Minute& minute = minute_of(source, info.pts);
    ++minute.frames;
    minute.people_sum += totals.people;
    minute.people_max = std::max(minute.people_max, totals.people);
    for (std::size_t i = 0; i < minute.zones.size(); ++i) {
        minute.zones[i].sum += totals.zones[i].occupancy;
        minute.zones[i].max = std::max(minute.zones[i].max, totals.zones[i].occupancy);
    }
    for (const auto& listener : listeners_) listener->totals(result.source_number, totals);
    settle(source, result.source_number, source.counter.settled_until());
}

void CountSink::add_events(Source& source, std::vector<CountEvent> events) {
    for (CountEvent& event : events)
        source.waiting.emplace(event.seconds, Noticed{std::move(event), source.frame, source.knows_faces});
}

void CountSink::end_visits(Source& source, int number) {
    add_events(source, source.counter.finish());
    for (const auto& listener : listeners_) listener->totals(number, source.counter.totals());
    settle(source, number, std::numeric_limits<double>::infinity());
}

// Writes the events and minutes that nothing before `until` can follow.
void CountSink::settle(Source& source, int number, double until) {
    while (!source.waiting.empty() && source.waiting.begin()->first <= until) {
        const Noticed& noticed = source.waiting.begin()->second;
        count(minute_of(source, noticed.event.seconds), noticed.event);
        write_event(source, number, noticed);
        source.waiting.erase(source.waiting.begin());
    }
    while (!source.minutes.empty() && static_cast<double>(source.minutes.begin()->first + 1) * kMinute <= until) {
        write_minute(source, number, source.minutes.begin()->first, source.minutes.begin()->second);
        source.minutes.erase(source.minutes.begin());
    }
}

CountSink::Minute& CountSink::minute_of(Source& source, double seconds) const {
    const auto [minute, is_new] = source.minutes.try_emplace(static_cast<std::int64_t>(std::floor(seconds / kMinute)));
    if (is_new) {
        minute->second.lines.resize(plan_.lines.size());
        minute->second.zones.resize(plan_.zones.size());
    }
    return minute->second;
}

void CountSink::count(Minute& minute, const CountEvent& event) const {
    const auto find = [&event](const auto& shapes, auto& counts) -> auto& {
        const auto found =
            std::find_if(shapes.begin(), shapes.end(), [&](const auto& s) { return s.name == event.name; });
        return counts.at(static_cast<std::size_t>(found - shapes.begin()));
    };
    switch (event.kind) {
        case CountEvent::Kind::appeared: minute.unique += event.again ? 0 : 1; break;
        case CountEvent::Kind::left: break;
        case CountEvent::Kind::crossed: {
            CountTotals::Line& line = find(plan_.lines, minute.lines);
            ++(event.in ? line.in : line.out);
            break;
        }
        case CountEvent::Kind::entered: ++find(plan_.zones, minute.zones).visits; break;
        case CountEvent::Kind::exited: {
            ZoneMinute& zone = find(plan_.zones, minute.zones);
            ++zone.exits;
            zone.dwell += event.dwell;
            break;
        }
    }
}

void CountSink::write_event(const Source& source, int number, const Noticed& noticed) {
    if (!events_ && listeners_.empty()) return;
    const CountEvent& event = noticed.event;
    nlohmann::ordered_json json = {{"source", name_as_text(source.name)},
                                   {"source_number", number},
                                   {"frame", noticed.frame},
                                   {"pts", rounded(event.seconds)},
                                   {"event", name_of(kEventNames, event.kind)},
                                   {"id", event.id}};
    switch (event.kind) {
        case CountEvent::Kind::appeared: break;
        case CountEvent::Kind::crossed:
            json["line"] = event.name;
            json["direction"] = event.in ? "in" : "out";
            if (noticed.knows_faces) json["facing"] = event.facing;
            break;
        case CountEvent::Kind::exited:
            json["zone"] = event.name;
            json["dwell"] = rounded(event.dwell);
            break;
        case CountEvent::Kind::entered: json["zone"] = event.name; break;
        case CountEvent::Kind::left: json["dwell"] = rounded(event.dwell); break;
    }
    const std::string line = json_text(json);
    for (const auto& listener : listeners_) listener->event(number, line);
    if (events_) events_->write(line + '\n', stop_);
}

void CountSink::write_minute(Source& source, int number, std::int64_t start, const Minute& minute) {
    source.unique += minute.unique;
    if (!per_minute_) return;
    const auto frames = static_cast<double>(std::max<std::int64_t>(minute.frames, 1));
    std::string text;
    if (!std::exchange(has_header_, true)) {
        text = "source,source_number,start,people_mean,people_max,new,unique";
        for (const CountLine& line : plan_.lines) text += fmt::format(",{0}_in,{0}_out", line.name);
        for (const CountZone& zone : plan_.zones) {
            text += fmt::format(",{0}_mean,{0}_max,{0}_visits,{0}_dwell", zone.name);
        }
        text += '\n';
    }
    text += fmt::format("{},{},{},{:.2f},{},{},{}", csv_cell(source.name), number,
                        static_cast<std::int64_t>(kMinute) * start, static_cast<double>(minute.people_sum) / frames,
                        minute.people_max, minute.unique, source.unique);
    for (const CountTotals::Line& line : minute.lines) text += fmt::format(",{},{}", line.in, line.out);
    for (const ZoneMinute& zone : minute.zones) {
        text += fmt::format(",{:.2f},{},{},", static_cast<double>(zone.sum) / frames, zone.max, zone.visits);
        if (zone.exits > 0) text += fmt::format("{:.2f}", zone.dwell / static_cast<double>(zone.exits));
    }
    per_minute_->write(text + '\n', stop_);
}

void CountSink::close() {
    for (auto& [number, source] : sources_) end_visits(source, number);
    const bool has_frames = !sources_.empty();
    sources_.clear();
    // Without events, the file is empty; it is not that of an earlier run.
    if (events_ && has_frames && !events_->is_open()) events_->write({}, stop_);
    if (events_) events_->close();
    if (per_minute_) per_minute_->close();
    for (const auto& listener : listeners_) listener->close();
}

}  // namespace throng
