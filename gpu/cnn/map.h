// Feature maps in device memory: [image][row][column][channel]. Channels are padded with zeros to a multiple of 16, so
// that kernels move whole vectors and tensor cores process whole tiles.
#pragma once

#include <cstdint>

namespace throng::gpu {

// Element type of the maps. Sums have 32 bits for both.
enum class Precision : std::uint8_t { fp32, fp16 };

inline constexpr int kChannelStep = 16;
inline constexpr int kInputChannels = 4;  // of the network's input: three, padded with a zero
inline constexpr int kMaxBatch = 16;      // max frames per batch

constexpr int padded_channels(int channels) {
    return (channels + kChannelStep - 1) / kChannelStep * kChannelStep;
}

// Non-owning. May refer to some of the channels of a wider map.
struct Map {
    void* data = nullptr;       // null: no map
    int width = 0, height = 0;  // pixels
    int channels = 0;           // padded
    int pitch = 0;              // elements to the next pixel
    std::int64_t image = 0;     // elements to the next image of the batch
};

}  // namespace throng::gpu
