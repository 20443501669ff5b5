#include <fmt/format.h>
#include <sys/utsname.h>

#include <fmt/chrono.h>
#include <chrono>
#include <opencv2/core/utility.hpp>

#include "app/cuda_module/load.h"
#include "app/lab/experiments/bench.h"
#include "app/lab/experiments/report.h"
#include "core/clocks/telemetry.h"

namespace throng {
namespace {

std::string megahertz(Hertz hertz) {
    return fmt::format("{:.0f} MHz", static_cast<double>(hertz) / 1e6);
}

std::string clocks_now(const TelemetrySample& sample) {
    std::string text;
    const auto add = [&](const char* name, const std::optional<Hertz>& clock) {
        if (clock) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, megahertz(*clock));
    };
    add("GPU", sample.gpu_clock);
    add("memory", sample.memory_clock);
    add("CPU", sample.cpu_clock);
    return text.empty() ? "unavailable" : text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> describe_machine(ExperimentBench& bench) {
    std::vector<std::pair<std::string, std::string>> facts;
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    facts.emplace_back("Measured", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now)));
    facts.emplace_back("Program", fmt::format("throng {}, OpenCV {}", TH_VERSION, cv::getVersionString()));
    utsname system{};
    if (::uname(&system) == 0) facts.emplace_back("System", fmt::format("{} {}", system.sysname, system.release));
    facts.emplace_back("Backend", bench.why());
    facts.emplace_back("CPU", bench.cpu().description());
    const gpu::CudaProbe probe = probe_cuda_module();
    if (probe.usable) {
        for (const gpu::DeviceInfo& device : probe.devices) {
            if (device.index != bench.common().device) continue;
            facts.emplace_back("GPU", fmt::format("{}, compute capability {}.{}, {} multiprocessors, {:.0f} GiB",
                                                  device.name, device.major, device.minor, device.multiprocessors,
                                                  static_cast<double>(device.memory) / (1ULL << 30U)));
        }
        facts.emplace_back(
            "CUDA", fmt::format("runtime {}.{}, driver for {}.{}", probe.runtime / 1000, probe.runtime % 1000 / 10,
                                probe.driver / 1000, probe.driver % 1000 / 10));
    }
    const Board& board = bench.clocks().board();
    if (!board.soc.empty()) facts.emplace_back("Board", board.model.empty() ? board.soc : board.model);
    const std::string control = bench.clocks().kind();
    facts.emplace_back("Clock control", control == "none" ? "none" : control + ", " + bench.clocks().location());
    const ClockOptions& options = bench.options().clocks;
    TelemetryReader telemetry(make_system_files(options.root), open_nvml(options.root, options.device));
    const TelemetrySample sample = telemetry.read();
    facts.emplace_back("Clocks at the end", clocks_now(sample));
    if (sample.power) facts.emplace_back("Power at the end", fmt::format("{:.0f} W", *sample.power));
    if (sample.throttled()) facts.emplace_back("Throttled by", describe_throttling(sample.throttle_reasons));
    return facts;
}

}  // namespace throng
