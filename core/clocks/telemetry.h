// Samples the board once per second: loads, clocks, temperatures, power and throttle reasons.
#pragma once

#include <chrono>
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
#include "core/clocks/board_clock.h"
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
    std::optional<double> cpu_load;          // 0 to 1, all cores, since the previous sample
    std::vector<NamedReading> temperatures;  // degrees Celsius, by name of the thermal zone
    std::vector<NamedReading> rails;         // watts, by name of the rail
    std::optional<double> power;             // watts: of the GPU, or of the board's input rail if it has one
    std::uint64_t throttle_reasons = 0;      // bits of throttle:: in nvml.h

    // Of the frames passed to Telemetry::add_frame since the previous sample; absent if there were none.
    std::uint64_t frames = 0;
    std::optional<double> frame_us;          // microseconds from decoded frame to boxes, mean
    std::vector<NamedReading> stages_us;     // mean of each stage that ran
    std::optional<double> joules_per_frame;  // energy since the previous sample / frames; includes idle time

    [[nodiscard]] bool throttled() const noexcept { return (throttle_reasons & throttle::kSlowing) != 0; }
};

// Returns the reasons as text, "power cap, too hot"; empty if there are none.
[[nodiscard]] std::string describe_throttling(std::uint64_t reasons);

// Reads samples. The sensors are located once; a sensor that disappears is omitted from the sample.
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
        std::string value;    // file; millidegrees, milliwatts, or millivolts if there is a current
        std::string current;  // file, milliamperes; empty if the value is power
    };
    void find_sensors();
    void find_throttling();
    [[nodiscard]] std::uint64_t board_throttling();
    std::optional<double> cpu_load();  // since the previous call

    std::shared_ptr<SystemFiles> files_;
    std::shared_ptr<Nvml> nvml_;
    std::unique_ptr<BoardClock> gpu_;
    std::unique_ptr<BoardClock> memory_;
    std::vector<Sensor> temperatures_;
    std::vector<Sensor> rails_;
    std::vector<std::string> cooling_;   // states of cooling devices that reduce clocks: 0 is off
    std::vector<Counter> over_current_;  // event counts
    std::int64_t busy_ = 0;
    std::int64_t total_ = 0;
};

// Samples on a background thread, keeps a short history and optionally writes a CSV file. Thread-safe.
class Telemetry {
public:
    struct Options {
        std::filesystem::path root;  // as in ClockOptions
        std::filesystem::path csv;   // empty: none
        std::chrono::milliseconds period{1000};
        std::size_t history = 120;
        int device = 0;          // number of the NVML device
        std::stop_token stop{};  // ends the constructor's wait for a reader if the CSV is a pipe
    };
    // Writes the header of the CSV; throws as OutputFile::write does. If a later write fails, the CSV ends with a
    // warning and the sampling goes on.
    explicit Telemetry(Options options);
    ~Telemetry();
    Telemetry(const Telemetry&) = delete;
    Telemetry& operator=(const Telemetry&) = delete;

    // Takes a last sample, ends the sampling and closes the file. Idempotent. Throws Error(input) if the file could not
    // be written completely.
    void close();

    // Adds the times of a completed frame to the next sample. Cheap; may be called from any thread.
    void add_frame(const StageTimes& times);

    [[nodiscard]] std::optional<TelemetrySample> latest() const;
    [[nodiscard]] std::vector<TelemetrySample> history() const;  // oldest first
    // Returns the number of samples taken so far, so that a reader can detect a new one.
    [[nodiscard]] std::uint64_t count() const;
    // Returns the CPU time of the sampling thread divided by the time since its start: 0.01 is one percent of one core.
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
    std::optional<OutputFile> csv_;  // until a write fails
    mutable std::mutex mutex_;
    std::deque<TelemetrySample> history_;
    std::uint64_t count_ = 0;
    double cost_ = 0;
    std::optional<Error> failure_;  // of the file
    std::mutex frames_mutex_;       // separate, so that add_frame never waits for a reader of the history
    std::uint64_t frames_ = 0;
    std::vector<StageSum> stages_;
    std::jthread thread_;  // last: it uses all the others
};

}  // namespace throng
