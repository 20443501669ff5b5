// The engine behind window and command line: one source, one decode thread, one detect thread. Knows no Qt; the UI pulls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/rolling.h"
#include "core/detect/backend.h"
#include "core/pipeline/frame_result.h"
#include "core/video/source.h"

namespace throng {

// What may change while frames flow; applied between two frames.
struct PipelineSettings {
    DetectorParams detector;
    NmsParams nms;
    bool keep_raw = false;             // bring raw detections to the host too
    std::int32_t capacity = 16384;     // D_max at the start
    std::int32_t capacity_limit = 1 << 20;  // buffers grow up to here when a frame wanted more
};

struct PipelineOptions {
    bool real_time = false;     // pace a file by its time stamps (window); false: as fast as it goes (headless)
    bool loop = false;
    double speed = 1.0;         // of real_time
    std::int64_t max_frames = 0;  // 0: all
};

enum class PipelineState { idle, running, paused, ended, failed };

struct PipelineCounters {
    std::uint64_t decoded = 0;
    std::uint64_t detected = 0;   // results made
    std::uint64_t dropped = 0;    // replaced by a newer frame before detection (live, or a file played in real time)
    std::uint64_t overflowed = 0; // frames that wanted more than capacity
    double fps = 0;               // results a second, over the last second or so
};

struct StageSummary {
    std::string name;
    RollingSummary ms;
};

// All members are thread-safe. The destructor stops.
class Pipeline {
public:
    Pipeline(std::unique_ptr<VideoSource> source, std::shared_ptr<Backend> backend, const PipelineSettings& settings,
             const PipelineOptions& options = {});
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    // Sinks get every result, in order; add before start or while running. A removed sink is closed.
    void add_sink(std::shared_ptr<ResultSink> sink);
    void remove_sink(const std::shared_ptr<ResultSink>& sink);

    void start();
    void stop();   // asks, waits for both threads, closes the sinks; idempotent
    void wait();   // until ended or failed

    // The newest result, or null. Never waits for a frame.
    [[nodiscard]] std::shared_ptr<const FrameResult> latest() const;
    // Called from the detect thread after each new result and each change of state; must only post a message.
    void set_wake(std::function<void()> wake);

    // Throws Error(usage) at once for values that make no sense; other failures (a model that does not load) appear as notice()
    // and the former detector goes on.
    void update(const PipelineSettings& settings);
    [[nodiscard]] PipelineSettings settings() const;

    void pause(bool paused);
    void step();                  // one frame, then paused
    void seek(double seconds);
    void set_loop(bool loop);
    void set_speed(double speed);

    [[nodiscard]] PipelineState state() const;
    [[nodiscard]] std::optional<Error> failure() const;
    [[nodiscard]] std::string notice() const;  // one line about trouble that did not end the run; empty when all is well
    [[nodiscard]] SourceInfo source_info() const;
    [[nodiscard]] PipelineCounters counters() const;
    [[nodiscard]] std::vector<StageSummary> timings() const;  // in the order of the stages
    [[nodiscard]] std::string backend_name() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
