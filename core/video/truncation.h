// Detects truncated files: from the lengths in their headers, and from their bytes for formats whose FFmpeg demuxers
// report no error at a truncation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/video/av.h"

namespace throng {

// Examines the end of a file that can be sought, for formats whose demuxers end silently in a truncated file. Returns
// true if the last page of an Ogg file or the last packet of an MPEG transport stream (188, 192 or 204 bytes) is
// incomplete, if the last page of an Ogg stream has no "end of stream" flag (RFC 3533), or if the header of the last
// fragment of an MP4 file is. Keeps the position.
[[nodiscard]] bool is_tail_truncated(const AVFormatContext& input);

// Returns true if a duration in the headers of this format is the time of the end, which differs from the length if the
// first time is not 0. of_file: that of the file, otherwise of the stream.
[[nodiscard]] bool states_end(const AVFormatContext& input, const AVStream& stream, bool of_file);

struct ExpectedEnd {
    double end;        // seconds on the container's clock
    double tolerance;  // seconds by which the last packet of a complete file may end earlier
};

// Returns the end of a stream from the headers of a file or playlist; none if they do not tell it. Durations that
// FFmpeg estimates from the data are not used. start: of the stream, in seconds. step: seconds between two packets,
// 0 if unknown.
[[nodiscard]] std::optional<ExpectedEnd> expected_end(const AVFormatContext& input, const AVStream& stream,
                                                      double start, double step);

// Returns true if the end of a still image is missing, in formats whose decoders do not report that: OpenEXR with one part
// and no deep pixels, QOI, Sun raster. `file` is the entire file.
[[nodiscard]] bool is_truncated_image(std::span<const std::uint8_t> file);

}  // namespace throng
