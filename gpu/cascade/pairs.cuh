// Two windows at once. A word holds the sum at a position of the first window plus 65536 times the sum at the same
// position of the second one. A rectangle's sum is linear in its corners. So the corners of such words give both sums
// in one word, modulo 2^32. Neither disturbs the other if both fit 16 bits, as those of rectangles up to kMaxPairArea
// do.
#pragma once

#include <cuda_runtime.h>

#include <cstring>

#include "core/algo/cascade.h"
#include "gpu/cascade/device_cascade.h"
#include "gpu/cascade/first_stages.h"

namespace throng::gpu {

// Copies a structure of whole 16-byte quads from shared memory.
template <typename T>
__device__ T copy_quads(const T& from) {
    static_assert(sizeof(T) % sizeof(int4) == 0);
    int4 quads[sizeof(T) / sizeof(int4)];
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(T) / sizeof(int4)); ++i)
        quads[i] = reinterpret_cast<const int4*>(&from)[i];
    T value;
    memcpy(&value, quads, sizeof(T));
    return value;
}

__device__ inline std::uint32_t pack_pair(std::uint32_t first, std::uint32_t second) {
    return first + (second << 16);
}

// Copies a column of sums: load(y) returns an entry or a pair, store(y, word) stores it. Entries that are running sums
// along the rows only are added up. Then a word differs from that of an integral image by a constant of its column,
// which cancels out in every rectangle.
template <typename Load, typename Store>
__device__ void load_column(int rows, bool rows_only, const Load& load, const Store& store) {
    const std::uint32_t above = rows_only ? 0xFFFFFFFFU : 0;
    std::uint32_t word = 0;
#pragma unroll 8
    for (int y = 0; y < rows; ++y) {
        word = (word & above) + load(y);
        store(y, word);
    }
}

// Converts both halves. 0x4B000000 is the float 2^23, in whose mantissa an integer is exact.
__device__ inline float2 pair_sums(std::uint32_t pair) {
    constexpr float kBase = 8388608.0F;
    return {__uint_as_float(__byte_perm(pair, 0x4B00, 0x5410)) - kBase,
            __uint_as_float(__byte_perm(pair, 0x4B00, 0x5432)) - kBase};
}

// The same for halves from -2^15 to 2^15 - 1.
__device__ inline float2 signed_halves(std::uint32_t pair) {
    constexpr float kBase = 8388608.0F + 32768.0F;
    pair += 0x80008000U;
    return {__uint_as_float(__byte_perm(pair, 0x4B00, 0x5410)) - kBase,
            __uint_as_float(__byte_perm(pair, 0x4B00, 0x5432)) - kBase};
}

__device__ inline std::uint32_t pair_corner_sum(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return a - b - c + d;
}

// Returns the sums of a rectangle of any height, added up from strips that fit 16 bits: it is at most kMaxPairArea
// pixels wide, a tilted one half as many. entry(x, y) returns a word.
template <typename Entry>
__device__ int2 large_pair_sums(CascadeRect rect, bool tilted, const Entry& entry) {
    const int strip = kMaxPairArea / (tilted ? 2 * rect.w : rect.w);
    int2 sums{};
    for (int done = 0; done < rect.h; done += strip) {
        const int x = tilted ? rect.x - done : rect.x;
        const int y = rect.y + done;
        const int w = rect.w;
        const int h = min(strip, rect.h - done);
        const std::uint32_t sum =
            tilted ? pair_corner_sum(entry(x, y), entry(x - h, y + h), entry(x + w, y + w), entry(x + w - h, y + w + h))
                   : pair_corner_sum(entry(x, y), entry(x + w, y), entry(x, y + h), entry(x + w, y + h));
        sums.x += static_cast<int>(sum & 0xFFFFU);
        sums.y += static_cast<int>(sum >> 16);
    }
    return sums;
}

struct PairTest {
    bool first, second;
};

// Compares the values of a Haar feature with a threshold. sum(r) returns the sums of rectangle r; third: true if there
// are three. The arithmetic is that of haar_value.
template <typename Sum>
__device__ PairTest pair_below(const float (&weight)[3], float threshold, bool third, float2 norm, const Sum& sum) {
    const float2 s0 = pair_sums(sum(0));
    const float2 s1 = pair_sums(sum(1));
    float2 value = {weight[0] * s0.x + weight[1] * s1.x, weight[0] * s0.y + weight[1] * s1.y};
    if (third) {
        const float2 s2 = pair_sums(sum(2));
        value.x += weight[2] * s2.x;
        value.y += weight[2] * s2.y;
    }
    return {value.x * norm.x < threshold, value.y * norm.y < threshold};
}

// The same for a feature whose values fit 16 bits with their signs: they are computed in one word. edge(e) returns the
// sum at the first corner of an edge minus that at its second one.
template <typename Edge>
__device__ PairTest edges_below(const std::int8_t (&weight)[kPairEdges], float threshold, float2 norm,
                                const Edge& edge) {
    const auto part = [&](int e) { return static_cast<std::uint32_t>(weight[e]) * edge(e); };
    std::uint32_t values = part(0) + part(1) + part(2);
    if (weight[3] != 0) values += part(3);
    if (weight[4] != 0) values += part(4) + part(5);
    const float2 value = signed_halves(values);
    return {value.x * norm.x < threshold, value.y * norm.y < threshold};
}

// Returns the LBP codes of both windows, the second one in the upper 16 bits. entry(x, y) returns a corner of the 3 x 3
// blocks.
template <typename Entry>
__device__ std::uint32_t pair_lbp_codes(const Entry& entry) {
    std::uint32_t corner[4][4];
#pragma unroll
    for (int y = 0; y < 4; ++y) {
#pragma unroll
        for (int x = 0; x < 4; ++x) corner[y][x] = entry(x, y);
    }
    const auto block = [&](int x, int y) {
        return pair_corner_sum(corner[y][x], corner[y][x + 1], corner[y + 1][x], corner[y + 1][x + 1]);
    };
    // Sums have 15 bits. So bit 15 of a half keeps its 1 if the neighbor's sum is not below the center's.
    const std::uint32_t less = 0x80008000U - block(1, 1);
    std::uint32_t codes = 0;
    const auto add = [&](int x, int y, int shift) {
        codes |= (block(x, y) + less) >> (15 - shift) & 0x00010001U << shift;
    };
    add(0, 0, 7);
    add(1, 0, 6);
    add(2, 0, 5);
    add(2, 1, 4);
    add(2, 2, 3);
    add(1, 2, 2);
    add(0, 2, 1);
    add(0, 1, 0);
    return codes;
}

}  // namespace throng::gpu
