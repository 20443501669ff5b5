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
    // Virtual architecture that the loaded kernels were compiled from, 90 for compute_90; 0 where nothing is loaded. It
    // is lower than the compute capability where the driver compiled embedded PTX for a newer device. Decides, instead
    // of the compute capability, wherever host code relies on what device code does under `#if __CUDA_ARCH__ >= …`.
    int code = 0;
    int multiprocessors = 0;
    std::size_t memory = 0;          // bytes
    std::size_t shared_memory = 0;   // bytes a block may have
    bool integrated = false;         // shares its memory with the CPU (Jetson)
    std::string unavailable_reason;  // why it cannot run this build; empty when it can

    // The kernels hold the instructions of programmatic dependent launch and of thread block clusters. Launched with
    // these attributes, kernels without the instructions would neither wait for the kernel before nor find their
    // cluster, and no call would report it.
    [[nodiscard]] bool has_dependent_launch() const noexcept { return code >= 90; }
    [[nodiscard]] bool has_clusters() const noexcept { return code >= 90; }
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
