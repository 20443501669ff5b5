// The engine behind the window and the command line: one source, one decode thread, one detect thread. Independent of
// Qt; the UI polls it.
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
    std::uint64_t detected = 0;    // results produced
    std::uint64_t dropped = 0;     // replaced by a newer frame before detection (live, or a file played in real time)
    std::uint64_t overflowed = 0;  // frames with more detections than the capacity
    double fps = 0;                // results per second, over about the last second; 0 while silent
    bool silent = false;           // the last result is 2 s old, or three times as old as the one before was then
};

// All members are thread-safe. The destructor calls stop.
class Pipeline {
public:
    Pipeline(std::unique_ptr<VideoSource> source, std::shared_ptr<Backend> backend, const PipelineSettings& settings,
             const PipelineOptions& options = {});
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    // A sink receives every result in order. Sinks may be added before start or while running. A removed sink is
    // closed.
    void add_sink(std::shared_ptr<ResultSink> sink);
    void remove_sink(const std::shared_ptr<ResultSink>& sink);

    // Starts both threads; further calls do nothing. The detect thread creates the detector: a failure there appears as
    // state failed.
    void start();
    // Blocks until the detector is made and frames are awaited. Returns false if it cannot be made (failure) or a stop came
    // first.
    bool wait_ready();
    // Requests a stop, waits for both threads and closes the sinks. Idempotent. An error on closing a sink appears in
    // failure().
    void stop();
    // Blocks until the pipeline has ended, failed or stopped. Without real_time, the sinks are closed by then.
    void wait();
    // Like wait, for at most `timeout`. Returns false if the pipeline is still running.
    bool wait_for(std::chrono::milliseconds timeout);

    // Returns the newest result, or null. Never waits for a frame.
    [[nodiscard]] std::shared_ptr<const FrameResult> latest() const;
    // Sets a callback that a thread of the pipeline calls after each result, each carried frame and each change of state. The callback must return
    // quickly, for example after posting a message.
    void set_wake(std::function<void()> wake);

    // Changes the settings. While paused or ended, detection runs again on the last frame, so that latest() shows the
    // effect; sinks do not receive that frame twice. Throws Error(usage) at once for invalid values. Other failures (a
    // model that does not load) appear in notice(), and the previous detector remains in use.
    void update(const PipelineSettings& settings);
    [[nodiscard]] PipelineSettings settings() const;

    void pause(bool paused);
    void step();                // one frame, then paused
    void seek(double seconds);  // also back from the end of a real_time source
    void set_loop(bool loop);
    void set_speed(double speed);

    [[nodiscard]] PipelineState state() const;
    [[nodiscard]] std::optional<Error> failure() const;
    // Returns one line about errors that did not end the run; empty without such errors.
    [[nodiscard]] Message notice() const;
    // Returns how detection reduces quality now for PipelineSettings::keep_rate; normally empty.
    [[nodiscard]] Message given_up() const;
    // Returns why the frames decoded so far are not all frames of the source (see VideoSource::incomplete); empty while
    // no frame is missing. Final in state ended or failed.
    [[nodiscard]] std::string incomplete() const;
    [[nodiscard]] SourceInfo source_info() const;
    [[nodiscard]] PipelineCounters counters() const;
    [[nodiscard]] std::vector<StageSummary> timings() const;  // in the order of the stages
    // Both describe the backend in use: after a failure this is the fallback.
    [[nodiscard]] BackendKind backend_kind() const;
    [[nodiscard]] std::string backend_name() const;
    [[nodiscard]] std::string backend_description() const;
    [[nodiscard]] std::optional<DeviceMemory> device_memory() const;  // none if the device has no memory of its own
    // Returns the switches of the detector in use with their current values; empty before the detector is created.
    // PipelineSettings::detector.switches sets them.
    [[nodiscard]] std::vector<DetectorSwitch> switches() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace throng
