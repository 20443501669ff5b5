// Reads fields of an AVFrame whose names differ between versions of FFmpeg.
#pragma once

#include <cstdint>

#include "core/video/av.h"

namespace throng::av {

#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
[[nodiscard]] inline bool is_key(const AVFrame& av_frame) {
    return (av_frame.flags & AV_FRAME_FLAG_KEY) != 0;
}
[[nodiscard]] inline bool is_interlaced(const AVFrame& av_frame) {
    return (av_frame.flags & AV_FRAME_FLAG_INTERLACED) != 0;
}
[[nodiscard]] inline bool has_top_field_first(const AVFrame& av_frame) {
    return (av_frame.flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
}
#else
[[nodiscard]] inline bool is_key(const AVFrame& av_frame) {
    return av_frame.key_frame != 0;
}
[[nodiscard]] inline bool is_interlaced(const AVFrame& av_frame) {
    return av_frame.interlaced_frame != 0;
}
[[nodiscard]] inline bool has_top_field_first(const AVFrame& av_frame) {
    return av_frame.top_field_first != 0;
}
#endif

// Returns the ticks for which the frame is shown; 0 if the file does not tell.
[[nodiscard]] inline std::int64_t duration_of(const AVFrame& av_frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return av_frame.duration;
#else
    return av_frame.pkt_duration;
#endif
}

}  // namespace throng::av
