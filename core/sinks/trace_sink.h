// Writes when each frame passed the threads and stages of its pipeline, in the trace event format of Chrome, which
// ui.perfetto.dev and chrome://tracing open.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/output_file.h"
#include "core/pipeline/frame_result.h"

namespace throng {

// Every source is a process with these threads, whose numbers no other process has:
//   decode      reads a frame
//   detect      submits frames, and collects their boxes
//   frames      one event from decoding to boxes, with its waiting time and its total; several in parallel
//   CPU stages  or GPU stages: the stages of the table, one after the other in the order in which a frame passes them.
//               Durations are measured. Starts are not: a frame's first stage starts when it is submitted. Those of a GPU
//               are of the newest frame measured, which is an earlier one.
// Counters: frames in the queue and in flight, raw and kept detections.
//
// Writes every frame at once, and holds the ends of a few events. The file is a complete JSON array after close, and
// after the destructor, also if the disk is full.
class TraceSink final : public ResultSink {
public:
    // path "-" is standard output. stop ends the wait for the reader of a pipe. Throws Error(input) if the file cannot
    // be created. Times count from now.
    explicit TraceSink(std::string path, std::stop_token stop = {});
    ~TraceSink() override;

    // Throws as OutputFile::write, once: later results are ignored, because a failed trace does not continue.
    void write(const FrameResult& result) override;
    void close() override;  // throws the error of write, if any, or as OutputFile::close

    static constexpr int kMaxLanes = 16;  // threads on which events of one kind are shown in parallel

private:
    using Nanoseconds = std::int64_t;
    enum class Row : std::uint8_t { decode, detect, frames, cpu_stages, gpu_stages };
    struct Event {
        std::string_view name;
        std::string_view category;
        Nanoseconds begin;
        Nanoseconds end;
        std::string args;  // members of a JSON object
    };

    [[nodiscard]] Nanoseconds since_start(FrameTrace::Time time) const;
    [[nodiscard]] static int thread_of(int process, Row row, std::size_t lane);
    [[nodiscard]] int lane_of(int process, Row row, Nanoseconds& begin, Nanoseconds end);
    void add(int process, Row row, Event event, const std::vector<Event>& children = {});
    void add_event(int process, int thread, const Event& event);
    void add_stages(const FrameResult& result);
    void add_counter(int process, std::string_view name, Nanoseconds at, const std::string& args);
    void add_name(int process, std::optional<int> thread, const std::string& name);
    void append(const std::string& object);
    void finish_array();

    OutputFile file_;
    std::stop_token stop_;
    FrameTrace::Time start_;
    std::map<std::pair<int, Row>, std::vector<Nanoseconds>> lanes_;  // ends of the last events
    std::map<int, std::string> processes_;                           // names of the sources
    std::string text_;                                               // of the current frame
    bool empty_ = true;
    bool closed_ = false;
    std::optional<Error> failure_;
};

}  // namespace throng
