// Addresses in shared memory as its own instructions want them.
#pragma once

#include <cstdint>

namespace throng::gpu {

__device__ __forceinline__ std::uint32_t shared_address(const void* shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

// Computed here, and held in a register: otherwise the compiler puts it together again wherever it is used.
__device__ __forceinline__ std::uint32_t held_address(const void* shared) {
    std::uint32_t address = shared_address(shared);
    asm volatile("" : "+r"(address));
    return address;
}
template <class T>
__device__ __forceinline__ T& hold_address(T* shared) {
    return *static_cast<T*>(__cvta_shared_to_generic(held_address(shared)));
}

// Shared memory that other warps write meanwhile: one, two and four words at once.
[[nodiscard]] __device__ __forceinline__ std::uint32_t look(const std::uint32_t* at) {
    std::uint32_t value;
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(at)) : "memory");
    return value;
}
[[nodiscard]] __device__ __forceinline__ uint2 look_at_two(const uint2* at) {
    uint2 two;
    asm volatile("ld.relaxed.cta.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(two.x), "=r"(two.y)
                 : "r"(shared_address(at))
                 : "memory");
    return two;
}
[[nodiscard]] __device__ __forceinline__ uint4 look_at_four(const uint2* at) {
    uint4 four;
    asm volatile("ld.relaxed.cta.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
                 : "r"(shared_address(at))
                 : "memory");
    return four;
}
// Adds, and tells what was there: by the first lane of a warp alone. The address has the lane in it, because to one
// that all lanes have in common the compiler adds for all at once, and finds out first which lanes are there.
[[nodiscard]] __device__ __forceinline__ std::uint32_t add_alone(std::uint32_t* at, std::uint32_t value) {
    std::uint32_t before;
    asm volatile(
        "{\n\t.reg .u32 at;\n\tmov.u32 at, %%laneid;\n\tmad.lo.u32 at, at, 4, %1;\n\tatom.shared.add.u32 %0, [at], "
        "%2;\n\t}"
        : "=r"(before)
        : "r"(shared_address(at)), "r"(value)
        : "memory");
    return before;
}
// Two words at once.
__device__ __forceinline__ void tell(uint2* at, uint2 value) {
    static_assert(sizeof(uint2) == sizeof(unsigned long long));
    atomicExch(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value.y) << 32 | value.x);
}

}  // namespace throng::gpu
