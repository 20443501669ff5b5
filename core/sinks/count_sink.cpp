#include "core/sinks/count_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text_encoding.h"

namespace throng {
namespace {

constexpr double kMinute = 60;

const char* name_of(CountEvent::Kind kind) {
    switch (kind) {
        case CountEvent::Kind::appeared: return "appeared";
        case CountEvent::Kind::left: return "left";
        case CountEvent::Kind::crossed: return "crossed";
        case CountEvent::Kind::entered: return "entered";
        case CountEvent::Kind::exited: return "exited";
    }
    return "";
}

// Rounds to milliseconds, for readable numbers.
double rounded(double seconds) {
    return std::round(seconds * 1000) / 1000;
}

std::string csv_value(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + '"';
}

}  // namespace

CountSink::CountSink(const CountPlan& plan, const CountOutputs& outputs, std::stop_token stop)
    : plan_(plan), stop_(std::move(stop)) {
    if (!outputs.events.empty()) events_.emplace(outputs.events);
    if (!outputs.per_minute.empty()) per_minute_.emplace(outputs.per_minute);
}

void CountSink::write(const FrameResult& result) {
    const auto [at, is_new] = sources_.try_emplace(result.source_number, plan_);
    Source& source = at->second;
    const FrameInfo& info = result.frame.info();
    const auto minute = static_cast<std::int64_t>(std::floor(info.pts / kMinute));
    if (is_new) {
        source.name = result.source;
        source.minute = minute;
        source.zones.resize(plan_.zones.size());
        source.start = source.counter.totals();
    } else if (minute != source.minute) {
        write_minute(source, result.source_number);
        source.minute = minute;
    }
    source.frame = info.index;
    write_events(source, result.source_number, source.counter.update(result.tracks, info.pts, info.width, info.height));
    const CountTotals& totals = source.counter.totals();
    ++source.frames;
    source.people_sum += totals.people;
    source.people_max = std::max(source.people_max, totals.people);
    for (std::size_t i = 0; i < source.zones.size(); ++i) {
        source.zones[i].sum += totals.zones[i].occupancy;
        source.zones[i].max = std::max(source.zones[i].max, totals.zones[i].occupancy);
    }
}

void CountSink::write_events(const Source& source, int number, const std::vector<CountEvent>& events) {
    if (!events_ || events.empty()) return;
    std::string lines;
    for (const CountEvent& event : events) {
        nlohmann::ordered_json json = {
            {"source", name_as_text(source.name)}, {"source_number", number},      {"frame", source.frame},
            {"pts", rounded(event.seconds)},       {"event", name_of(event.kind)}, {"id", event.id}};
        switch (event.kind) {
            case CountEvent::Kind::appeared: break;
            case CountEvent::Kind::crossed:
                json["line"] = event.name;
                json["direction"] = event.in ? "in" : "out";
                break;
            case CountEvent::Kind::exited:
                json["zone"] = event.name;
                json["dwell"] = rounded(event.dwell);
                break;
            case CountEvent::Kind::entered: json["zone"] = event.name; break;
            case CountEvent::Kind::left: json["dwell"] = rounded(event.dwell); break;
        }
        lines += json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
    }
    events_->write(lines, stop_);
}

// Writes the row of the minute and starts the next one.
void CountSink::write_minute(Source& source, int number) {
    const CountTotals& totals = source.counter.totals();
    const auto frames = static_cast<double>(std::max<std::int64_t>(source.frames, 1));
    if (per_minute_) {
        std::string text;
        if (!std::exchange(has_header_, true)) {
            text = "source,source_number,start,people_mean,people_max,new,unique";
            for (const CountLine& line : plan_.lines) text += fmt::format(",{0}_in,{0}_out", line.name);
            for (const CountZone& zone : plan_.zones) {
                text += fmt::format(",{0}_mean,{0}_max,{0}_visits,{0}_dwell", zone.name);
            }
            text += '\n';
        }
        text += fmt::format("{},{},{},{:.2f},{},{},{}", csv_value(source.name), number,
                            static_cast<std::int64_t>(kMinute) * source.minute,
                            static_cast<double>(source.people_sum) / frames, source.people_max,
                            totals.unique - source.start.unique, totals.unique);
        for (std::size_t i = 0; i < totals.lines.size(); ++i) {
            text += fmt::format(",{},{}", totals.lines[i].in - source.start.lines[i].in,
                                totals.lines[i].out - source.start.lines[i].out);
        }
        for (std::size_t i = 0; i < totals.zones.size(); ++i) {
            const CountTotals::Zone& now = totals.zones[i];
            const CountTotals::Zone& before = source.start.zones[i];
            text += fmt::format(",{:.2f},{},{},", static_cast<double>(source.zones[i].sum) / frames,
                                source.zones[i].max, now.visits - before.visits);
            const std::int64_t exits = now.exits - before.exits;
            if (exits > 0) text += fmt::format("{:.2f}", (now.dwell - before.dwell) / static_cast<double>(exits));
        }
        per_minute_->write(text + '\n', stop_);
    }
    source.frames = source.people_sum = 0;
    source.people_max = 0;
    source.zones.assign(plan_.zones.size(), {});
    source.start = totals;
}

void CountSink::close() {
    const bool has_frames = !sources_.empty();
    for (auto& [number, source] : sources_) {
        write_events(source, number, source.counter.finish());
        if (source.frames > 0) write_minute(source, number);
    }
    sources_.clear();
    // Without events, the file is empty; it is not that of an earlier run.
    if (events_ && has_frames && !events_->is_open()) events_->write({}, stop_);
    if (events_) events_->close();
    if (per_minute_) per_minute_->close();
}

}  // namespace throng
