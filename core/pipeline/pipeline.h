// The engine behind window and command line: one source, one decode thread, one detect thread. Knows no Qt; the UI
// pulls.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/pipeline/frame_result.h"
#include "core/pipeline/pipeline_settings.h"
#include "core/pipeline/stage_statistics.h"
#include "core/video/source.h"

namespace throng {

enum class PipelineState { idle, running, paused, ended, failed };

struct PipelineCounters {
    std::uint64_t decoded = 0;
    std::uint64_t detected = 0;    // results made
    std::uint64_t dropped = 0;     // replaced by a newer frame before detection (live, or a file played in real time)
    std::uint64_t overflowed = 0;  // frames that requested more than capacity
    double fps = 0;                // results a second, over the last second or so
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

    // Starts both threads, once. The detect thread makes the detector: what fails there appears as state failed.
    void start();
    // Asks, waits for both threads, closes the sinks; idempotent. A sink that cannot be closed appears in failure().
    void stop();
    // Until ended, failed or stopped; without real_time the sinks are closed then.
    void wait();
    // The same for at most `timeout`; false when it is still running.
    bool wait_for(std::chrono::milliseconds timeout);

    // The newest result, or null. Never waits for a frame.
    [[nodiscard]] std::shared_ptr<const FrameResult> latest() const;
    // Called from the detect thread after each new result and each change of state; must only post a message.
    void set_wake(std::function<void()> wake);

    // While no frames flow (paused, ended) the last frame is detected again, so that latest() shows the effect; sinks
    // do not get it twice. Throws Error(usage) at once for values that make no sense; other failures (a model that does
    // not load) appear as notice() and the previous detector goes on.
    void update(const PipelineSettings& settings);
    [[nodiscard]] PipelineSettings settings() const;

    void pause(bool paused);
    void step();                // one frame, then paused
    void seek(double seconds);  // also back from the end of a real_time source
    void set_loop(bool loop);
    void set_speed(double speed);

    [[nodiscard]] PipelineState state() const;
    [[nodiscard]] std::optional<Error> failure() const;
    [[nodiscard]] std::string notice()
        const;  // one line about trouble that did not end the run; empty when all is well
    // Why the frames decoded so far are not all that the source holds (see VideoSource::incomplete); empty while
    // nothing is missing. Final in state ended or failed.
    [[nodiscard]] std::string incomplete() const;
    [[nodiscard]] SourceInfo source_info() const;
    [[nodiscard]] PipelineCounters counters() const;
    [[nodiscard]] std::vector<StageSummary> timings() const;  // in the order of the stages
    // Of the backend at work now: after a failure it is the one that took over.
    [[nodiscard]] std::string backend_name() const;
    [[nodiscard]] std::string backend_description() const;
    [[nodiscard]] std::optional<DeviceMemory> device_memory() const;  // of a device with memory of its own
    // What can be switched of the detector at work, as it is now; empty before the detector is made. Choices are made
    // by PipelineSettings::detector.switches.
    [[nodiscard]] std::vector<DetectorSwitch> switches() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
