// Still images by FFmpeg's decoders.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/video/av.h"
#include "core/video/image_pixels.h"

namespace throng {

// Returns the demuxer of FFmpeg that recognizes the first bytes of a file with certainty, whatever its name: "gif",
// "mov", "exr_pipe"; empty if none does.
[[nodiscard]] std::string probe_demuxer(std::span<const std::uint8_t> bytes);

// Returns FFmpeg's name of the codec whose images begin with these bytes ("jpeg2000", "targa"), of the formats that
// only FFmpeg reads here; empty for others, and if this FFmpeg build has no decoder.
[[nodiscard]] std::string find_image_codec(std::span<const std::uint8_t> bytes);

// Decodes an image that is one packet. configuration: of the decoder. Sets `damaged` if the decoder reports errors.
// Throws Error(input) without a path.
[[nodiscard]] av::FramePtr decode_packet(AVCodecID codec, std::span<const std::uint8_t> packet,
                                         std::span<const std::uint8_t> configuration, bool& damaged);

// Decodes an image file. codec: FFmpeg's name. ignore_alpha: a fourth channel is padding. Throws as decode_packet.
[[nodiscard]] ImagePixels decode_coded_image(const std::string& codec, std::span<const std::uint8_t> bytes,
                                             bool ignore_alpha);

// Converts to gray or BGR, composed over white.
[[nodiscard]] ImagePixels pixels_of(av::FramePtr frame, bool ignore_alpha);

}  // namespace throng
