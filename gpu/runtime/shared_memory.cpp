#include "gpu/runtime/shared_memory.h"

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "gpu/runtime/check.h"

namespace throng::gpu {

void allow_shared_memory(const void* kernel, std::size_t bytes, const char* name) {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    static std::mutex mutex;
    static std::map<std::pair<int, const void*>, std::size_t> limits;
    const std::lock_guard lock(mutex);
    std::size_t& limit = limits[{device, kernel}];
    if (bytes <= limit) return;
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
               ("setting the shared memory of " + std::string(name)).c_str());
    limit = bytes;
}

}  // namespace throng::gpu
