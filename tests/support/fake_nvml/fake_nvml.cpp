// A library with the NVML functions that core/clocks loads, for a simulated GPU. The GPU's state is in a text file next
// to the library, "nvml.state", with one "key value" per line. So several programs with the same --root share the GPU,
// and a killed one leaves its lock. Keys and defaults: see State. FAKE_NVML_READ_ONLY omits the functions that change
// clocks, as in old drivers.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#define TH_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum Code {
    kSuccess = 0,
    kInvalidArgument = 2,
    kNotSupported = 3,
    kNoPermission = 4,
    kInsufficientSize = 7,
    kGpuIsLost = 15
};

constexpr unsigned kMinMhz = 345, kMaxMhz = 1980, kStep = 15;
constexpr unsigned kMemoryClocks[] = {1593, 2619};

std::string state_file() {
    Dl_info info{};
    ::dladdr(reinterpret_cast<const void*>(&state_file), &info);
    const std::string library = info.dli_fname == nullptr ? "." : info.dli_fname;
    return library.substr(0, library.find_last_of('/') + 1) + "nvml.state";
}

// Each call holds the file's lock from reading to writing.
class State {
public:
    State() : path_(state_file()), lock_(::open((path_ + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
        ::flock(lock_, LOCK_EX);
        std::ifstream file(path_);
        std::string key;
        long long value = 0;
        while (file >> key >> value) values_[key] = value;
    }
    ~State() { ::close(lock_); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    //  lost 0          the GPU has fallen off the bus: every call on it fails
    //  unsupported 0   as on a Jetson with JetPack 7.2: the load and the clocks are not supported
    //  reject 0        changes need a permission that the caller lacks
    //  stuck 0         MHz at which it runs regardless of the lock (throttled); 0: as locked
    //  locked_min 0, locked_max 0   locked range, MHz, rounded down to its steps; 0: not locked
    //  reasons 0       bits of the clocks event reasons
    //  load 37, temperature 41, milliwatts 123456
    [[nodiscard]] long long get(const std::string& key, long long fallback = 0) const {
        const auto found = values_.find(key);
        return found == values_.end() ? fallback : found->second;
    }
    void set(const std::string& key, long long value) { values_[key] = value; }
    void write() const {
        std::ofstream file(path_ + ".new");
        for (const auto& [key, value] : values_) file << key << ' ' << value << '\n';
        file.close();
        std::rename((path_ + ".new").c_str(), path_.c_str());
    }
    [[nodiscard]] bool lost() const { return get("lost") != 0; }
    [[nodiscard]] bool unsupported() const { return get("unsupported") != 0; }

private:
    std::string path_;
    int lock_;
    std::map<std::string, long long> values_;
};

template <typename Value>
int answer(Value* out, long long value) {
    if (out == nullptr) return kInvalidArgument;
    *out = static_cast<Value>(value);
    return kSuccess;
}

template <typename Fill>
int list(unsigned* count, unsigned* values, unsigned size, Fill&& fill) {
    const unsigned capacity = *count;
    *count = size;
    if (values == nullptr || capacity < size) return kInsufficientSize;
    for (unsigned i = 0; i < size; ++i) values[i] = fill(i);
    return kSuccess;
}

int device_;

}  // namespace

TH_EXPORT int nvmlInit_v2() {
    return kSuccess;
}
TH_EXPORT int nvmlShutdown() {
    return kSuccess;
}
TH_EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    if (index != 0) return kInvalidArgument;
    *device = &device_;
    return State().lost() ? kGpuIsLost : kSuccess;
}
TH_EXPORT int nvmlDeviceGetName(void*, char* name, unsigned size) {
    if (State().lost()) return kGpuIsLost;
    std::snprintf(name, size, "Fake H1");
    return kSuccess;
}
TH_EXPORT int nvmlDeviceGetSupportedMemoryClocks(void*, unsigned* count, unsigned* mhz) {
    const State state;
    if (state.lost()) return kGpuIsLost;
    if (state.unsupported()) return kNotSupported;
    return list(count, mhz, 2, [](unsigned i) { return kMemoryClocks[i]; });
}
// In decreasing order, like NVML, and more entries than the caller's first buffer of 64.
TH_EXPORT int nvmlDeviceGetSupportedGraphicsClocks(void*, unsigned memory, unsigned* count, unsigned* mhz) {
    if (State().lost()) return kGpuIsLost;
    if (std::find(std::begin(kMemoryClocks), std::end(kMemoryClocks), memory) == std::end(kMemoryClocks))
        return kInvalidArgument;
    return list(count, mhz, (kMaxMhz - kMinMhz) / kStep + 1, [](unsigned i) { return kMaxMhz - i * kStep; });
}
TH_EXPORT int nvmlDeviceGetClockInfo(void*, unsigned type, unsigned* mhz) {
    const State state;
    if (state.lost()) return kGpuIsLost;
    if (state.unsupported()) return kNotSupported;
    if (type == 2) return answer(mhz, kMemoryClocks[1]);
    const long long stuck = state.get("stuck");
    return answer(mhz, stuck > 0 ? stuck : state.get("locked_min", 0) > 0 ? state.get("locked_max") : kMaxMhz);
}
TH_EXPORT int nvmlDeviceGetUtilizationRates(void*, unsigned* gpu_and_memory) {
    const State state;
    if (state.lost()) return kGpuIsLost;
    if (state.unsupported()) return kNotSupported;
    gpu_and_memory[0] = static_cast<unsigned>(state.get("load", 37));
    gpu_and_memory[1] = 5;
    return kSuccess;
}
TH_EXPORT int nvmlDeviceGetTemperature(void*, unsigned, unsigned* degrees) {
    const State state;
    return state.lost() ? kGpuIsLost : answer(degrees, state.get("temperature", 41));
}
TH_EXPORT int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    const State state;
    return state.lost() ? kGpuIsLost : answer(milliwatts, state.get("milliwatts", 123456));
}
TH_EXPORT int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* bits) {
    const State state;
    return state.lost() ? kGpuIsLost : answer(bits, state.get("reasons"));
}

#ifndef FAKE_NVML_READ_ONLY
TH_EXPORT int nvmlDeviceSetGpuLockedClocks(void*, unsigned min, unsigned max) {
    State state;
    if (state.lost()) return kGpuIsLost;
    if (state.get("reject") != 0) return kNoPermission;
    if (min > max) return kInvalidArgument;
    const auto round = [](unsigned mhz) {
        return kMinMhz + (std::clamp(mhz, kMinMhz, kMaxMhz) - kMinMhz) / kStep * kStep;
    };
    state.set("locked_min", round(min));
    state.set("locked_max", round(max));
    state.write();
    return kSuccess;
}
TH_EXPORT int nvmlDeviceResetGpuLockedClocks(void*) {
    State state;
    if (state.lost()) return kGpuIsLost;
    if (state.get("reject") != 0) return kNoPermission;
    state.set("locked_min", 0);
    state.set("locked_max", 0);
    state.write();
    return kSuccess;
}
#endif
