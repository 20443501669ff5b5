// Two windows at once. A word holds the sum at a position of the first window plus 65536 times the sum at the same
// position of the second one. A rectangle's sum is linear in its corners. So the corners of such words give both sums
// in one word, modulo 2^32. Neither disturbs the other if both fit 16 bits, as those of rectangles up to kMaxPairArea
// do.
#pragma once

#include <cuda_runtime.h>

#include "gpu/cascade/evaluate.cuh"
#include "gpu/cascade/first_stages.h"

namespace throng::gpu {

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

// Converts both halves. 0x4B000000 is the float 2^23, in whose mantissa an integer is exact. above: what was added to
// both.
__device__ inline float2 pair_sums(std::uint32_t pair, float above = 0) {
    const float base = 8388608.0F + above;
    return {__uint_as_float(__byte_perm(pair, 0x4B00, 0x5410)) - base,
            __uint_as_float(__byte_perm(pair, 0x4B00, 0x5432)) - base};
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
        const auto sum = static_cast<std::uint32_t>(
            tilted ? corner_sum(entry(x, y), entry(x - h, y + h), entry(x + w, y + w), entry(x + w - h, y + w + h))
                   : corner_sum(entry(x, y), entry(x + w, y), entry(x, y + h), entry(x + w, y + h)));
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
    const float2 value = pair_sums(values + 0x80008000U, 32768.0F);
    return {value.x * norm.x < threshold, value.y * norm.y < threshold};
}

// Returns the LBP codes of both windows, the second one in the upper 16 bits. entry(x, y) returns a corner of the 3 x 3
// blocks.
template <typename Entry>
__device__ std::uint32_t pair_lbp_codes(const Entry& entry) {
    // Sums have 15 bits. So bit 15 of a half keeps its 1 if the neighbor's sum is not below the center's.
    return lbp_bits(entry, [](std::uint32_t center) {
        return [less = 0x80008000U - center](std::uint32_t sum, int shift) {
            return (sum + less) >> (15 - shift) & 0x00010001U << shift;
        };
    });
}

}  // namespace throng::gpu
