#include "gpu/runtime/partial_device.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "core/base/error.h"

namespace throng::gpu {

#if CUDART_VERSION >= 12050

namespace {

// libcuda is not linked, so that the program starts on a machine without a driver. Returns null if the driver does not
// have the function.
template <typename Function>
Function find_driver_function(const char* name) {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &address, 12050, cudaEnableDefault, &found);
    if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
    const bool usable = status == cudaSuccess && found == cudaDriverEntryPointSuccess;
    return usable ? reinterpret_cast<Function>(address) : nullptr;
}

template <typename Function>
Function driver_function(const char* name) {
    const auto function = find_driver_function<Function>(name);
    if (function == nullptr) {
        throw Error(ErrorKind::unavailable, "the NVIDIA driver does not support green contexts", name,
                    "install a driver for CUDA 12.5 or newer");
    }
    return function;
}

void check_driver(CUresult status, const char* what) {
    if (status == CUDA_SUCCESS) return;
    throw Error(ErrorKind::unavailable,
                "the device cannot be partitioned: error " + std::to_string(static_cast<int>(status)), what);
}

}  // namespace

struct PartialDevice::Impl {
    DeviceInfo info;
    CUgreenCtx context = nullptr;
    CUstream stream = nullptr;
    decltype(&cuGreenCtxDestroy) destroy_context = nullptr;
    decltype(&cuStreamDestroy) destroy_stream = nullptr;

    ~Impl() {
        if (stream != nullptr) destroy_stream(stream);
        if (context != nullptr) destroy_context(context);
    }
};

PartialDevice::PartialDevice(const DeviceInfo& device, int multiprocessors) : impl_(std::make_unique<Impl>()) {
    check_cuda(cudaFree(nullptr), "cudaFree(nullptr)");  // creates the primary context
    const auto get_device = driver_function<decltype(&cuDeviceGet)>("cuDeviceGet");
    const auto get_resource = driver_function<decltype(&cuDeviceGetDevResource)>("cuDeviceGetDevResource");
    const auto split = driver_function<decltype(&cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount");
    const auto describe = driver_function<decltype(&cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc");
    const auto make_context = driver_function<decltype(&cuGreenCtxCreate)>("cuGreenCtxCreate");
    const auto make_stream = driver_function<decltype(&cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate");
    impl_->destroy_context = driver_function<decltype(&cuGreenCtxDestroy)>("cuGreenCtxDestroy");
    impl_->destroy_stream = driver_function<decltype(&cuStreamDestroy)>("cuStreamDestroy");

    CUdevice handle = 0;
    check_driver(get_device(&handle, device.index), "cuDeviceGet");
    CUdevResource all{};
    check_driver(get_resource(handle, &all, CU_DEV_RESOURCE_TYPE_SM), "cuDeviceGetDevResource");
    CUdevResource part = all;
    if (multiprocessors < static_cast<int>(all.sm.smCount)) {
        unsigned groups = 1;
        CUdevResource rest{};
        check_driver(split(&part, &groups, &all, &rest, 0, static_cast<unsigned>(std::max(multiprocessors, 1))),
                     "cuDevSmResourceSplitByCount");
    }
    CUdevResourceDesc description = nullptr;
    check_driver(describe(&description, &part, 1), "cuDevResourceGenerateDesc");
    check_driver(make_context(&impl_->context, description, handle, CU_GREEN_CTX_DEFAULT_STREAM), "cuGreenCtxCreate");
    check_driver(make_stream(&impl_->stream, impl_->context, CU_STREAM_NON_BLOCKING, 0), "cuGreenCtxStreamCreate");
    impl_->info = device;
    impl_->info.multiprocessors = static_cast<int>(part.sm.smCount);
}

std::optional<int> multiprocessors_of_partition(StreamView stream) {
    static const auto get_context = find_driver_function<decltype(&cuStreamGetGreenCtx)>("cuStreamGetGreenCtx");
    static const auto get_resource =
        find_driver_function<decltype(&cuGreenCtxGetDevResource)>("cuGreenCtxGetDevResource");
    if (get_context == nullptr || get_resource == nullptr) return std::nullopt;
    CUgreenCtx context = nullptr;
    CUdevResource part{};
    if (get_context(stream, &context) != CUDA_SUCCESS || context == nullptr) return std::nullopt;
    if (get_resource(context, &part, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) return std::nullopt;
    return static_cast<int>(part.sm.smCount);
}

#else

struct PartialDevice::Impl {
    DeviceInfo info;
    CUstream stream = nullptr;
};

PartialDevice::PartialDevice(const DeviceInfo&, int) {
    throw Error(ErrorKind::unavailable, "this build does not support green contexts", "CUDA toolkit",
                "build with CUDA 12.5 or newer");
}

std::optional<int> multiprocessors_of_partition(StreamView) {
    return std::nullopt;
}

#endif

PartialDevice::~PartialDevice() = default;

StreamView PartialDevice::stream() const noexcept {
    return impl_->stream;
}

const DeviceInfo& PartialDevice::info() const noexcept {
    return impl_->info;
}

}  // namespace throng::gpu
