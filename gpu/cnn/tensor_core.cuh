// Tensor-core instructions, m16n8k16 on 16-bit numbers with 32-bit sums. A thread's fragment of a 16 x 16 matrix (lane
// = 4 g + t) has rows g and g + 8 and columns 2 t, 2 t + 1 and those + 8, in the order (g, 2t) (g + 8, 2t) (g, 2t + 8)
// (g + 8, 2t + 8). Its fragment of a 16 x 8 matrix of sums is (g, 2t) (g, 2t + 1) (g + 8, 2t) (g + 8, 2t + 1). Below
// compute capability 7.5 nothing is computed: the detector does not select these kernels there.
#pragma once

#include <cstdint>

#include <cuda_fp16.h>

namespace throng::gpu {

// Loads a fragment of a matrix whose rows are in shared memory. from: the lane's row, of columns 0 to 7 (lanes 0 to 15)
// or of columns 8 to 15 (lanes 16 to 31).
__device__ inline void load_matrices(std::uint32_t (&to)[4], const __half* from) {
#if __CUDA_ARCH__ >= 750
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(from)))
                 : "memory");
#endif
}

// The same for the second matrix, 16 x 8, stored by columns: lanes 0 to 7 rows 0 to 7, lanes 8 to 15 the rest.
__device__ inline void load_matrices(std::uint32_t (&to)[2], const __half* from) {
#if __CUDA_ARCH__ >= 750
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(from)))
                 : "memory");
#endif
}

__device__ inline void multiply(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif __CUDA_ARCH__ >= 750
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[2 * h]), "r"(a[2 * h + 1]), "r"(b[h]));
    }
#endif
}

// The same for a first matrix of 16 x 8 and a second one of 8 x 8.
__device__ inline void multiply(float (&sum)[4], const std::uint32_t (&a)[2], const std::uint32_t (&b)[1]) {
#if __CUDA_ARCH__ >= 750
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
#endif
}

}  // namespace throng::gpu
