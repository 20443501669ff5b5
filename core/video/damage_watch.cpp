#include "core/video/damage_watch.h"

namespace throng {
namespace {

bool is_key(const AVFrame& av_frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (av_frame.flags & AV_FRAME_FLAG_KEY) != 0;
#else
    return av_frame.key_frame != 0;
#endif
}

}  // namespace

// A decoder reports most errors without naming the frame. All frames that it held at that time count as damaged, and all
// that follow up to the next key frame, since they may be predicted from them.
bool DamageWatch::is_damaged(const AVFrame& av_frame, const MediaReader& reader) {
    const bool flagged = av_frame.decode_error_flags != 0 || (av_frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
    if (const std::uint64_t errors = reader.num_errors(); flagged || errors > errors_seen_) {
        errors_seen_ = errors;
        damaged_ = true;
        suspect_frames_ = reader.max_delay();
    } else if (suspect_frames_ > 0) {
        --suspect_frames_;
    } else if (is_key(av_frame)) {
        damaged_ = false;
    }
    return damaged_;
}

}  // namespace throng
