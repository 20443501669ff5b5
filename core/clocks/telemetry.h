// The board's condition once a second: loads, clocks, temperatures, power, and why a clock is held down.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/clocks/gpu_clock.h"
#include "core/clocks/nvml.h"
#include "core/clocks/system_files.h"
#include "core/detect/stage.h"

namespace throng {

struct NamedReading {
    std::string name;
    double value = 0;
};

struct TelemetrySample {
    std::chrono::system_clock::time_point time{};
    std::optional<Hertz> gpu_clock;
    std::optional<Hertz> cpu_clock;  // of the fastest core
    std::optional<Hertz> memory_clock;
    std::optional<double> gpu_load;          // 0 to 1
    std::optional<double> cpu_load;          // 0 to 1, all cores, since the sample before
    std::vector<NamedReading> temperatures;  // degrees Celsius, by the zone's own name
    std::vector<NamedReading> rails;         // watts, by the rail's own name
    std::optional<double> power;             // watts: the GPU's, or the board's input rail where it names one
    std::uint64_t throttle_reasons = 0;      // bits of throttle:: in nvml.h

    // Of the frames told to Telemetry::add_frame since the sample before; absent without any.
    std::uint64_t frames = 0;
    std::optional<double> frame_us;          // microseconds from decoded frame to boxes, mean
    std::vector<NamedReading> stages_us;     // mean of each stage that ran
    std::optional<double> joules_per_frame;  // power over the time passed, shared by the frames: idle time included

    [[nodiscard]] bool throttled() const noexcept { return (throttle_reasons & throttle::kSlowing) != 0; }
};

// The reasons in words, "power cap, too hot"; empty when there are none.
[[nodiscard]] std::string describe_throttling(std::uint64_t reasons);

// Reads one sample. Where the sensors lie is looked up once; a sensor that vanishes is left out.
class TelemetryReader {
public:
    TelemetryReader(std::shared_ptr<SystemFiles> files, std::shared_ptr<Nvml> nvml);
    [[nodiscard]] TelemetrySample read();

private:
    struct Counter {
        std::string file;
        std::int64_t last = 0;
    };
    struct Sensor {
        std::string name;
        std::string value;    // file; millidegrees, milliwatts, or millivolts when there is a current
        std::string current;  // file, milliamperes; empty where the value is power itself
    };
    void find_sensors();
    void find_throttling();
    [[nodiscard]] std::optional<Hertz> memory_clock() const;
    [[nodiscard]] std::uint64_t board_throttling();
    std::optional<double> cpu_load();  // since the call before

    std::shared_ptr<SystemFiles> files_;
    std::shared_ptr<Nvml> nvml_;
    std::unique_ptr<GpuClock> gpu_;
    std::vector<Sensor> temperatures_;
    std::vector<Sensor> rails_;
    std::vector<std::string> memory_clocks_;  // files, Hz; the first that can be read counts
    std::vector<std::string> cooling_;        // states of what cools by slowing down: 0 is off
    std::vector<Counter> over_current_;       // events so far
    std::int64_t busy_ = 0;
    std::int64_t total_ = 0;
};

// Samples on a thread of its own, keeps a short history and writes a CSV file when asked. Thread-safe.
class Telemetry {
public:
    struct Options {
        std::filesystem::path root;  // as in ClockOptions
        std::filesystem::path csv;   // empty: none
        std::chrono::milliseconds period{1000};
        std::size_t history = 120;
        int device = 0;          // number of the NVML device
        std::stop_token stop{};  // ends the constructor's waiting for the reader of a CSV that is a pipe
    };
    // Writes the header of the CSV; throws as OutputFile::write does. A file that fills up ends the log with a warning,
    // not the sampling.
    explicit Telemetry(Options options);
    ~Telemetry();
    Telemetry(const Telemetry&) = delete;
    Telemetry& operator=(const Telemetry&) = delete;

    // Ends the sampling and the file, with a last sample. Idempotent. Throws Error(input) when the file could not be
    // written to its end.
    void close();

    // A frame was done: its times become part of the next sample. Cheap, from any thread.
    void add_frame(const StageTimes& times);

    [[nodiscard]] std::optional<TelemetrySample> latest() const;
    [[nodiscard]] std::vector<TelemetrySample> history() const;  // oldest first
    // Samples ever taken: tells a reader whether there is a new one.
    [[nodiscard]] std::uint64_t count() const;
    // Processor time of the sampling thread over the time since its start: 0.01 is one per cent of one core.
    [[nodiscard]] double cost() const;

private:
    struct StageSum {
        std::string name;
        double ms = 0;
        std::uint64_t count = 0;
    };
    void run(const std::stop_token& stop);
    void join_frames(TelemetrySample& sample, double seconds);
    void write(const TelemetrySample& sample, const std::stop_token& stop);

    const Options options_;
    TelemetryReader reader_;
    std::optional<OutputFile> csv_;  // until it cannot be written any more
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<TelemetrySample> history_;
    std::uint64_t count_ = 0;
    double cost_ = 0;
    std::optional<Error> failure_;  // of the file
    std::mutex frames_mutex_;       // apart, so that a frame never waits for a reader of the history
    std::uint64_t frames_ = 0;
    std::vector<StageSum> stages_;
    std::jthread thread_;  // last: it uses all the others
};

}  // namespace throng
