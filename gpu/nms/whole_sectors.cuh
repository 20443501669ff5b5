// Sectors of device memory, 32 bytes, written at once. A lane writes 16 bytes with an instruction; two halves of a
// sector that come one after the other take much longer to be written, and so the kernel to be known as ended.
#pragma once

#include <cstdint>

#include "gpu/nms/pair_test.cuh"

namespace throng::gpu {

// Of what two lanes side by side have, 32 bytes each, the even lane writes the first halves and the odd one the second
// halves. For whole warps.
struct Halves {
    uint4 of_even, of_odd;

    // Of what this lane has.
    __device__ __forceinline__ Halves(const uint4& first, const uint4& second) {
        const bool odd = is_odd();
        const auto other = [&](std::uint32_t a, std::uint32_t b) {
            return __shfl_xor_sync(kWholeWarp, odd ? a : b, 1);
        };
        const uint4 its = make_uint4(other(first.x, second.x), other(first.y, second.y), other(first.z, second.z),
                                     other(first.w, second.w));
        of_even = odd ? its : first;
        of_odd = odd ? second : its;
    }
    [[nodiscard]] __device__ __forceinline__ static bool is_odd() { return (threadIdx.x & 1) != 0; }
};

}  // namespace throng::gpu
