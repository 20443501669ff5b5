// Feature maps in device memory: [image][row][column][channel], channels padded with zeros to a multiple of 16, so that
// every kernel moves whole vectors and the tensor cores see whole tiles.
#pragma once

#include <cstdint>

namespace throng::gpu {

// What the elements of maps are. Sums are kept in 32 bits either way.
enum class Precision : std::uint8_t { fp32, fp16 };

inline constexpr int kChannelStep = 16;
inline constexpr int kInputChannels = 4;  // of the network's input: three and a zero
inline constexpr int kMaxBatch = 16;      // frames that go through the network together

constexpr int padded_channels(int channels) {
    return (channels + kChannelStep - 1) / kChannelStep * kChannelStep;
}

// Not owned. May be some of the channels of a wider map.
struct Map {
    void* data = nullptr;       // null: no map
    int width = 0, height = 0;  // pixels
    int channels = 0;           // padded
    int pitch = 0;              // elements from a pixel to the next
    std::int64_t image = 0;     // elements from an image of the batch to the next
};

}  // namespace throng::gpu
