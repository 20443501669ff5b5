#include "core/sinks/trace_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/sinks/json_sink.h"

namespace throng {
namespace {

constexpr const char* kRowNames[] = {"decode", "detect", "frames", "CPU stages", "GPU stages"};

// The format counts in microseconds. Three decimals keep the nanoseconds, so that events do not overlap by rounding.
std::string microseconds(std::int64_t nanoseconds) {
    return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

std::int64_t nanoseconds(double ms) {
    return std::isfinite(ms) && ms > 0 ? std::llround(ms * 1e6) : 0;
}

}  // namespace

TraceSink::TraceSink(std::string path, std::stop_token stop)
    : file_(std::move(path)), stop_(std::move(stop)), start_(std::chrono::steady_clock::now()) {}

TraceSink::~TraceSink() {
    finish_array();
}

void TraceSink::write(const FrameResult& result) {
    if (failure_ || closed_) return;
    const FrameTrace& trace = result.trace;
    const int process = result.source_number;
    const auto [known, added] = processes_.try_emplace(process);
    if (added || known->second != result.source) {
        known->second = result.source;
        add_name(process, std::nullopt, result.source);
    }
    const FrameInfo& info = result.frame.info();
    const std::string number = fmt::format("\"frame\":{}", info.index);

    const Nanoseconds decoded = since_start(trace.decoded);
    const Nanoseconds begin = std::max<Nanoseconds>(0, decoded - nanoseconds(trace.decode_ms));
    const Nanoseconds submitted = std::max(since_start(trace.submit_begin), decoded);
    const Nanoseconds submit_end = std::max(since_start(trace.submit_end), submitted);
    const Nanoseconds collecting = std::max(since_start(trace.collect_begin), submit_end);
    const Nanoseconds done = std::max(since_start(trace.collect_end), collecting);

    add(process, Row::decode, {stage::kDecode, "stage", begin, decoded, number});
    add(process, Row::detect, {"submit", "thread", submitted, submit_end, number});
    add(process, Row::detect, {"collect", "thread", collecting, done, number});
    add(process, Row::frames,
        {"frame", "frame", begin, done,
         fmt::format("{},\"pts\":{},\"kept\":{},\"raw\":{},\"latency_ms\":{:.3f}", number,
                     std::isfinite(info.pts) ? info.pts : 0, result.kept.detections.size(), result.raw_count,
                     std::isfinite(result.latency_ms) ? result.latency_ms : 0)},
        {{"wait", "frame", decoded, submitted, number}, {stage::kTotal, "stage", submitted, done, number}});
    add_stages(result);
    add_counter(process, "queue", submitted, fmt::format("\"frames\":{}", trace.queued));
    add_counter(process, "in flight", submitted, fmt::format("\"frames\":{}", trace.in_flight));
    add_counter(process, "detections", done,
                fmt::format("\"raw\":{},\"kept\":{}", result.raw_count, result.kept.detections.size()));
    try {
        file_.write(text_, stop_);
    } catch (const Error& error) {
        failure_ = error;
        throw;
    }
    empty_ = false;
    text_.clear();
}

// Only durations are known: the stages follow each other from the start of the frame, or from the end of the stages of
// the frame before it.
void TraceSink::add_stages(const FrameResult& result) {
    const FrameTrace& trace = result.trace;
    const Row row = trace.on_device ? Row::gpu_stages : Row::cpu_stages;
    const std::string number = fmt::format("\"frame\":{}", result.frame.info().index);
    const std::vector<Nanoseconds>& ends = lanes_[{result.source_number, row}];
    Nanoseconds at = std::max(since_start(trace.submit_begin), ends.empty() ? 0 : ends.front());
    for (const StageTime& time : result.timings) {
        if (time.name == stage::kDecode || time.name == stage::kTotal) continue;  // on the other rows
        Nanoseconds begin = at;
        Row target = row;
        if (time.name == stage::kTrack) {  // on the host, at the end
            target = Row::cpu_stages;
            begin = since_start(trace.collect_end) - nanoseconds(time.ms);
            if (target == row) begin = std::max(begin, at);
        }
        const Nanoseconds end = begin + nanoseconds(time.ms);
        add(result.source_number, target, {time.name, "stage", begin, end, number});
        if (target == row) at = end;
    }
}

void TraceSink::close() {
    finish_array();
    if (failure_) throw Error(*failure_);
    file_.close();
}

// After a failed write, the file was truncated to its complete events, so the end usually fits.
void TraceSink::finish_array() {
    if (std::exchange(closed_, true)) return;
    if (!file_.is_open() && failure_) return;
    try {
        file_.write(empty_ ? "[\n]\n" : "\n]\n", stop_);
    } catch (const Error& error) {
        if (!failure_) failure_ = error;
    }
}

TraceSink::Nanoseconds TraceSink::since_start(FrameTrace::Time time) const {
    const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time - start_).count();
    return std::max<Nanoseconds>(0, since);
}

// Perfetto takes a thread 0 for the one with the number of its process, and names threads by their number alone.
int TraceSink::thread_of(int process, Row row, std::size_t lane) {
    constexpr int kRows = static_cast<int>(std::size(kRowNames));
    return (process * kRows + static_cast<int>(row)) * kMaxLanes + static_cast<int>(lane);
}

// Returns the thread of the first lane of a row that is free at `begin`. If none is, moves `begin` to the end of the event
// before it, so that events of a thread never overlap.
int TraceSink::lane_of(int process, Row row, Nanoseconds& begin, Nanoseconds end) {
    std::vector<Nanoseconds>& ends = lanes_[{process, row}];
    auto lane = std::find_if(ends.begin(), ends.end(), [&](Nanoseconds each) { return each <= begin; });
    if (lane == ends.end() && ends.size() < kMaxLanes) {
        ends.push_back(0);
        lane = std::prev(ends.end());
        const std::string suffix = ends.size() > 1 ? fmt::format(" {}", ends.size()) : std::string();
        add_name(process, thread_of(process, row, ends.size() - 1), kRowNames[static_cast<int>(row)] + suffix);
    } else if (lane == ends.end()) {
        lane = std::min_element(ends.begin(), ends.end());
        begin = *lane;
    }
    *lane = std::max(begin, end);
    return thread_of(process, row, static_cast<std::size_t>(lane - ends.begin()));
}

// Children lie within the event and do not overlap.
void TraceSink::add(int process, Row row, Event event, const std::vector<Event>& children) {
    const int thread = lane_of(process, row, event.begin, event.end);
    event.end = std::max(event.begin, event.end);
    add_event(process, thread, event);
    for (Event child : children) {
        child.begin = std::clamp(child.begin, event.begin, event.end);
        child.end = std::clamp(child.end, child.begin, event.end);
        add_event(process, thread, child);
    }
}

void TraceSink::add_event(int process, int thread, const Event& event) {
    append(fmt::format(R"({{"name":"{}","cat":"{}","ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                       event.name, event.category, process, thread, microseconds(event.begin),
                       microseconds(event.end - event.begin), event.args));
}

void TraceSink::add_counter(int process, std::string_view name, Nanoseconds at, const std::string& args) {
    append(fmt::format(R"({{"name":"{}","ph":"C","pid":{},"ts":{},"args":{{{}}}}})", name, process, microseconds(at),
                       args));
}

// Without a thread it is the name of the process.
void TraceSink::add_name(int process, std::optional<int> thread, const std::string& name) {
    append(fmt::format(R"({{"name":"{}","ph":"M","pid":{},{}"args":{{"name":{}}}}})",
                       thread ? "thread_name" : "process_name", process,
                       thread ? fmt::format("\"tid\":{},", *thread) : std::string(), json_string(name)));
}

void TraceSink::append(const std::string& object) {
    text_ += empty_ && text_.empty() ? "[\n" : ",\n";
    text_ += object;
}

}  // namespace throng
