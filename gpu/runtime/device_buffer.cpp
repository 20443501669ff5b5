#include "gpu/runtime/device_buffer.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <string>

#include "gpu/runtime/kept_memory.h"
#include "gpu/runtime/memory_arena.h"

namespace throng::gpu {

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
    if (MemoryArena* arena = MemoryArena::current()) return arena->take(bytes);
    KeptMemory* const kept = KeptMemory::current();
    void* address = kept != nullptr ? kept->take(bytes) : nullptr;
    if (address != nullptr) return address;
    cudaError_t status = cudaMalloc(&address, bytes);
    if (status == cudaErrorMemoryAllocation && kept != nullptr) {
        (void)cudaGetLastError();
        kept->free_unused();
        status = cudaMalloc(&address, bytes);
    }
    if (status != cudaSuccess) {
        std::size_t free_bytes = 0;
        std::size_t total = 0;
        std::string what = "allocating " + megabytes(bytes) + " of device memory";
        if (cudaMemGetInfo(&free_bytes, &total) == cudaSuccess) {
            what += " (" + megabytes(free_bytes) + " free of " + megabytes(total) + ")";
        }
        check_cuda(status, what.c_str());
    }
    if (kept != nullptr) kept->add(address, bytes);
    return address;
}

void* allocate_pinned(std::size_t bytes) {
    void* address = nullptr;
    check_cuda(cudaMallocHost(&address, bytes), ("allocating " + megabytes(bytes) + " of page-locked memory").c_str());
    return address;
}

void free_device(void* address) noexcept {
    if (MemoryArena::current() != nullptr) return;
    if (KeptMemory* const kept = KeptMemory::current(); kept != nullptr && kept->give_back(address)) return;
    warn_cuda(cudaFree(address), "cudaFree");
}
void free_pinned(void* address) noexcept {
    warn_cuda(cudaFreeHost(address), "cudaFreeHost");
}

void fill_device(void* address, int byte, std::size_t bytes, StreamView stream) {
    if (MemoryArena* arena = MemoryArena::current(); arena != nullptr && arena->measures()) return;
    check_cuda(cudaMemsetAsync(address, byte, bytes, stream), "cudaMemsetAsync");
}

void copy_to_device(void* d_to, const void* from, std::size_t bytes, StreamView stream, const char* what) {
    check_cuda(cudaMemcpyAsync(d_to, from, bytes, cudaMemcpyHostToDevice, stream), what);
}

}  // namespace detail
}  // namespace throng::gpu
