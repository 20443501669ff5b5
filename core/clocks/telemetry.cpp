#include "core/clocks/telemetry.h"

#include <time.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/sleep.h"
#include "core/clocks/cpu_clock.h"
#include "core/clocks/memory_clock.h"

namespace throng {
namespace {

constexpr double kFakeTemperature = 100.0;  // constant reading of T210's PMIC-Die

std::string join(const std::vector<NamedReading>& readings) {
    std::string text;
    for (const NamedReading& reading : readings) {
        // Names come from the board: replace characters that would break the CSV.
        std::string name = reading.name;
        for (char& c : name) {
            if (c == ',' || c == ';' || c == '=' || c == '"' || c == '\n') c = '_';
        }
        text += fmt::format("{}{}={:.3f}", text.empty() ? "" : ";", name, reading.value);
    }
    return text;
}

template <typename T>
std::string cell(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : std::string{};
}

}  // namespace

std::string describe_throttling(std::uint64_t reasons) {
    constexpr std::array<std::pair<std::uint64_t, const char*>, 5> kWords{{
        {throttle::kPowerCap, "power cap"},
        {throttle::kHardwareSlowdown, "hardware slowdown"},
        {throttle::kSoftwareThermal, "too warm"},
        {throttle::kHardwareThermal, "too hot"},
        {throttle::kPowerBrake, "power brake"},
    }};
    std::string text;
    for (const auto& [bit, word] : kWords) {
        if ((reasons & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(word);
    }
    return text;
}

TelemetryReader::TelemetryReader(std::shared_ptr<SystemFiles> files, std::shared_ptr<Nvml> nvml)
    : files_(std::move(files)),
      nvml_(std::move(nvml)),
      gpu_(find_gpu_clock(files_, nvml_)),
      memory_(find_memory_clock(files_)) {
    find_sensors();
    find_throttling();
    cpu_load();
}

// Tegra does not report throttling through NVML. The kernel's cooling devices report when they reduce clocks, and the
// power monitors count over-current events. Source: Jetson Linux Developer Guide, thermal management and over-current
// throttling.
void TelemetryReader::find_throttling() {
    const std::string thermal = "/sys/class/thermal/";
    for (const std::string& device : files_->list(thermal)) {
        if (device.rfind("cooling_device", 0) != 0) continue;
        const std::string type = files_->read(thermal + device + "/type").value_or("");
        const bool slows = type.find("gpu") != std::string::npos || type.find("throttle") != std::string::npos ||
                           type.find("devfreq") != std::string::npos;
        if (slows && type.find("fan") == std::string::npos) cooling_.push_back(thermal + device + "/cur_state");
    }
    const std::string hwmon = "/sys/class/hwmon/";
    for (const std::string& device : files_->list(hwmon)) {
        for (int channel = 1; channel <= 3; ++channel) {
            const std::string file = hwmon + device + fmt::format("/oc{}_event_cnt", channel);
            if (const auto events = files_->read_number(file)) over_current_.push_back({file, *events});
        }
    }
}

std::uint64_t TelemetryReader::board_throttling() {
    std::uint64_t reasons = 0;
    for (const std::string& state : cooling_) {
        if (files_->read_number(state).value_or(0) > 0) reasons |= throttle::kSoftwareThermal;
    }
    for (Counter& counter : over_current_) {
        const auto events = files_->read_number(counter.file);
        if (events && *events > std::exchange(counter.last, *events)) reasons |= throttle::kPowerBrake;
    }
    return reasons;
}

void TelemetryReader::find_sensors() {
    const std::string thermal = "/sys/class/thermal/";
    for (const std::string& zone : files_->list(thermal)) {
        if (zone.rfind("thermal_zone", 0) != 0) continue;
        const std::string name = files_->read(thermal + zone + "/type").value_or("");
        if (!name.empty()) temperatures_.push_back({name, thermal + zone + "/temp", ""});
    }
    // INA3221 power monitors: through iio up to L4T 32, through hwmon from 34 on.
    const std::string iio = "/sys/bus/i2c/drivers/ina3221x/";
    for (const std::string& chip : files_->list(iio)) {
        for (const std::string& device : files_->list(iio + chip)) {
            if (device.rfind("iio:device", 0) != 0) continue;
            const std::string folder = fmt::format("{}{}/{}/", iio, chip, device);
            for (int channel = 0; channel < 3; ++channel) {
                const std::string name = files_->read(folder + fmt::format("rail_name_{}", channel)).value_or("");
                if (!name.empty()) rails_.push_back({name, folder + fmt::format("in_power{}_input", channel), ""});
            }
        }
    }
    const std::string hwmon = "/sys/class/hwmon/";
    for (const std::string& device : files_->list(hwmon)) {
        if (files_->read(hwmon + device + "/name").value_or("") != "ina3221") continue;
        for (int channel = 1; channel <= 3; ++channel) {
            const std::string folder = hwmon + device + "/";
            const std::string name = files_->read(folder + fmt::format("in{}_label", channel)).value_or("");
            if (!name.empty()) {
                rails_.push_back(
                    {name, folder + fmt::format("in{}_input", channel), folder + fmt::format("curr{}_input", channel)});
            }
        }
    }
}

std::optional<double> TelemetryReader::cpu_load() {
    // "cpu user nice system idle iowait irq softirq steal …": the first line sums all cores.
    const std::string text = files_->read("/proc/stat").value_or("");
    std::istringstream line(text.substr(0, text.find('\n')));
    std::string name;
    line >> name;
    std::array<std::int64_t, 8> fields{};
    for (std::int64_t& field : fields) line >> field;
    if (!line) return std::nullopt;
    const std::int64_t total = std::accumulate(fields.begin(), fields.end(), std::int64_t{0});
    const std::int64_t busy = total - fields[3] - fields[4];
    const std::int64_t passed = total - std::exchange(total_, total);
    const std::int64_t worked = busy - std::exchange(busy_, busy);
    if (passed <= 0) return std::nullopt;
    return std::clamp(static_cast<double>(worked) / static_cast<double>(passed), 0.0, 1.0);
}

TelemetrySample TelemetryReader::read() {
    TelemetrySample sample;
    sample.time = std::chrono::system_clock::now();
    const BoardClockReading gpu = gpu_->read();
    sample.gpu_clock = gpu.current;
    sample.gpu_load = gpu.load;
    sample.cpu_clock = CpuClock(files_).read().current;
    sample.cpu_load = cpu_load();
    for (const Sensor& sensor : temperatures_) {
        const auto millidegrees = files_->read_number(sensor.value);
        if (!millidegrees) continue;
        const double degrees = static_cast<double>(*millidegrees) / 1000.0;
        if (sensor.name == "PMIC-Die" && degrees == kFakeTemperature) continue;
        sample.temperatures.push_back({sensor.name, degrees});
    }
    for (const Sensor& sensor : rails_) {
        const auto value = files_->read_number(sensor.value);
        const auto current =
            sensor.current.empty() ? std::optional<std::int64_t>(1000) : files_->read_number(sensor.current);
        if (!value || !current) continue;
        const double watts = static_cast<double>(*value) * static_cast<double>(*current) / 1e6;
        sample.rails.push_back({sensor.name, watts});
        if (sensor.name.find("VDD_IN") != std::string::npos || sensor.name.find("POM_5V_IN") != std::string::npos)
            sample.power = watts;
    }
    sample.memory_clock = memory_->read().current;
    sample.throttle_reasons = board_throttling();
    if (nvml_) {
        if (const auto mhz = nvml_->memory_clock_mhz()) sample.memory_clock = Hertz{*mhz} * 1'000'000;
        if (const auto degrees = nvml_->temperature()) sample.temperatures.push_back({"GPU", *degrees});
        if (const auto watts = nvml_->power_watts()) {
            sample.power = watts;
            sample.rails.push_back({"GPU", *watts});
        }
        sample.throttle_reasons |= nvml_->throttle_reasons().value_or(0);
    }
    return sample;
}

Telemetry::Telemetry(Options options)
    : options_(std::move(options)),
      reader_(make_system_files(options_.root), open_nvml(options_.root, options_.device)) {
    if (!options_.csv.empty()) {
        csv_.emplace(options_.csv.string());
        csv_->write(
            "time,gpu_hz,cpu_hz,memory_hz,gpu_load,cpu_load,power_w,temperatures_c,rails_w,throttling,frames,frame_us,"
            "joules_per_frame,stages_us\n",
            options_.stop);
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Telemetry::~Telemetry() = default;

void Telemetry::add_frame(const StageTimes& times) {
    const std::lock_guard lock(frames_mutex_);
    ++frames_;
    for (const StageTime& time : times) {
        auto sum = std::find_if(stages_.begin(), stages_.end(), [&](const StageSum& s) { return s.name == time.name; });
        if (sum == stages_.end()) sum = stages_.insert(stages_.end(), StageSum{std::string(time.name), 0, 0});
        sum->ms += time.ms;
        ++sum->count;
    }
}

void Telemetry::close() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(mutex_);
    if (failure_) throw Error(*failure_);
}

void Telemetry::join_frames(TelemetrySample& sample, double seconds) {
    std::vector<StageSum> stages;
    {
        const std::lock_guard lock(frames_mutex_);
        sample.frames = std::exchange(frames_, 0);
        stages.swap(stages_);
    }
    if (sample.frames == 0) return;
    for (const StageSum& sum : stages) {
        const double us = 1000 * sum.ms / static_cast<double>(sum.count);
        if (sum.name == stage::kTotal) {
            sample.frame_us = us;
        } else {
            sample.stages_us.push_back({sum.name, us});
        }
    }
    if (sample.power && seconds > 0)
        sample.joules_per_frame = *sample.power * seconds / static_cast<double>(sample.frames);
}

void Telemetry::run(const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    auto next = start;
    auto before = start;
    const auto take = [&] {
        TelemetrySample sample = reader_.read();
        const auto now = Clock::now();
        join_frames(sample, std::chrono::duration<double>(now - before).count());
        before = now;
        if (csv_) write(sample, stop);
        timespec busy{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &busy);
        const double passed = std::chrono::duration<double>(std::max(next + options_.period, now) - start).count();
        const std::lock_guard lock(mutex_);
        cost_ = (static_cast<double>(busy.tv_sec) + static_cast<double>(busy.tv_nsec) * 1e-9) / passed;
        ++count_;
        history_.push_back(std::move(sample));
        while (history_.size() > options_.history) history_.pop_front();
    };
    while (!stop.stop_requested()) {
        take();
        next = std::max(next + options_.period, Clock::now());  // a slow board skips samples instead of catching up
        sleep_until(next, stop);
    }
    take();  // the frames since the last complete period
    logger().debug("telemetry used {:.3f} % of one core", cost() * 100);
}

void Telemetry::write(const TelemetrySample& sample, const std::stop_token& stop) {
    const std::string throttling = describe_throttling(sample.throttle_reasons);
    const std::string line = fmt::format(
        "{:%Y-%m-%dT%H:%M:%SZ},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
        fmt::gmtime(std::chrono::system_clock::to_time_t(sample.time)), cell(sample.gpu_clock), cell(sample.cpu_clock),
        cell(sample.memory_clock), cell(sample.gpu_load), cell(sample.cpu_load), cell(sample.power),
        join(sample.temperatures), join(sample.rails), throttling.empty() ? "" : '"' + throttling + '"', sample.frames,
        cell(sample.frame_us), cell(sample.joules_per_frame), join(sample.stages_us));
    try {
        csv_->write(line, stop);
    } catch (const Error& error) {
        csv_.reset();
        if (error.kind() == ErrorKind::interrupted) return;
        logger().warn("telemetry CSV stopped: {}", error.what());
        const std::lock_guard lock(mutex_);
        failure_ = error;
    }
}

std::optional<TelemetrySample> Telemetry::latest() const {
    const std::lock_guard lock(mutex_);
    return history_.empty() ? std::nullopt : std::optional(history_.back());
}

std::uint64_t Telemetry::count() const {
    const std::lock_guard lock(mutex_);
    return count_;
}

double Telemetry::cost() const {
    const std::lock_guard lock(mutex_);
    return cost_;
}

std::vector<TelemetrySample> Telemetry::history() const {
    const std::lock_guard lock(mutex_);
    return {history_.begin(), history_.end()};
}

}  // namespace throng
