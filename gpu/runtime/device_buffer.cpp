#include "gpu/runtime/device_buffer.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <string>

namespace throng::gpu {
namespace {

thread_local MemorySource* used = nullptr;

}  // namespace

MemorySource::Use::Use(MemorySource& source) noexcept {
    used = &source;
}

MemorySource::Use::~Use() {
    used = nullptr;
}

void copy_to_host(void* to, const void* d_from, std::size_t bytes, StreamView stream) {
    check_cuda(cudaMemcpyAsync(to, d_from, bytes, cudaMemcpyDeviceToHost, stream), "copying to the host");
    check_cuda(cudaStreamSynchronize(stream), "copying to the host");
}

namespace detail {
namespace {

std::string megabytes(std::size_t bytes) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.1f MB", static_cast<double>(bytes) / 1e6);
    return text;
}

}  // namespace

void* allocate_device(std::size_t bytes) {
    return used != nullptr ? used->take(bytes) : allocate_new(bytes);
}

void* allocate_new(std::size_t bytes) {
    void* address = nullptr;
    const cudaError_t status = cudaMalloc(&address, bytes);
    if (status != cudaSuccess) {
        std::size_t free_bytes = 0;
        std::size_t total = 0;
        std::string what = "allocating " + megabytes(bytes) + " of device memory";
        if (cudaMemGetInfo(&free_bytes, &total) == cudaSuccess) {
            what += " (" + megabytes(free_bytes) + " free of " + megabytes(total) + ")";
        }
        check_cuda(status, what.c_str());
    }
    return address;
}

void* allocate_pinned(std::size_t bytes) {
    void* address = nullptr;
    check_cuda(cudaMallocHost(&address, bytes), ("allocating " + megabytes(bytes) + " of page-locked memory").c_str());
    return address;
}

void free_device(void* address) noexcept {
    if (used != nullptr && used->give_back(address)) return;
    warn_cuda(cudaFree(address), "cudaFree");
}
void free_pinned(void* address) noexcept {
    warn_cuda(cudaFreeHost(address), "cudaFreeHost");
}

void fill_device(void* address, int byte, std::size_t bytes, StreamView stream) {
    if (used != nullptr && used->measures()) return;
    check_cuda(cudaMemsetAsync(address, byte, bytes, stream), "cudaMemsetAsync");
}

void copy_to_device(void* d_to, const void* from, std::size_t bytes, StreamView stream, const char* what) {
    check_cuda(cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, stream), what);
}

}  // namespace detail
}  // namespace throng::gpu
