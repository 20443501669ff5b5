// Which devices have a context of this process.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <vector>

namespace throng::test {

// Returns the devices whose primary context exists. Calls the driver itself: the runtime may create what is asked for.
inline std::vector<int> devices_with_context() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) return {};
    const auto get_state =
        reinterpret_cast<decltype(&cuDevicePrimaryCtxGetState)>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
    int count = 0;
    if (get_state == nullptr || cudaGetDeviceCount(&count) != cudaSuccess) return {-1};
    std::vector<int> devices;
    for (int device = 0; device < count; ++device) {
        unsigned flags = 0;
        int active = 1;
        if (get_state(device, &flags, &active) != CUDA_SUCCESS || active != 0) devices.push_back(device);
    }
    return devices;
}

}  // namespace throng::test
