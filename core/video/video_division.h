// Decides into how many parts a video file can be divided, so that each part is decoded from a key frame of its own.
#pragma once

#include <array>
#include <limits>
#include <stop_token>
#include <string>

#include "core/archive/segments.h"

namespace throng {

// Seconds before the start of a part at which it is sought, and infinity to read from the start of the file. Decoding
// may begin in an open GOP: the frames whose references are missing, and those that the decoder holds at that time,
// must come before the part.
inline constexpr std::array kRunUps = {1.0, 5.0, 30.0, std::numeric_limits<double>::infinity()};

// Reads the headers of the file. The number of parts is a pure function of the file and of `seconds`, the length of
// a part. The last one is between half and one and a half times as long.
//
// Part p, from 1, has the frames from (p - 1) * seconds to before p * seconds; the last one has all further frames.
// VideoSource::seek to its start decodes from the key frame before it. Frames of an open GOP that refer to frames
// before that key frame are shown before it, so they belong to an earlier part.
//
// A file that cannot be opened has one part. Throws Error(interrupted).
[[nodiscard]] Division divide_video(const std::string& path, double seconds, const std::stop_token& stop);

}  // namespace throng
