#include "gpu/runtime/check.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "core/base/error.h"

namespace throng::gpu {
namespace {

std::atomic<bool>& debug_sync_flag() {
    static std::atomic<bool> on = [] {
        const char* value = std::getenv("THRONG_CUDA_SYNC");
        return value != nullptr && *value != '\0' && *value != '0';
    }();
    return on;
}

ErrorKind kind_of(cudaError_t status) {
    switch (status) {
        case cudaErrorMemoryAllocation:
        case cudaErrorNoDevice:
        case cudaErrorInvalidDevice:
        case cudaErrorInsufficientDriver:
        case cudaErrorDevicesUnavailable:
        case cudaErrorNoKernelImageForDevice:
        case cudaErrorSystemNotReady:
        case cudaErrorSystemDriverMismatch:
        case cudaErrorECCUncorrectable: return ErrorKind::unavailable;
        default: return ErrorKind::internal;
    }
}

Message advice_for(cudaError_t status) {
    switch (status) {
        case cudaErrorMemoryAllocation:
            return {"close other programs that use the GPU, lower the capacity, or use %1", Setting{"backend", "cpu"}};
        case cudaErrorNoKernelImageForDevice: return "build for this GPU: -DCMAKE_CUDA_ARCHITECTURES=native";
        case cudaErrorInsufficientDriver: return {"update the NVIDIA driver, or use %1", Setting{"backend", "cpu"}};
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
            return "this process can no longer use the device; run with THRONG_CUDA_SYNC=1 to find the kernel";
        default: return "";
    }
}

std::string describe(cudaError_t status) {
    return std::string(cudaGetErrorString(status)) + " [" + cudaGetErrorName(status) + "]";
}

}  // namespace

void check_cuda(int code, const char* what) {
    const auto status = static_cast<cudaError_t>(code);
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();  // clears a non-sticky error, so that it is not reported twice
    throw Error(kind_of(status), describe(status), what, advice_for(status));
}

void check_launch(const char* kernel, StreamView stream) {
    check_cuda(cudaGetLastError(), kernel);
    if (debug_sync() && !is_captured(stream)) check_cuda(cudaStreamSynchronize(stream), kernel);
}

bool is_captured(StreamView stream) {
    auto capture = cudaStreamCaptureStatusNone;
    check_cuda(cudaStreamIsCapturing(stream, &capture), "cudaStreamIsCapturing");
    return capture != cudaStreamCaptureStatusNone;
}

void set_debug_sync(bool on) noexcept {
    debug_sync_flag().store(on, std::memory_order_relaxed);
}

bool debug_sync() noexcept {
    return debug_sync_flag().load(std::memory_order_relaxed);
}

}  // namespace throng::gpu
