// What CUDA can do on this machine. Having no driver or no GPU is an ordinary state, told as a plain reason.
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
    int multiprocessors = 0;
    std::size_t memory = 0;         // bytes
    std::size_t shared_memory = 0;  // bytes a block may have
    bool integrated = false;        // shares its memory with the CPU (Jetson)
    std::string trouble;            // why it cannot run this build; empty when it can
};

struct CudaProbe {
    bool usable = false;  // at least one device can run this build
    std::string reason;   // why not: "no NVIDIA driver is installed"; empty when usable
    int driver = 0;       // CUDA version of the driver, 13000 for 13.0; 0 for none
    int runtime = 0;      // CUDA version built with
    std::vector<DeviceInfo> devices;
};

// Never throws. Needs no driver: nothing here is linked to one.
[[nodiscard]] CudaProbe probe_cuda();

// Makes the device current on this thread. Throws Error(unavailable) with the plain reason when it cannot be used.
DeviceInfo use_device(int index);

}  // namespace throng::gpu
