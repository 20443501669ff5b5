// Transparent pixels: composed over white, so that what they hide is neither shown nor searched.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/video/av.h"

namespace throng {

// What a report says about it.
inline constexpr const char* kComposedText = "transparent pixels are composed over white";

// Returns a sample composed over white. alpha: 0 (transparent) to 255.
[[nodiscard]] constexpr std::uint8_t over_white(int sample, int alpha, int white = 255) noexcept {
    return static_cast<std::uint8_t>((sample * alpha + white * (255 - alpha) + 127) / 255);
}

// Returns true if the fourth channel of the frames of this packet is no alpha channel, although FFmpeg describes it as
// one: 32-bit AVI, TGA without attribute bits, PSD with a further channel.
[[nodiscard]] bool has_padding_for_alpha(AVCodecID codec, std::string_view container,
                                         std::span<const std::uint8_t> packet);

}  // namespace throng
