// Chooses the encoder of written videos.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/video/video_encoder.h"

namespace throng {

// Values of --audio: true to copy it.
inline constexpr std::pair<std::string_view, bool> kAudioNames[] = {{"copy", true}, {"drop", false}};

struct EncoderChoice {
    std::string name;
    std::string why;  // one line for the user: "libx264 (h264_nvenc unavailable: no device)"
};

// Returns all encoders that `--encoder` takes, each tried, those in hardware in a child process. The child is this
// program, or the program that $THRONG_ENCODER_PROBE names, for tests.
[[nodiscard]] std::vector<EncoderInfo> list_encoders();

// requested: "auto" or one of encoder_names(). auto takes the first hardware encoder that works, otherwise libx264.
// Throws Error(unavailable) if the encoder does not work.
[[nodiscard]] EncoderChoice choose_encoder(const std::string& requested);

}  // namespace throng
