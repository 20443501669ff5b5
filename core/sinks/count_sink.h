// Writes counts: events as JSON lines, a CSV with one row per minute, and both to listeners.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/output_file.h"
#include "core/count/counter.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Receives what a CountSink counts, on the thread that writes. Everything may throw Error, which ends the run.
class CountListener {
public:
    CountListener() = default;
    CountListener(const CountListener&) = delete;
    CountListener& operator=(const CountListener&) = delete;
    virtual ~CountListener() = default;

    // line: as --events writes it, without its end. In the order of its source.
    virtual void event(int source_number, const std::string& line) = 0;
    // After each frame, and once more when the people of a source are no longer followed.
    virtual void totals(int source_number, const CountTotals& totals) = 0;
    // Called once, after all else.
    virtual void close() = 0;
};

struct CountOutputs {
    std::string events;      // path of the JSON lines; empty: none; "-": standard output
    std::string per_minute;  // path of the CSV, likewise
    std::vector<std::shared_ptr<CountListener>> listeners{};
};

// For one source or several, whose results may be interleaved. The results need PipelineSettings::tracking.
//
// Events: {"source":"a.mp4","source_number":1,"frame":31,"pts":1.03,"event":"crossed","id":7,"line":"door",
// "direction":"in"}. event is appeared, left, crossed, entered or exited; pts is the time of the event, frame the frame
// in which it was noticed. Of a detector of people and their faces, crossed has facing: true or false. zone replaces line for entered and exited; left and exited have dwell in seconds. The events
// of a source are in the order of their times: they wait until none before them can follow.
//
// CSV: source, source_number, start (seconds), people_mean, people_max, new, unique; NAME_in and NAME_out per line;
// NAME_mean, NAME_max, NAME_visits and NAME_dwell (mean seconds of the visits that ended; empty if none did) per zone.
// An event counts in the minute of its pts. The last minute may be incomplete. Values that need quotes are quoted (RFC
// 4180).
class CountSink final : public ResultSink {
public:
    // Throws Error(input) if an output cannot be created.
    CountSink(const CountPlan& plan, const CountOutputs& outputs, std::stop_token stop = {});

    void write(const FrameResult& result) override;  // throws as OutputFile::write
    void close() override;                           // throws as OutputFile::close

private:
    struct ZoneMinute {
        std::int64_t sum = 0;
        int max = 0;
        std::int64_t visits = 0, exits = 0;
        double dwell = 0;  // seconds, sum over the exits
    };
    struct Minute {
        std::int64_t frames = 0;
        std::int64_t people_sum = 0;
        int people_max = 0;
        std::int64_t unique = 0;  // new ones
        std::vector<CountTotals::Line> lines;
        std::vector<ZoneMinute> zones;
    };
    struct Noticed {
        CountEvent event;
        std::int64_t frame = 0;
        bool knows_faces = false;  // FrameResult::faces
    };
    struct Source {
        explicit Source(const CountPlan& plan) : counter(plan) {}
        std::string name;
        Counter counter;
        std::int64_t frame = 0;
        bool knows_faces = false;
        std::multimap<double, Noticed> waiting;  // by time of the event
        std::map<std::int64_t, Minute> minutes;  // those that are not written, by number
        std::int64_t unique = 0;                 // until the last minute written
    };

    void add_events(Source& source, std::vector<CountEvent> events);
    void end_visits(Source& source, int number);
    void settle(Source& source, int number, double until);
    [[nodiscard]] Minute& minute_of(Source& source, double seconds) const;
    void count(Minute& minute, const CountEvent& event) const;
    void write_event(const Source& source, int number, const Noticed& noticed);
    void write_minute(Source& source, int number, std::int64_t start, const Minute& minute);

    CountPlan plan_;
    std::optional<OutputFile> events_, per_minute_;
    std::vector<std::shared_ptr<CountListener>> listeners_;
    std::map<int, Source> sources_;  // by number
    bool has_header_ = false;
    std::stop_token stop_;
};

}  // namespace throng
