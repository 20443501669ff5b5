#include "core/video/stream_clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace throng {

StreamClock::StreamClock(AVFormatContext& format, AVStream& stream)
    : format_(format), stream_(stream), frame_step_(frame_step_of(format, stream)) {
    const AVRational rate = av_guess_frame_rate(&format, &stream, nullptr);
    fps_ = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
    if (!is_time(stream.start_time)) return;
    start_ = stream.start_time;
    packets_.begin_near(*start_);
}

std::int64_t StreamClock::step() const {
    return std::max<std::int64_t>(std::llround(frame_step_ / tick()), 1);
}

void StreamClock::follow(AVPacket& packet) {
    const std::optional<std::int64_t> shift = packets_.follow(packet, format_, frame_step_);
    if (shift && is_time(jump_ticks_ + *shift)) {
        jump_ticks_ += *shift;
        ++jumps_;
    }
    shift_times(packet, jump_ticks_);

    if (!progress_.first) progress_.first = PacketId{packet.pts, packet.pos};
    if (const std::int64_t time = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts; is_time(time)) {
        const std::int64_t usual = fps_ > 0 ? step() : 0;
        const std::int64_t end = time + (packet.duration > 0 && is_time(packet.duration) ? packet.duration : usual);
        progress_.end = std::max(progress_.end.value_or(end), end);
    }
    ++progress_.packets;
    if (!first_packet_) {
        first_packet_ = progress_.first;
        first_packet_time_ = packet.dts != AV_NOPTS_VALUE ? std::min(packet.dts, packet.pts) : packet.pts;
        starts_undelayed_ = packet.pts == AV_NOPTS_VALUE && packet.dts != AV_NOPTS_VALUE && packet.dts == start_;
    }
    if (!is_time(packet.pts)) {
        progress_.untimed = true;
        return;
    }
    progress_.highest_pts = progress_.lowest_pts ? std::max(progress_.highest_pts, packet.pts) : packet.pts;
    progress_.lowest_pts = std::min(progress_.lowest_pts.value_or(packet.pts), packet.pts);
    shift_times(packet, progress_.iterations * progress_.period);  // the decoder gets one continuous stream
}

void StreamClock::follow(const AVFrame& av_frame) {
    const std::int64_t time = av_frame.best_effort_timestamp;
    if (!progress_.first_frame) progress_.first_frame = time;
    if (!is_time(time)) return;
    if (!start_) start_ = time;  // otherwise keep the first known one: a demuxer may change it later
    if (std::exchange(starts_undelayed_, false)) delay_ = std::max<std::int64_t>(time - *start_, 0);
}

std::int64_t StreamClock::iteration_of(const AVFrame& av_frame) const {
    if (progress_.iterations == 0 || !is_time(av_frame.best_effort_timestamp)) return 0;
    return (av_frame.best_effort_timestamp - *progress_.lowest_pts) / progress_.period;
}

std::optional<std::int64_t> StreamClock::ticks_of(const AVFrame& av_frame) const {
    if (!is_time(av_frame.best_effort_timestamp) || !is_time(start())) return std::nullopt;
    return av_frame.best_effort_timestamp - start() - delay_ - iteration_of(av_frame) * progress_.period;
}

bool StreamClock::can_loop() const {
    const bool whole = progress_.first && progress_.first == first_packet_ && !progress_.untimed;
    return whole && progress_.lowest_pts && progress_.first_frame && *progress_.lowest_pts == *progress_.first_frame;
}

bool StreamClock::begin_iteration(const AVPacket& packet) {
    if (PacketId{packet.pts, packet.pos} != *first_packet_) return false;
    if (progress_.period == 0) {
        const double ticks = 1 / ((fps_ > 0 ? fps_ : 1) * tick());
        progress_.period =
            progress_.highest_pts - *progress_.lowest_pts + std::max<std::int64_t>(std::llround(ticks), 1);
    }
    if (!is_time((progress_.iterations + 1) * progress_.period)) return false;
    packets_.begin_near(start());
    jump_ticks_ = 0;
    ++progress_.iterations;
    return true;
}

void StreamClock::begin_near(std::int64_t time) {
    progress_ = {};
    packets_.begin_near(time);
    jump_ticks_ = 0;
}

}  // namespace throng
