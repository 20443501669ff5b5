#include "gpu/runtime/probe.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/forks.h"
#include "gpu/runtime/check.h"
#include "gpu/runtime/probe_kernel.h"

namespace throng::gpu {
namespace {

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Test the status, not the count: without a driver cudaGetDeviceCount leaves its output unchanged.
std::string count_error(cudaError_t status, int driver, int runtime) {
    switch (status) {
        case cudaSuccess: return {};
        case cudaErrorInsufficientDriver:
            if (driver == 0) return "no NVIDIA driver is installed";
            return "the NVIDIA driver is too old: it supports CUDA " + version_text(driver) + ", this build needs " +
                   version_text(runtime);
        case cudaErrorNoDevice: return "the NVIDIA driver found no GPU";
        case cudaErrorInitializationError:
            return "the NVIDIA driver cannot be initialized; in a process that was forked after CUDA was used, it "
                   "never can";
        default: return std::string("the NVIDIA driver does not work: ") + cudaGetErrorString(status);
    }
}

std::string name_of(const DeviceInfo& device) {
    return device.name + " (compute capability " + std::to_string(device.major) + "." + std::to_string(device.minor) +
           ")";
}

std::string no_code(const DeviceInfo& device) {
    return "this build has no code for " + name_of(device);
}

DeviceInfo describe(int index) {
    DeviceInfo info;
    info.index = index;
    cudaDeviceProp properties{};
    const cudaError_t status = cudaGetDeviceProperties(&properties, index);
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        info.unavailable_reason = cudaGetErrorString(status);
        return info;
    }
    info.name = properties.name;
    info.major = properties.major;
    info.minor = properties.minor;
    info.multiprocessors = properties.multiProcessorCount;
    info.memory = properties.totalGlobalMem;
    info.shared_memory = properties.sharedMemPerBlockOptin;
    info.integrated = properties.integrated != 0;
    if (10 * info.major + info.minor < oldest_probe_code()) info.unavailable_reason = no_code(info);
    return info;
}

// Queries the attributes of a kernel, which fails where the program has no code for the device. Returns the reason, or
// an empty string on success. Creates the context of the device and makes it current.
std::string find_code(DeviceInfo& device) {
    cudaError_t status = cudaSetDevice(device.index);
    // FFmpeg's decoders share the primary context only if exactly this flag is set. With it, threads that wait for a
    // stream sleep.
    if (status == cudaSuccess) status = cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
    if (status == cudaSuccess) status = static_cast<cudaError_t>(find_probe_kernel(device.code));
    (void)cudaGetLastError();
    if (status == cudaSuccess) return {};
    if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) return no_code(device);
    return name_of(device) + " cannot be used: " + cudaGetErrorString(status);
}

CudaProbe list_devices() {
    CudaProbe probe;
    if (cudaDriverGetVersion(&probe.driver) != cudaSuccess) probe.driver = 0;
    if (cudaRuntimeGetVersion(&probe.runtime) != cudaSuccess) probe.runtime = 0;
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    probe.reason = count_error(status, probe.driver, probe.runtime);
    if (!probe.reason.empty()) return probe;
    if (count == 0) {
        probe.reason = "the NVIDIA driver found no GPU";
        return probe;
    }
    for (int index = 0; index < count; ++index) {
        probe.devices.push_back(describe(index));
        probe.usable = probe.usable || probe.devices.back().unavailable_reason.empty();
    }
    if (!probe.usable) probe.reason = probe.devices.front().unavailable_reason;
    return probe;
}

}  // namespace

CudaProbe probe_cuda() {
    static std::mutex mutex;
    static std::optional<CudaProbe> known;
    static std::atomic<std::uint32_t> made{0};  // 0, or 1 + fork_count() of the process that made `known`
    if (const std::uint32_t by = made; by != 0 && by != fork_count() + 1) {
        CudaProbe probe;
        probe.reason =
            "CUDA was used before this process was forked, and cannot be used after that; start a new process";
        return probe;
    }
    const std::lock_guard lock(mutex);
    if (known) return *known;
    CudaProbe probe = list_devices();
    if (probe.usable) {  // otherwise the next call may find a driver
        known = probe;
        made = fork_count() + 1;
    }
    return probe;
}

DeviceInfo use_device(int index) {
    CudaProbe probe = probe_cuda();
    const Message advice("use %1 or %2 to run on the CPU", Setting{"backend", "auto"}, "cpu");
    if (probe.devices.empty()) throw Error(ErrorKind::unavailable, probe.reason, "CUDA", advice);
    if (index < 0 || index >= static_cast<int>(probe.devices.size())) {
        throw Error(ErrorKind::unavailable,
                    "no CUDA device " + std::to_string(index) + "; valid indices are 0 to " +
                        std::to_string(probe.devices.size() - 1),
                    Setting{"device"}, "run throng info to list the devices");
    }
    DeviceInfo& device = probe.devices[static_cast<std::size_t>(index)];
    if (device.unavailable_reason.empty()) device.unavailable_reason = find_code(device);
    if (!device.unavailable_reason.empty())
        throw Error(ErrorKind::unavailable, device.unavailable_reason, "CUDA", advice);
    return std::move(device);
}

}  // namespace throng::gpu
