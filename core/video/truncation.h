// Finds that a file was cut, from its bytes, for formats whose readers in FFmpeg end there without a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace throng {

// The last bytes of a file that the two functions below need.
inline constexpr std::size_t kTailBytes = std::size_t{1} << 17;

// `tail` is the end of an Ogg file, or all of a smaller one. True where the last page is not whole, or the last page of
// a stream does not end it (RFC 3533: the flag "end of stream").
[[nodiscard]] bool is_cut_ogg(std::span<const std::uint8_t> tail);

// The same for an MPEG transport stream in packets of 188, 192 or 204 bytes: true where the last packet is not whole.
[[nodiscard]] bool is_cut_transport_stream(std::span<const std::uint8_t> tail);

// `file` is a whole OpenEXR file with one part. True where a block of its pixels lies beyond the end, or was not
// written. False for the kinds that are not examined: several parts, deep pixels.
[[nodiscard]] bool is_cut_exr(std::span<const std::uint8_t> file);

}  // namespace throng
