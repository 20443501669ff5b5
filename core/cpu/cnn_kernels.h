// Rows of a network's layers on the CPU, with SIMD; the instruction set is chosen at run time. Float32, fused
// multiply-adds where the processor has them. A value does not depend on the width of the row or on its position in it.
//
// A row of a map is [group][column][channel of the group]: groups of kCnnGroup channels, the last one padded with
// zeros. Rows are aligned to kCnnGroup floats. The network's input alone is planar, [channel][column].
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace throng {

inline constexpr std::int32_t kCnnGroup = 16;

// One pixel of a group of channels.
struct alignas(kCnnGroup * sizeof(float)) CnnGroup {
    float channel[kCnnGroup] = {};
};

// The first column of an output row.
struct CnnRowOut {
    float* data;
    std::ptrdiff_t group;  // floats between groups
    int groups, width;
    bool relu;
};

// Replaces each value x by x * sigmoid(x).
void cnn_silu_row(const CnnRowOut& row);

// Replaces each negative value x by slope * x.
void cnn_leaky_row(const CnnRowOut& row, float slope);

// A convolution over all channels: out[x] = bias + sum over r, i of rows[r][x * step + offsets[i]] * weights[r][i].
struct CnnConvolution {
    const float* const* rows;
    int row_count;
    const std::ptrdiff_t* offsets;  // floats, per column of the kernel and channel of the input
    std::ptrdiff_t offset_count;
    std::ptrdiff_t step;      // floats between the inputs of neighboring output pixels
    const CnnGroup* weights;  // [group of the output][row][offset]
    const CnnGroup* bias;     // [group of the output]
};
void cnn_convolve_row(const CnnConvolution& convolution, const CnnRowOut& out);

// Windows of kernel x kernel pixels. rows: where the window of output pixel 0 begins.
struct CnnWindows {
    const float* const* rows;
    int kernel, stride, dilation;
    std::ptrdiff_t group;  // floats between groups of the input
};
// weights: [group][row of the kernel][column]; bias: [group].
void cnn_depthwise_row(const CnnWindows& windows, const CnnGroup* weights, const CnnGroup* bias, const CnnRowOut& out);

// Maxima. rows may be null: they lie outside the map. first: column of the input at which the window of output pixel 0
// begins (0 or negative); columns outside [0, width) are skipped. rows point to that column.
void cnn_pool_row(const CnnWindows& windows, int first, int width, const CnnRowOut& out);

// out[x] = a[x / factor] + b[x]. b: null for none. Groups of a and b are a_group and b_group floats apart.
void cnn_sum_row(const float* a, std::ptrdiff_t a_group, int factor, const float* b, std::ptrdiff_t b_group,
                 const CnnRowOut& out);

}  // namespace throng
