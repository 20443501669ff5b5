// Addresses in shared memory as its own instructions want them.
#pragma once

#include <cstdint>

namespace throng::gpu {

__device__ __forceinline__ std::uint32_t shared_address(const void* shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

// Computed here, and held in a register: otherwise the compiler puts it together anew wherever it is used.
__device__ __forceinline__ std::uint32_t held_address(const void* shared) {
    std::uint32_t address = shared_address(shared);
    asm volatile("" : "+r"(address));
    return address;
}
template <class T>
__device__ __forceinline__ T& hold_address(T* shared) {
    return *static_cast<T*>(__cvta_shared_to_generic(held_address(shared)));
}

}  // namespace throng::gpu
