// Reports what CUDA can do on this machine. A missing driver or GPU is an ordinary state with a reason, not an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace throng::gpu {

struct DeviceInfo {
    int index = 0;
    std::string name;  // "NVIDIA H200"
    int major = 0;     // compute capability
    int minor = 0;
    // Virtual architecture from which the loaded kernels were compiled, 90 for compute_90; 0 where nothing is loaded, as
    // in the list of probe_cuda.
    // It is lower than the compute capability where the driver compiled embedded PTX for a newer device. Host code that
    // depends on `#if __CUDA_ARCH__ >= …` in device code must test this value, not the compute capability.
    int code = 0;
    int multiprocessors = 0;
    std::size_t memory = 0;          // bytes
    std::size_t shared_memory = 0;   // max bytes per block
    bool integrated = false;         // shares its memory with the CPU (Jetson)
    std::string unavailable_reason;  // why the device cannot run this build; empty when it can, as far as is known

    // True where the kernels contain the instructions of programmatic dependent launch. Kernels without them that are
    // launched with its attribute would not wait for the previous kernel, and no call would report it.
    [[nodiscard]] bool has_dependent_launch() const noexcept { return code >= 90; }
};

struct CudaProbe {
    bool usable = false;  // at least one device can run this build
    std::string reason;   // why no device is usable: "no NVIDIA driver is installed"; empty when usable
    int driver = 0;       // CUDA version that the driver supports, 13000 for 13.0; 0 for none
    int runtime = 0;      // CUDA version of this build
    std::vector<DeviceInfo> devices;
};

// Lists the devices. Never throws. Needs no driver, because nothing here is linked against it. Creates no context, which
// would take half a gigabyte of a device that is only listed; so a device may prove unusable when it is used.
[[nodiscard]] CudaProbe probe_cuda();

// Makes the device current on this thread. Creates no context of another device. Throws Error(unavailable) with the reason
// when it cannot be used.
DeviceInfo use_device(int index);

}  // namespace throng::gpu
