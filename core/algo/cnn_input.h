// Converts a frame to the three planes of a network's input: resampling, color conversion, mean and scale. CPU and GPU
// share this code.
//
// Resampling: pixel centers are aligned (frame = origin + (input + 1/2) * scale - 1/2), bilinear between the four
// nearest samples, edges repeated. An input pixel that covers more than one frame pixel is the mean of samples x
// samples such values at even distances, which prevents aliasing. Chroma planes are sampled at their own positions:
// their samples are centered between those of luma. Colors are converted after resampling, in float32 without rounding,
// and clamped to [0, 255]. All arithmetic is float32 in the order written here.
#pragma once

#include "core/algo/host_device.h"

namespace throng {

// Resampling along one axis of one plane.
struct CnnAxis {
    float origin = 0;  // plane coordinate (of edges, not centers) at which the input begins
    float scale = 1;   // plane samples per input pixel
    int samples = 1;   // values averaged per input pixel
    int size = 0;      // of the plane
};

// Indices of two neighboring samples, and the weight of the second.
struct CnnTap {
    int near, far;
    float weight;
};

TH_HD CnnTap cnn_tap(CnnAxis axis, int pixel, int sample) {
    const float step = (static_cast<float>(sample) + 0.5F) / static_cast<float>(axis.samples);
    float position = axis.origin + (static_cast<float>(pixel) + step) * axis.scale - 0.5F;
    const float last = static_cast<float>(axis.size - 1);
    position = position > 0.0F ? (position < last ? position : last) : 0.0F;
    const int near = static_cast<int>(position);
    return {near, near < axis.size - 1 ? near + 1 : near, position - static_cast<float>(near)};
}

// Interpolates between the samples a, b (upper row) and c, d (lower row).
TH_HD float cnn_bilinear(float a, float b, float c, float d, float x_weight, float y_weight) {
    const float above = a + (b - a) * x_weight;
    const float below = c + (d - c) * x_weight;
    return above + (below - above) * y_weight;
}

// Coefficients of the conversion from Y, U, V to blue, green, red in [0, 255].
struct CnnColor {
    float y_offset = 0, y_scale = 1;
    float red_v = 0, green_u = 0, green_v = 0, blue_u = 0;  // green_u and green_v are subtracted
};

struct CnnPixel {
    float blue, green, red;
};

TH_HD float cnn_clamp(float value) {
    return value > 0.0F ? (value < 255.0F ? value : 255.0F) : 0.0F;
}

TH_HD CnnPixel cnn_color(CnnColor color, float y, float u, float v) {
    const float luma = (y - color.y_offset) * color.y_scale;
    const float cu = u - 128.0F;
    const float cv = v - 128.0F;
    return {cnn_clamp(luma + cu * color.blue_u), cnn_clamp((luma - cu * color.green_u) - cv * color.green_v),
            cnn_clamp(luma + cv * color.red_v)};
}

TH_HD float cnn_gray(CnnColor color, float y) {
    return cnn_clamp((y - color.y_offset) * color.y_scale);
}

TH_HD float cnn_normalize(float value, float mean, float scale) {
    return (value - mean) * scale;
}

}  // namespace throng
