#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/runtime/launch.cuh"
#include "gpu/runtime/probe_kernel.h"

namespace throng::gpu {
namespace {

__global__ void empty_kernel() {}

}  // namespace

int find_probe_kernel(int& code) noexcept {
    cudaFuncAttributes attributes{};
    const cudaError_t status = cudaFuncGetAttributes(&attributes, empty_kernel);
    // Not binaryVersion, which is the version of the code that the driver compiled from embedded PTX.
    code = status == cudaSuccess ? attributes.ptxVersion : 0;
    return status;
}

int oldest_probe_code() noexcept {
    return std::min({__CUDA_ARCH_LIST__}) / 10;
}

void launch_empty(StreamView stream) {
    empty_kernel<<<1, 32, 0, stream>>>();
    check_launch("empty_kernel", stream);
}

bool launch_empty_resident(unsigned blocks, StreamView stream) {
    return LaunchChain(stream, false).launch_resident("empty_kernel", empty_kernel, {dim3(blocks), dim3(32)});
}

}  // namespace throng::gpu
