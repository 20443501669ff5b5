// The open detections of a frame, numbered by all blocks alike, and who suppresses them as rows of bits by number.
#pragma once

#include <cstdint>

#include "gpu/nms/chained.h"
#include "gpu/nms/lane_group.cuh"
#include "gpu/nms/small_shape.cuh"

namespace throng::gpu {

// Blocks that all run at the same time, a group of 32 detections each, tell each other in device memory which of them
// are open. kWords: of 32 detections, that a frame may have.
template <std::uint32_t kWords>
class SmallNumbers {
    static constexpr std::uint32_t kEach = kWords / 32;
    static constexpr std::uint32_t kTold = 1U << 31;

public:
    static constexpr std::uint32_t kMaxOpen = most_open(kWords * 32);
    struct Shared {
        uint2 open[kWords];  // bits by index, and the number of the first
        std::uint32_t all;
        alignas(16) std::uint32_t rows[32][kMaxOpen / 32];  // bits by number: of the open ones of the group, in order
    };
    Shared& s;

    // Before the threads next meet.
    template <std::uint32_t kThreads>
    __device__ __forceinline__ void prepare() const {
        static_assert(sizeof(s.rows) == kMaxOpen * sizeof(std::uint32_t));
        for (std::uint32_t k = threadIdx.x; k < kMaxOpen; k += kThreads) (&s.rows[0][0])[k] = 0;
    }

    // Of a group two words, halves of the bits, which are 0 before: kTold says that they have been written, so there is
    // nothing else to wait for.
    __device__ __forceinline__ static void tell(const SmallNmsScratch& scratch, std::uint32_t opens) {
        if (threadIdx.x >= 2) return;
        const std::uint32_t half = opens >> 16 * threadIdx.x & 0xFFFFU;
        std::uint32_t* at = scratch.open + blockIdx.x * SmallNmsScratch::kLine + threadIdx.x;
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(half | kTold) : "memory");
    }
    // Waits for what all groups tell, and numbers their open ones: lane l those of the groups l, 32 + l and so on. By
    // one warp, because many that read the same lines take long; the others know when the threads have met.
    __device__ __forceinline__ void learn(const SmallNmsScratch& scratch, std::uint32_t words) const {
        if (threadIdx.x >= 32) return;
        uint2 told[kEach];
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) told[k] = make_uint2(0, 0);
        for (bool again = true; again;) {
            again = false;
#pragma unroll
            for (std::uint32_t k = 0; k < kEach; ++k) {
                const std::uint32_t group = threadIdx.x + k * 32;
                if (group >= words || (told[k].x & told[k].y & kTold) != 0) continue;
                const std::uint32_t* at = scratch.open + group * SmallNmsScratch::kLine;
                asm volatile("ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%2];"
                             : "=r"(told[k].x), "=r"(told[k].y)
                             : "l"(at)
                             : "memory");
                again = true;
            }
        }
        std::uint32_t open[kEach];
        std::uint32_t its = 0;
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            open[k] = (told[k].x & 0xFFFFU) | told[k].y << 16;
            its += __popc(open[k]);
        }
        __syncwarp();
        const std::uint32_t behind = Group<32>().sum_up_to(its);
        if (threadIdx.x == 31) s.all = behind;
        std::uint32_t first = behind - its;
#pragma unroll
        for (std::uint32_t k = 0; k < kEach; ++k) {
            s.open[threadIdx.x + k * 32] = make_uint2(open[k], first);
            first += __popc(open[k]);
        }
    }

    // A row gets bits for those of `bits`, of a word of open ones.
    __device__ __forceinline__ void add(std::uint32_t rank, uint2 word, std::uint32_t bits) const {
#pragma unroll 1
        for (; bits != 0; bits &= bits - 1) {
            const std::uint32_t lowest = bits & (0U - bits);
            const std::uint32_t by = word.y + __popc(word.x & (lowest - 1));
            atomicOr(&s.rows[rank][by / 32], 1U << by % 32);
        }
    }
    // The rows of a group, whose first number is given: as many words of each as there are numbers.
    __device__ __forceinline__ void write(const SmallNmsScratch& scratch, std::uint32_t count, std::uint32_t first,
                                          std::uint32_t all) const {
        constexpr std::uint32_t kFours = kMaxOpen / 128;
        const std::uint32_t k = threadIdx.x / kFours;
        const std::uint32_t four = threadIdx.x % kFours;
        if (k < count && four * 128 < all)
            reinterpret_cast<uint4*>(scratch.rows)[four * kMaxOpen + first + k] =
                reinterpret_cast<const uint4*>(s.rows[k])[four];
    }
};

}  // namespace throng::gpu
