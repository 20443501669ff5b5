#include "core/video/damage_watch.h"

#include <cstddef>

#include "core/video/frame_fields.h"
#include "core/video/truncation.h"

namespace throng {

void DamageWatch::follow(const AVPacket& packet, const AVFormatContext& format) {
    note_entry(packet);
    const bool key = (packet.flags & AV_PKT_FLAG_KEY) != 0;
    const bool after_gap = packets_to_gap_ > 0 && --packets_to_gap_ == 0;
    // Only frames that are displayed before a key frame depend on a gap in front of it, as where another file was joined.
    const bool leads = !key && packet.pts != AV_NOPTS_VALUE && packet.pts < key_after_gap_;
    if (leads || (after_gap && !key)) add();
    if (key || leads) key_after_gap_ = after_gap ? packet.pts : AV_NOPTS_VALUE;
    // The flag marks a packet that is truncated by the end of the file. In a transport stream it marks a gap after the
    // packet, or, from a parser, after the next one.
    if ((packet.flags & AV_PKT_FLAG_CORRUPT) != 0) {
        if ((format.iformat->flags & AVFMT_TS_DISCONT) == 0) {
            add();
        } else {
            packets_to_gap_ = 2;
        }
    }
    if (is_truncated_image({packet.data, static_cast<std::size_t>(packet.size)})) add();
}

// Detects that reading starts between two key frames (a recording of a broadcast, an open GOP, a seek). Decoder errors
// before and around the first key frame then do not count, because the references were never in the file.
void DamageWatch::note_entry(const AVPacket& packet) {
    const bool key = (packet.flags & AV_PKT_FLAG_KEY) != 0;
    if (!entry_.has_key) {
        entry_.has_key = key;
        if (!key) entry_.starts_mid_gop = true;
        if (key && packet.pts != AV_NOPTS_VALUE) entry_.key_pts = packet.pts;
    } else if (entry_.key_pts && packet.pts != AV_NOPTS_VALUE && packet.pts < *entry_.key_pts) {
        entry_.starts_mid_gop = true;
    }
}

void DamageWatch::note_entry(const AVFrame& av_frame) {
    const std::int64_t time = av_frame.best_effort_timestamp;
    if (entry_.passed || !entry_.has_key) return;
    if (time != AV_NOPTS_VALUE && entry_.key_pts && time < *entry_.key_pts) return;
    entry_.passed = true;
    if (entry_.starts_mid_gop) ignored_ = num_errors();
}

// A decoder reports most errors without naming the frame. All frames that it held at that time count as damaged, and all
// that follow up to the next key frame, since they may be predicted from them.
bool DamageWatch::follow(const AVFrame& av_frame, int max_delay) {
    note_entry(av_frame);
    const bool flagged = av_frame.decode_error_flags != 0 || (av_frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
    if (flagged) add();
    if (const std::uint64_t errors = num_errors(); flagged || errors > errors_seen_) {
        errors_seen_ = errors;
        frames_are_damaged_ = true;
        suspect_frames_ = max_delay;
    } else if (suspect_frames_ > 0) {
        --suspect_frames_;
    } else if (av::is_key(av_frame)) {
        frames_are_damaged_ = false;
    }
    return frames_are_damaged_;
}

void DamageWatch::begin_again() {
    entry_ = {};
    errors_seen_ = num_errors();
    suspect_frames_ = 0;
    frames_are_damaged_ = false;
    packets_to_gap_ = 0;
    key_after_gap_ = AV_NOPTS_VALUE;
}

std::string incomplete_text(std::uint64_t damaged, const std::string& early_end) {
    if (damaged == 0) return early_end;
    const std::string places = std::to_string(damaged) + (damaged == 1 ? " place" : " places");
    return joined_reasons("damaged in " + places + ", decoded as far as possible", early_end);
}

std::string joined_reasons(const std::string& first, const std::string& second) {
    return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

}  // namespace throng
