// Copies bytes to and from device memory, for tests.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "gpu/runtime/device_buffer.h"

namespace throng::test {

// Waits for the copy: from pageable memory, cudaMemcpy may return before the transfer to the device is complete, and the
// non-blocking streams of the program do not wait for it.
template <typename T>
gpu::DeviceBuffer<T> to_device(const std::vector<T>& values) {
    gpu::DeviceBuffer<T> buffer(values.size());
    gpu::check_cuda(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice), "to_device");
    gpu::check_cuda(cudaStreamSynchronize(cudaStreamLegacy), "to_device");
    return buffer;
}

// Waits for the stream.
template <typename T>
std::vector<T> to_host(const T* data, std::size_t count, gpu::StreamView stream) {
    std::vector<T> values(count);
    gpu::check_cuda(cudaMemcpyAsync(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost, stream), "to_host");
    gpu::check_cuda(cudaStreamSynchronize(stream), "to_host");
    return values;
}

}  // namespace throng::test
