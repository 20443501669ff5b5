#include "core/clocks/nvml.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/log.h"
#include "core/base/shared_library.h"

namespace throng {
namespace {

using Device = void*;
using Code = int;

constexpr unsigned kGraphicsClock = 0;
constexpr unsigned kMemoryClock = 2;
constexpr unsigned kGpuTemperature = 0;

NvmlStatus status_of(Code code) {
    return static_cast<NvmlStatus>(code);
}

}  // namespace

struct Nvml::Api {
    struct Utilization {
        unsigned gpu = 0;
        unsigned memory = 0;
    };

    SharedLibrary library;
    Device device = nullptr;
    bool initialized = false;

    Code (*init)() = nullptr;
    Code (*shutdown)() = nullptr;
    Code (*device_by_index)(unsigned, Device*) = nullptr;
    Code (*name)(Device, char*, unsigned) = nullptr;
    Code (*memory_clocks)(Device, unsigned*, unsigned*) = nullptr;
    Code (*graphics_clocks)(Device, unsigned, unsigned*, unsigned*) = nullptr;
    Code (*clock)(Device, unsigned, unsigned*) = nullptr;
    Code (*utilization)(Device, Utilization*) = nullptr;
    Code (*temperature)(Device, unsigned, unsigned*) = nullptr;
    Code (*power)(Device, unsigned*) = nullptr;
    Code (*event_reasons)(Device, unsigned long long*) = nullptr;
    Code (*lock_clocks)(Device, unsigned, unsigned) = nullptr;
    Code (*reset_clocks)(Device) = nullptr;

    Api() = default;
    Api(const Api&) = delete;
    Api& operator=(const Api&) = delete;
    ~Api() {
        if (initialized && shutdown != nullptr) shutdown();
    }

    // A missing function stays null and is reported as "not supported".
    template <typename Function>
    void load(Function*& function, std::initializer_list<const char*> names) {
        function = library.find<Function>(names);
    }

    template <typename Function>
    [[nodiscard]] std::optional<unsigned> query(Function function, unsigned which) const {
        unsigned value = 0;
        if (function == nullptr || function(device, which, &value) != 0) return std::nullopt;
        return value;
    }
};

Nvml::Nvml(std::unique_ptr<Api> api) : api_(std::move(api)) {}
Nvml::~Nvml() = default;

std::shared_ptr<Nvml> Nvml::open(const std::string& library, int device, std::string& reason) {
    auto api = std::make_unique<Api>();
    api->library = SharedLibrary(library);
    if (!api->library) {
        reason = "NVML library not found: " + library;
        return nullptr;
    }
    api->load(api->init, {"nvmlInit_v2", "nvmlInit"});
    api->load(api->shutdown, {"nvmlShutdown"});
    api->load(api->device_by_index, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
    api->load(api->name, {"nvmlDeviceGetName"});
    api->load(api->memory_clocks, {"nvmlDeviceGetSupportedMemoryClocks"});
    api->load(api->graphics_clocks, {"nvmlDeviceGetSupportedGraphicsClocks"});
    api->load(api->clock, {"nvmlDeviceGetClockInfo"});
    api->load(api->utilization, {"nvmlDeviceGetUtilizationRates"});
    api->load(api->temperature, {"nvmlDeviceGetTemperature"});
    api->load(api->power, {"nvmlDeviceGetPowerUsage"});
    api->load(api->event_reasons,
              {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
    api->load(api->lock_clocks, {"nvmlDeviceSetGpuLockedClocks"});
    api->load(api->reset_clocks, {"nvmlDeviceResetGpuLockedClocks"});

    if (api->init == nullptr || api->device_by_index == nullptr) {
        reason = library + " is not an NVML library";
        return nullptr;
    }
    Code code = api->init();
    api->initialized = code == 0;
    if (code == 0) code = api->device_by_index(static_cast<unsigned>(device), &api->device);
    if (code != 0) {
        reason = describe(status_of(code));
        return nullptr;
    }
    return std::shared_ptr<Nvml>(new Nvml(std::move(api)));
}

std::string Nvml::name() const {
    std::array<char, 96> text{};
    if (api_->name == nullptr || api_->name(api_->device, text.data(), text.size()) != 0) return {};
    text.back() = '\0';
    return text.data();
}

std::vector<unsigned> Nvml::graphics_clocks_mhz() const {
    // A call with too small a buffer returns the required size. The list may grow until the next call.
    const auto list = [](auto call) {
        std::vector<unsigned> values(64);
        for (int attempt = 0; attempt < 4; ++attempt) {
            auto count = static_cast<unsigned>(values.size());
            const NvmlStatus status = status_of(call(&count, values.data()));
            if (status == NvmlStatus::success) {
                values.resize(std::min<std::size_t>(count, values.size()));
                return values;
            }
            if (status != NvmlStatus::insufficient_size || count > 100'000) break;
            values.resize(std::max<std::size_t>(count, values.size() * 2));
        }
        return std::vector<unsigned>{};
    };
    if (api_->memory_clocks == nullptr || api_->graphics_clocks == nullptr) return {};
    const auto memory = list([this](unsigned* n, unsigned* v) { return api_->memory_clocks(api_->device, n, v); });
    if (memory.empty()) return {};
    const unsigned highest = *std::max_element(memory.begin(), memory.end());
    auto clocks = list([&](unsigned* n, unsigned* v) { return api_->graphics_clocks(api_->device, highest, n, v); });
    std::sort(clocks.begin(), clocks.end());
    clocks.erase(std::unique(clocks.begin(), clocks.end()), clocks.end());
    return clocks;
}

std::optional<unsigned> Nvml::graphics_clock_mhz() const {
    return api_->query(api_->clock, kGraphicsClock);
}
std::optional<unsigned> Nvml::memory_clock_mhz() const {
    return api_->query(api_->clock, kMemoryClock);
}

std::optional<double> Nvml::load() const {
    Api::Utilization utilization;
    if (api_->utilization == nullptr || api_->utilization(api_->device, &utilization) != 0) return std::nullopt;
    return utilization.gpu / 100.0;
}

std::optional<double> Nvml::temperature() const {
    const auto degrees = api_->query(api_->temperature, kGpuTemperature);
    return degrees ? std::optional<double>(*degrees) : std::nullopt;
}

std::optional<double> Nvml::power_watts() const {
    unsigned milliwatts = 0;
    if (api_->power == nullptr || api_->power(api_->device, &milliwatts) != 0) return std::nullopt;
    return milliwatts / 1000.0;
}

std::optional<std::uint64_t> Nvml::throttle_reasons() const {
    unsigned long long bits = 0;
    if (api_->event_reasons == nullptr || api_->event_reasons(api_->device, &bits) != 0) return std::nullopt;
    return bits;
}

NvmlStatus Nvml::lock_clocks(unsigned min_mhz, unsigned max_mhz) {
    if (api_->lock_clocks == nullptr) return NvmlStatus::function_not_found;
    return status_of(api_->lock_clocks(api_->device, min_mhz, max_mhz));
}

NvmlStatus Nvml::reset_clocks() {
    if (api_->reset_clocks == nullptr) return NvmlStatus::function_not_found;
    return status_of(api_->reset_clocks(api_->device));
}

std::shared_ptr<Nvml> open_nvml(const std::filesystem::path& root, int device) {
    constexpr const char* kLibrary = "libnvidia-ml.so.1";
    std::string reason;
    auto nvml =
        Nvml::open(root.empty() ? kLibrary : (std::filesystem::absolute(root) / "usr" / "lib" / kLibrary).string(),
                   device, reason);
    if (!nvml) logger().debug("NVML: {}", reason);
    return nvml;
}

std::string describe(NvmlStatus status) {
    switch (status) {
        case NvmlStatus::success: return "success";
        case NvmlStatus::not_supported: return "this GPU does not support it";
        case NvmlStatus::no_permission: return "no permission";
        case NvmlStatus::insufficient_size: return "the buffer is too small";
        case NvmlStatus::driver_not_loaded: return "NVIDIA's driver is not loaded";
        case NvmlStatus::function_not_found: return "this driver has no such function";
        case NvmlStatus::gpu_is_lost: return "the GPU is lost";
        case NvmlStatus::unknown: break;
    }
    return "NVML error " + std::to_string(static_cast<int>(status));
}

}  // namespace throng
