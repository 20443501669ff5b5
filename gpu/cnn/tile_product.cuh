// The pointwise convolution of a tile: rows of a tile of pixels in shared memory times a matrix of weights. In 32 bits
// by fused multiply-adds, in 16 bits by the tensor cores (mma.m16n8k16) with sums in 32 bits.
#pragma once

#include "gpu/cnn/elements.cuh"
#include "gpu/cnn/weights.h"

namespace throng::gpu {

inline constexpr int kTileThreads = 256;

constexpr int round_up(int value, int step) {
    return (value + step - 1) / step * step;
}

// Products of kRows x kDepth (pixels, in shared memory, row after row, each kDepth + kRowPadding elements) and weights.
// Rows beyond kRows up to kPaddedRows are read, so there must be memory; what comes of them is not visited.
template <typename T, int kRows, int kDepth, int kChannels>
class TileProduct;

// Every thread sums up four channels of every kLanes-th row. Weights: [kDepth][kChannels].
template <int kRows, int kDepth, int kChannels>
class TileProduct<float, kRows, kDepth, kChannels> {
    static constexpr int kGroups = kChannels / 4;
    static constexpr int kLanes = kTileThreads / kGroups;
    static constexpr int kEach = (kRows + kLanes - 1) / kLanes;

public:
    static constexpr int kPaddedRows = kEach * kLanes;
    static constexpr int kPitch = kDepth + kRowPadding<float>;
    static constexpr int kWeightElements = kDepth * kChannels;
    static constexpr int kValues = 4;  // that visit hands out at once

    // Of all weights [all.in][all.out] those of kDepth channels in from first_in on and kChannels out from first_out
    // on.
    __device__ static void load_weights(float* to, const PointWeights& all, int first_in, int first_out) {
        const float* from = static_cast<const float*>(all.weights) + first_in * all.out + first_out;
        for (int i = threadIdx.x; i < kDepth * kGroups; i += kTileThreads) {
            const int k = i / kGroups;
            const int c = i % kGroups * 4;
            store4(to + k * kChannels + c, __ldg(reinterpret_cast<const float4*>(from + k * all.out + c)));
        }
    }

    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < kEach; ++i) sums_[i] = {0.0F, 0.0F, 0.0F, 0.0F};
    }

    __device__ void add(const float* tile, const float* weights) {
        const float* row = tile + (threadIdx.x / kGroups) * kPitch;
        const float* column = weights + threadIdx.x % kGroups * 4;
#pragma unroll 2
        for (int k = 0; k < kDepth; k += 4) {
            float4 w[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) w[j] = load4(column + (k + j) * kChannels);
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
                const float4 a = load4(row + i * kLanes * kPitch + k);
                add_product(sums_[i], a.x, w[0]);
                add_product(sums_[i], a.y, w[1]);
                add_product(sums_[i], a.z, w[2]);
                add_product(sums_[i], a.w, w[3]);
            }
        }
    }

    // visit(row, channel, values) for every row < kRows, kValues channels at a time.
    template <typename Visit>
    __device__ void for_each(Visit visit) const {
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const int row = threadIdx.x / kGroups + i * kLanes;
            if (row >= kRows) continue;
            const float values[4] = {sums_[i].x, sums_[i].y, sums_[i].z, sums_[i].w};
            visit(row, static_cast<int>(threadIdx.x) % kGroups * 4, values);
        }
    }

private:
    float4 sums_[kEach];
};

// Eight warps, four along the rows by two along the channels. Weights: [kChannels][kDepth], rows padded as the tile's.
template <int kRows, int kDepth, int kChannels>
class TileProduct<__half, kRows, kDepth, kChannels> {
    static constexpr int kWarpsDown = 4;
    static constexpr int kWarpsAcross = 2;
    static constexpr int kDown = (round_up(kRows, 16) / 16 + kWarpsDown - 1) / kWarpsDown;  // 16 rows each
    static constexpr int kAcross = kChannels / 8 / kWarpsAcross;                            // 8 channels each

public:
    static constexpr int kPaddedRows = kDown * kWarpsDown * 16;
    static constexpr int kPitch = kDepth + kRowPadding<__half>;
    static constexpr int kWeightElements = kChannels * kPitch;
    static constexpr int kValues = 2;

    // Of all weights [all.out][all.in], as above.
    __device__ static void load_weights(__half* to, const PointWeights& all, int first_in, int first_out) {
        const __half* from = static_cast<const __half*>(all.weights) + first_out * all.in + first_in;
        constexpr int kChunks = kDepth / 8;
        for (int i = threadIdx.x; i < kChannels * kChunks; i += kTileThreads) {
            const int n = i / kChunks;
            const int k = i % kChunks * 8;
            *reinterpret_cast<uint4*>(to + n * kPitch + k) =
                __ldg(reinterpret_cast<const uint4*>(from + n * all.in + k));
        }
    }

    __device__ void clear() {
#pragma unroll
        for (int i = 0; i < kDown; ++i) {
#pragma unroll
            for (int j = 0; j < kAcross; ++j) {
#pragma unroll
                for (int v = 0; v < 4; ++v) sums_[i][j][v] = 0.0F;
            }
        }
    }

    __device__ void add(const __half* tile, const __half* weights) {
        const int lane = threadIdx.x % 32;
        // ldmatrix takes an address from every lane: of the rows of four 8 x 8 matrices (two for a column of weights).
        const __half* row = tile + (first_row() + lane % 16) * kPitch + lane / 16 * 8;
        const __half* column = weights + (first_channel() + lane % 8) * kPitch + lane / 8 % 2 * 8;
#pragma unroll
        for (int k = 0; k < kDepth; k += 16) {
            std::uint32_t b[kAcross][2];
#pragma unroll
            for (int j = 0; j < kAcross; ++j) load_matrices(b[j], column + j * 8 * kPitch + k);
#pragma unroll
            for (int i = 0; i < kDown; ++i) {
                std::uint32_t a[4];
                load_matrices(a, row + i * 16 * kPitch + k);
#pragma unroll
                for (int j = 0; j < kAcross; ++j) multiply(sums_[i][j], a, b[j]);
            }
        }
    }

    template <typename Visit>
    __device__ void for_each(Visit visit) const {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < kDown; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int row = first_row() + i * 16 + half * 8 + lane / 4;
                if (row >= kRows) continue;
#pragma unroll
                for (int j = 0; j < kAcross; ++j) {
                    const float values[2] = {sums_[i][j][half * 2], sums_[i][j][half * 2 + 1]};
                    visit(row, first_channel() + j * 8 + lane % 4 * 2, values);
                }
            }
        }
    }

private:
    __device__ static int first_row() {
        return static_cast<int>(threadIdx.x) / 32 % kWarpsDown * kDown * 16;
    }
    __device__ static int first_channel() {
        return static_cast<int>(threadIdx.x) / 32 / kWarpsDown * kAcross * 8;
    }

    // The half precision path is chosen for compute capability 7.5 and up only.
    __device__ static void load_matrices(std::uint32_t (&to)[4], const __half* from) {
#if __CUDA_ARCH__ >= 750
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(from)))
                     : "memory");
#endif
    }

    __device__ static void load_matrices(std::uint32_t (&to)[2], const __half* from) {
#if __CUDA_ARCH__ >= 750
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                     : "=r"(to[0]), "=r"(to[1])
                     : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(from)))
                     : "memory");
#endif
    }

    __device__ static void multiply(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
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

    float sums_[kDown][kAcross][4];
};

}  // namespace throng::gpu
