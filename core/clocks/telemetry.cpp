#include "core/clocks/telemetry.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/clocks/cpu_clock.h"

namespace throng {
namespace {

constexpr double kFakeTemperature = 100.0;  // what T210's PMIC-Die says for ever

std::string join(const std::vector<NamedReading>& readings) {
    std::string text;
    for (const NamedReading& reading : readings) {
        // Names come from the board: what would break the CSV is replaced.
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
    : files_(std::move(files)), nvml_(std::move(nvml)), gpu_(find_gpu_clock(files_, nvml_)) {
    find_sensors();
    cpu_load();
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
            for (int channel = 0; channel < 3; ++channel) {
                const std::string folder = iio + chip + "/" + device + "/";
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
    const std::vector<std::int64_t> fields = files_->read_numbers("/proc/stat");
    if (fields.size() < 8) return std::nullopt;
    const std::int64_t total = std::accumulate(fields.begin(), fields.begin() + 8, std::int64_t{0});
    const std::int64_t busy = total - fields[3] - fields[4];
    const std::int64_t passed = total - std::exchange(total_, total);
    const std::int64_t worked = busy - std::exchange(busy_, busy);
    if (passed <= 0) return std::nullopt;
    return std::clamp(static_cast<double>(worked) / static_cast<double>(passed), 0.0, 1.0);
}

TelemetrySample TelemetryReader::read() {
    TelemetrySample sample;
    sample.time = std::chrono::system_clock::now();
    const GpuClockReading gpu = gpu_->read();
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
    if (nvml_) {
        if (const auto mhz = nvml_->memory_clock_mhz()) sample.memory_clock = Hertz{*mhz} * 1'000'000;
        if (const auto degrees = nvml_->temperature()) sample.temperatures.push_back({"GPU", *degrees});
        if (const auto watts = nvml_->power_watts()) {
            sample.power = watts;
            sample.rails.push_back({"GPU", *watts});
        }
        sample.throttle_reasons = nvml_->throttle_reasons().value_or(0);
    }
    return sample;
}

Telemetry::Telemetry(Options options)
    : options_(std::move(options)), reader_(make_system_files(options_.root), open_nvml(options_.root)) {
    if (!options_.csv.empty()) {
        csv_.open(options_.csv, std::ios::trunc);
        csv_ << "time,gpu_hz,cpu_hz,memory_hz,gpu_load,cpu_load,power_w,temperatures_c,rails_w,throttling\n"
             << std::flush;
        if (!csv_)
            throw Error(ErrorKind::input, "cannot write the telemetry", options_.csv.string(),
                        "check the path and the space left");
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Telemetry::~Telemetry() = default;

void Telemetry::run(const std::stop_token& stop) {
    auto next = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
        const TelemetrySample sample = reader_.read();
        if (csv_.is_open()) write(sample);
        next += options_.period;
        std::unique_lock lock(mutex_);
        history_.push_back(sample);
        while (history_.size() > options_.history) history_.pop_front();
        wake_.wait_until(lock, stop, next, [] { return false; });
    }
}

void Telemetry::write(const TelemetrySample& sample) {
    const std::string throttling = describe_throttling(sample.throttle_reasons);
    csv_ << fmt::format("{:%Y-%m-%dT%H:%M:%SZ},{},{},{},{},{},{},{},{},{}\n",
                        fmt::gmtime(std::chrono::system_clock::to_time_t(sample.time)), cell(sample.gpu_clock),
                        cell(sample.cpu_clock), cell(sample.memory_clock), cell(sample.gpu_load), cell(sample.cpu_load),
                        cell(sample.power), join(sample.temperatures), join(sample.rails),
                        throttling.empty() ? "" : '"' + throttling + '"')
         << std::flush;
    if (csv_) return;
    spdlog::warn("{}: the telemetry cannot be written any more (is the disk full?)", options_.csv.string());
    csv_.close();
}

std::optional<TelemetrySample> Telemetry::latest() const {
    const std::lock_guard lock(mutex_);
    return history_.empty() ? std::nullopt : std::optional(history_.back());
}

std::vector<TelemetrySample> Telemetry::history() const {
    const std::lock_guard lock(mutex_);
    return {history_.begin(), history_.end()};
}

}  // namespace throng
