// The blocks that work on one frame, and how they tell each other bits.
#pragma once

#include <cstdint>

#include "gpu/nms/small_entries.cuh"
#include "gpu/nms/small_nms.h"

namespace throng::gpu::small {

constexpr std::uint32_t kBitWords = kSmallNmsLimit / 32;

// All pairs of n detections as a triangle of square tiles. A job is a tile off the diagonal, or two on it.
struct Tiling {
    std::uint32_t tile;  // side, a multiple of 32
    std::uint32_t rows;
    std::uint32_t jobs;

    // most_rows: as many as give each block one job; 1 for a block alone.
    __host__ __device__ static Tiling of(std::uint32_t n, std::uint32_t most_rows) {
        Tiling t{(n + 31) / 32 * 32, 1, 1};
        if (most_rows == 1 || n <= SmallNmsBoard::kAlone) return t;
        t.tile = SmallNmsBoard::kTile;
        while (t.tile * most_rows < n) t.tile += 32;
        t.rows = (n + t.tile - 1) / t.tile;
        t.jobs = t.rows * (t.rows - 1) / 2 + (t.rows + 1) / 2;
        return t;
    }
};

// Bits in shared memory.
struct Bits {
    std::uint32_t* words;

    __device__ __forceinline__ void set(std::uint32_t i) const { atomicOr(words + i / 32, 1U << i % 32); }
    [[nodiscard]] __device__ __forceinline__ bool test(std::uint32_t i) const {
        return (words[i / 32] >> i % 32 & 1U) != 0;
    }
    __device__ __forceinline__ void clear() const {
        for (std::uint32_t w = threadIdx.x; w < kBitWords; w += kThreads) words[w] = 0;
    }
};

// Words travel through slots of the board: 32 bits and a tag, which says in which exchange of which call they were
// written, so that whoever reads a slot waits for that slot alone. There is no barrier, and nothing to clear. In each
// exchange every block writes a slot or more and reads the slots of all. So two sets of slots in turn are enough: who
// writes to a set again has seen all blocks write to the other one, which they did after they had read this one.
// Tags come round after 2^32 exchanges.
struct Team {
    std::uint32_t blocks;
    std::uint32_t rank;
    SmallNmsBoard* board;  // not looked at by a block alone
    std::uint32_t tag;     // of the next exchange

    [[nodiscard]] __device__ __forceinline__ std::uint64_t* slot(std::uint32_t k) const {
        return board->slots[tag & 1] + k;
    }
    __device__ __forceinline__ void write(std::uint32_t k, std::uint32_t word) const {
        const std::uint64_t value = std::uint64_t{tag} << 32 | word;
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slot(k)), "l"(value) : "memory");
    }
    [[nodiscard]] __device__ __forceinline__ std::uint64_t peek(std::uint32_t k) const {
        std::uint64_t value = 0;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(slot(k)) : "memory");
        return value;
    }
    // The word of slot k, of which `seen` is what a peek gave.
    [[nodiscard]] __device__ __forceinline__ std::uint32_t read(std::uint32_t k, std::uint64_t seen) const {
        while (static_cast<std::uint32_t>(seen >> 32) != tag) seen = peek(k);
        return static_cast<std::uint32_t>(seen);
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t read(std::uint32_t k) const { return read(k, peek(k)); }

    // Words of n bits that this block makes: rank, rank + blocks, … What other blocks make is read into `all`.
    __device__ __forceinline__ void exchange(const Bits& own, const Bits& all, std::uint32_t n) {
        const std::uint32_t words = (n + 31) / 32;
        __syncthreads();
        if (blocks == 1) {
            for (std::uint32_t w = threadIdx.x; w < words; w += kThreads) all.words[w] = own.words[w];
        } else {
            const std::uint32_t told = max(words, blocks);  // who has no word tells that it is here
            for (std::uint32_t w = rank + threadIdx.x * blocks; w < told; w += kThreads * blocks)
                write(w, w < words ? own.words[w] : 0);
            for (std::uint32_t w = threadIdx.x; w < told; w += kThreads) {
                const std::uint32_t word = read(w);
                if (w < words) all.words[w] = word;
            }
        }
        ++tag;
        __syncthreads();
    }

    // Waits for all; what they wrote to memory before is seen by all after.
    __device__ __forceinline__ void meet() {
        __syncthreads();
        if (blocks == 1) return;
        if (threadIdx.x == 0) {
            __threadfence();
            write(rank, 0);
        }
        for (std::uint32_t b = threadIdx.x; b < blocks; b += kThreads) static_cast<void>(read(b));
        __threadfence();
        ++tag;
        __syncthreads();
    }
};

}  // namespace throng::gpu::small
