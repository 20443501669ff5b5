// Apart from check.cpp, because libthrong_nms, which has no log, defines it otherwise.
#include <cuda_runtime_api.h>

#include <atomic>
#include <string>

#include "core/base/log.h"
#include "gpu/runtime/check.h"

namespace throng::gpu {

void warn_cuda(int code, const char* what) noexcept {
    const auto status = static_cast<cudaError_t>(code);
    // At process exit the runtime may be unloaded before static owners are destroyed; this is not logged.
    if (status == cudaSuccess || status == cudaErrorCudartUnloading) return;
    try {
        // After a device is lost every call fails, so the same status is logged as a warning only once.
        static std::atomic<cudaError_t> last_logged{cudaSuccess};
        const bool again = last_logged.exchange(status) == status;
        logger().log(again ? spdlog::level::debug : spdlog::level::warn, "{}: {} [{}]", what,
                     cudaGetErrorString(status), cudaGetErrorName(status));
    } catch (...) {
    }
}

}  // namespace throng::gpu
