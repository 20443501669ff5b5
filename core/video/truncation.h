// Detects truncated files: from the lengths in their headers, and from their bytes for formats whose FFmpeg demuxers
// report no error at a truncation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/video/av.h"

namespace throng {

// Number of bytes at the end of a file that the next two functions need.
inline constexpr std::size_t kTailBytes = std::size_t{1} << 17;

// `tail` is the end of an Ogg file, or a whole smaller file. Returns true if the last page is incomplete, or if the
// last page of a stream has no "end of stream" flag (RFC 3533).
[[nodiscard]] bool is_truncated_ogg(std::span<const std::uint8_t> tail);

// `tail` is the end of an MPEG transport stream with packets of 188, 192 or 204 bytes. Returns true if the last packet
// is incomplete.
[[nodiscard]] bool is_truncated_transport_stream(std::span<const std::uint8_t> tail);

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

// `file` is an entire OpenEXR file with one part. Returns true if a block of pixels is beyond the end or was not
// written. Returns false for unsupported kinds: several parts, deep pixels.
[[nodiscard]] bool is_truncated_exr(std::span<const std::uint8_t> file);

}  // namespace throng
