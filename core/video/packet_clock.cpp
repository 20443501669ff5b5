#include "core/video/packet_clock.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace throng {
namespace {

constexpr double kDefaultStep = 0.04;  // seconds between frames of unknown rate
constexpr double kMaxStep = 86'400;    // seconds; damaged files contain lower rates
constexpr double kMaxMissing = 600;    // seconds of a recording that may be missing where the clock wraps
constexpr double kJitter = 1.5;        // steps by which a key packet may be early
constexpr double kMaxReorder = 17;     // steps by which another packet may be early: H.264 reorders up to 16 frames
constexpr double kMaxDelay = 10;       // seconds by which a packet without dts may be shown early
constexpr double kNewTimeBase = 1;     // seconds
constexpr std::int64_t kMaxTime = std::int64_t{1} << 61;  // ticks; damaged files contain greater ones

// Returns the multiple of `period` that is nearest to the distance.
std::int64_t nearest_multiple(std::int64_t distance, std::int64_t period) {
    const std::int64_t half = distance < 0 ? -period / 2 : period / 2;
    return (distance + half) / period * period;
}

// In edited files and in lists of cut files, a key frame may come a little early.
bool has_edits(const AVFormatContext& input) {
    const std::string_view format = input.iformat->name;
    return format.starts_with("mov") || format == "concat";
}

// Returns true for codecs whose frames may be shown in another order. Some writers then mark every frame as a key frame.
bool may_reorder(const AVStream& stream) {
    const AVCodecDescriptor* codec = avcodec_descriptor_get(stream.codecpar->codec_id);
    return codec == nullptr || (codec->props & AV_CODEC_PROP_REORDER) != 0;
}

}  // namespace

bool is_time(std::int64_t stamp) {
    return stamp > -kMaxTime && stamp < kMaxTime;
}

double frame_step_of(AVFormatContext& input, AVStream& stream) {
    const AVRational rate = av_guess_frame_rate(&input, &stream, nullptr);
    return rate.num > 0 && rate.den > 0 ? std::min(1 / av_q2d(rate), kMaxStep) : kDefaultStep;
}

double max_reorder(double step) {
    return std::max(kNewTimeBase, kMaxReorder * step);
}

void shift_times(AVPacket& packet, std::int64_t ticks) {
    if (is_time(packet.pts)) packet.pts += ticks;
    if (is_time(packet.dts)) packet.dts += ticks;
}

void PacketClock::begin_near(std::int64_t time) {
    *this = {};
    if (!is_time(time)) return;
    near_ = time;
    begins_ = true;
}

std::optional<std::int64_t> PacketClock::follow(AVPacket& packet, const AVFormatContext& input, double step) {
    const AVStream& stream = *input.streams[packet.stream_index];
    const bool has_pts = packet.pts != AV_NOPTS_VALUE;
    std::int64_t& stamp = has_pts ? packet.pts : packet.dts;
    if (!is_time(stamp)) return std::nullopt;
    const double tick = av_q2d(stream.time_base);
    if (stream.pts_wrap_bits > 0 && stream.pts_wrap_bits < 61) {
        const std::int64_t period = std::int64_t{1} << stream.pts_wrap_bits;
        // The demuxer of a playlist opens others, which take a jump back for a wrap and add a period.
        stamp = ((stamp % period) + period) % period;
        if (near_) {
            const std::int64_t wrapped = nearest_multiple(*near_ - stamp, period);
            const double pause = static_cast<double>(std::abs(stamp + wrapped - *near_)) * tick;
            // A concatenated file may jump back by any time: only a clock that continues has wrapped.
            if (begins_ || pause <= std::min(kMaxMissing, static_cast<double>(period) * tick / 4)) wrapped_ = wrapped;
        }
        stamp += wrapped_;
        // FFmpeg repairs pairs of which only one has wrapped, in its own way.
        if (has_pts && is_time(packet.dts)) packet.dts += nearest_multiple(packet.pts - packet.dts, period);
    }
    begins_ = false;
    near_ = stamp;

    if ((packet.flags & AV_PKT_FLAG_DISCARD) != 0) return std::nullopt;  // decoded for others, not shown: any time

    const bool key = (packet.flags & AV_PKT_FLAG_KEY) != 0;
    const bool has_dts = is_time(packet.dts);
    // Between key packets, only the order of decoding is certain: in a video of variable rate, a packet may be shown
    // seconds before the one in front of it.
    const bool by_dts = !key && has_dts && last_dts_;
    has_delta_ = has_delta_ || !key;
    const bool jumps = (input.iformat->flags & AVFMT_TS_DISCONT) != 0;
    const bool strict = key && (jumps || has_delta_ || !may_reorder(stream)) && !has_edits(input);
    const double back = by_dts     ? static_cast<double>(*last_dts_ - packet.dts) * tick
                        : highest_ ? static_cast<double>(*highest_ - stamp) * tick
                                   : 0;
    const double allowed = strict ? kJitter * step : std::max(key || by_dts ? 0 : kMaxDelay, max_reorder(step));
    const auto ticks = std::max<std::int64_t>(std::llround(step / tick), 1);
    std::optional<std::int64_t> shift;
    if (back > allowed) {
        // The last frame shown is unknown if its packet had no pts.
        const bool after_dts = by_dts || (lacks_pts_ && has_dts && last_dts_);
        shift = after_dts ? *last_dts_ + ticks - packet.dts : *highest_ + ticks - stamp;
        highest_.reset();
        lacks_pts_ = false;
    }
    lacks_pts_ = lacks_pts_ || !has_pts;
    highest_ = std::max(highest_.value_or(stamp), stamp);
    last_dts_ = has_dts ? std::optional(packet.dts) : std::nullopt;
    return shift;
}

}  // namespace throng
