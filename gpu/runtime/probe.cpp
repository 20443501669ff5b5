#include "gpu/runtime/probe.h"

#include <cuda_runtime_api.h>

#include "core/base/error.h"
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
        default: return std::string("the NVIDIA driver does not work: ") + cudaGetErrorString(status);
    }
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
    return info;
}

// Queries the attributes of a kernel, which fails where the program has no code for the device. Returns the reason, or
// an empty string on success.
std::string find_code(DeviceInfo& device) {
    cudaError_t status = cudaSetDevice(device.index);
    // FFmpeg's decoders share the primary context only if exactly this flag is set. With it, threads that wait for a
    // stream sleep.
    if (status == cudaSuccess) status = cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
    if (status == cudaSuccess) status = static_cast<cudaError_t>(find_probe_kernel(device.code));
    (void)cudaGetLastError();
    if (status == cudaSuccess) return {};
    const std::string name =
        device.name + " (compute capability " + std::to_string(device.major) + "." + std::to_string(device.minor) + ")";
    if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) {
        return "this build has no code for " + name;
    }
    return name + " cannot be used: " + cudaGetErrorString(status);
}

}  // namespace

CudaProbe probe_cuda() {
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
    int current = 0;
    const bool had_current = cudaGetDevice(&current) == cudaSuccess;
    for (int index = 0; index < count; ++index) {
        DeviceInfo info = describe(index);
        if (info.unavailable_reason.empty()) info.unavailable_reason = find_code(info);
        probe.usable = probe.usable || info.unavailable_reason.empty();
        probe.devices.push_back(std::move(info));
    }
    if (had_current) (void)cudaSetDevice(current);
    if (!probe.usable) probe.reason = probe.devices.front().unavailable_reason;
    return probe;
}

DeviceInfo use_device(int index) {
    const CudaProbe probe = probe_cuda();
    const char* advice = "use --backend auto or cpu to run on the CPU";
    if (probe.devices.empty()) throw Error(ErrorKind::unavailable, probe.reason, "CUDA", advice);
    if (index < 0 || index >= static_cast<int>(probe.devices.size())) {
        throw Error(ErrorKind::unavailable,
                    "no CUDA device " + std::to_string(index) + "; valid indices are 0 to " +
                        std::to_string(probe.devices.size() - 1),
                    "--device", "run throng info to list the devices");
    }
    const DeviceInfo& device = probe.devices[static_cast<std::size_t>(index)];
    if (!device.unavailable_reason.empty())
        throw Error(ErrorKind::unavailable, device.unavailable_reason, "CUDA", advice);
    check_cuda(cudaSetDevice(index), "cudaSetDevice");
    return device;
}

}  // namespace throng::gpu
