#include "core/video/audio_copy.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/video/truncation.h"

namespace throng {
namespace {

constexpr double kStep = 1.0 / 15;         // seconds: more than any codec's packet
constexpr double kPriming = 0.1;           // seconds of silence that encoders write before the first sample, at most
constexpr std::size_t kMaxWaiting = 1000;  // packets, until the video has jumped back as the audio did
constexpr double kSameTime = 0.5;          // seconds

}  // namespace

AudioCopy::AudioCopy(const std::string& file) : input_(open_input(file_request(file, {}), {})), video_(input_.stream) {
    *input_.watchdog = {};  // reading has no limit
    AVFormatContext* context = input_.format.get();
    video_step_ = frame_step_of(*context, *video_);
    const bool has_start = video_->start_time != AV_NOPTS_VALUE;
    if (has_start) video_start_ = static_cast<double>(video_->start_time) * av_q2d(video_->time_base);
    follows_video_ = (context->iformat->flags & AVFMT_TS_DISCONT) != 0;
    for (unsigned i = 0; i < context->nb_streams; ++i) {
        AVStream& stream = *context->streams[i];
        if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO) {
            stream.discard = AVDISCARD_DEFAULT;
            tracks_.push_back({static_cast<int>(i), nullptr, {}, 0, 0, 0, {}});
            // The clock may wrap between the first packets of audio and video.
            if (has_start) {
                tracks_.back().clock.begin_near(av_rescale_q(video_->start_time, video_->time_base, stream.time_base));
            }
        } else if (!follows_video_) {
            stream.discard = AVDISCARD_ALL;  // the video, too
        }
    }
    if (tracks_.empty()) throw Error(ErrorKind::input, "has no audio", file, {"use %1", Setting{"audio", "drop"}});
}

void AudioCopy::add_streams(AVFormatContext& output, const std::string& output_path) {
    for (Track& track : tracks_) {
        const AVStream& from = *input_.format->streams[track.in];
        if (avformat_query_codec(output.oformat, from.codecpar->codec_id, FF_COMPLIANCE_NORMAL) != 1) {
            throw Error(ErrorKind::usage,
                        {"this container cannot hold audio of the codec %1",
                         std::string(avcodec_get_name(from.codecpar->codec_id))},
                        output_path, {"use a name that ends in .mkv, or %1", Setting{"audio", "drop"}});
        }
        track.out = avformat_new_stream(&output, nullptr);
        if (track.out == nullptr || avcodec_parameters_copy(track.out->codecpar, from.codecpar) < 0)
            throw std::bad_alloc();
        track.out->codecpar->codec_tag = 0;  // the container's own
        track.out->time_base = from.time_base;
        track.out->disposition = from.disposition & AV_DISPOSITION_DEFAULT;
        // Nothing else of the metadata: it may name people and places.
        if (const AVDictionaryEntry* language = av_dict_get(from.metadata, "language", nullptr, 0)) {
            av_dict_set(&track.out->metadata, "language", language->value, 0);
        }
    }
}

double AudioCopy::seconds_of(const Track& track, std::int64_t stamp, std::size_t time_base) const {
    return static_cast<double>(stamp + track.own_shift) * av_q2d(input_.format->streams[track.in]->time_base) +
           video_shifts_[std::min(time_base, video_shifts_.size() - 1)] - video_start_;
}

double AudioCopy::seconds_of(const Packet& packet) const {
    return seconds_of(*packet.track, packet.data->pts, packet.time_base) - start_;
}

void AudioCopy::read_packet() {
    av::PacketPtr packet = av::make_packet();
    if (const int status = av_read_frame(input_.format.get(), packet.get()); status < 0) {
        ended_ = true;
        if (status != AVERROR_EOF) error_ = av::message(status);
        return;
    }
    if (follows_video_ && packet->stream_index == video_->index) {
        const auto shift = video_clock_.follow(*packet, *input_.format, video_step_);
        const double tick = av_q2d(video_->time_base);
        if (shift) video_shifts_.push_back(video_shifts_.back() + static_cast<double>(*shift) * tick);
        const std::int64_t stamp = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
        if (is_time(stamp)) video_time_ = static_cast<double>(stamp) * tick + video_shifts_.back() - video_start_;
        return;
    }
    const auto track =
        std::find_if(tracks_.begin(), tracks_.end(), [&](const Track& t) { return t.in == packet->stream_index; });
    if (track != tracks_.end()) note_audio(std::move(packet), *track);
}

// Decides on which side of the jumps of the video's clock the packet is. Near a jump, streams come in any order.
void AudioCopy::note_audio(av::PacketPtr packet, Track& track) {
    const AVStream& stream = *input_.format->streams[track.in];
    const double tick = av_q2d(stream.time_base);
    if (packet->pts == AV_NOPTS_VALUE) packet->pts = packet->dts;
    const std::optional<std::int64_t> jump = track.clock.follow(*packet, *input_.format, kStep);
    if (!is_time(packet->pts)) packet->pts = packet->dts = std::llround(track.end / tick);  // after the previous one
    if (!is_time(packet->dts)) packet->dts = packet->pts;
    if (!is_time(packet->duration)) packet->duration = 0;
    track.end = static_cast<double>(packet->pts + packet->duration) * tick;
    // A transport stream may mark a gap with this flag.
    const bool cut =
        (packet->flags & AV_PKT_FLAG_CORRUPT) != 0 && (input_.format->iformat->flags & AVFMT_TS_DISCONT) == 0;
    if (cut) error_ = "its last part is cut short";
    const std::size_t newest = video_shifts_.size() - 1;
    if (jump) {
        ++corrected_;
        ++track.time_base;
    } else if (track.time_base < newest) {
        const auto distance = [&](std::size_t time_base) {
            return std::abs(seconds_of(track, packet->pts, time_base) - video_time_);
        };
        if (distance(newest) + kSameTime < distance(track.time_base)) track.time_base = newest;
    }
    queue_.push_back({std::move(packet), &track, track.time_base, jump.value_or(0)});
}

AudioCopy::Packet* AudioCopy::next() {
    for (;;) {
        if (queue_.empty()) {
            if (ended_) return nullptr;
            read_packet();
            continue;
        }
        Packet& first = queue_.front();
        if (first.time_base < video_shifts_.size()) return &first;
        if (follows_video_ && !ended_ && queue_.size() < kMaxWaiting) {
            read_packet();
            continue;
        }
        // The audio alone jumped back: it continues after its own packets.
        Track& track = *first.track;
        if (is_time(track.own_shift + first.jump)) track.own_shift += first.jump;
        --track.time_base;
        for (Packet& packet : queue_) packet.time_base -= packet.track == &track ? 1 : 0;
    }
}

void AudioCopy::write_packet(Packet& packet, const std::function<void(AVPacket&)>& write) {
    AVPacket& data = *packet.data;
    Track& track = *packet.track;
    const AVRational from = input_.format->streams[track.in]->time_base;
    const double offset = video_shifts_[packet.time_base] - video_start_ - start_;
    shift_times(data, track.own_shift + std::llround(offset / av_q2d(from)));
    data.pos = -1;
    data.stream_index = track.out->index;
    av_packet_rescale_ts(&data, from, track.out->time_base);
    if (track.last_dts && data.dts <= *track.last_dts) {
        ++corrected_;
        data.dts = *track.last_dts + 1;
        data.pts = std::max(data.pts, data.dts);
    }
    track.last_dts = data.dts;
    write(data);
}

void AudioCopy::copy_until(double seconds, const std::function<void(AVPacket&)>& write) {
    for (Packet* packet = next(); packet != nullptr; packet = next()) {
        const double begin = seconds_of(*packet);
        if (begin >= seconds) return;
        if (begin < 0) {
            left_out_ = std::max(left_out_, -begin);
        } else {
            write_packet(*packet, write);
        }
        queue_.pop_front();
    }
}

void AudioCopy::copy_rest(const std::function<void(AVPacket&)>& write) {
    copy_until(std::numeric_limits<double>::infinity(), write);
}

// Returns true if the video of the file ends at this time, as far as known.
bool AudioCopy::video_ends_at(double seconds) const {
    double end = 0;
    if (const auto expected = expected_end(*input_.format, *video_, video_start_, video_step_)) {
        end = expected->end;
    } else if (video_->duration != AV_NOPTS_VALUE && video_->duration > 0) {
        end = video_start_ + static_cast<double>(video_->duration) * av_q2d(video_->time_base);
    }
    return end > 0 && end - video_start_ - start_ <= seconds + kSameTime;
}

void AudioCopy::copy_end(double seconds, const std::function<void(AVPacket&)>& write) {
    copy_until(seconds, write);
    if (video_ends_at(seconds)) {
        copy_rest(write);
    } else {
        copy_until(seconds + kSameTime, [](AVPacket&) {});
        left_out_at_end_ = next() != nullptr;
    }
}

std::string AudioCopy::incomplete() const {
    if (!ended_) return "";
    if (!error_.empty()) return "the audio ends early: " + error_;
    for (const Track& track : tracks_) {
        const AVStream& stream = *input_.format->streams[track.in];
        const double start =
            stream.start_time == AV_NOPTS_VALUE ? 0 : static_cast<double>(stream.start_time) * av_q2d(stream.time_base);
        const auto expected = expected_end(*input_.format, stream, start, kStep);
        if (expected && track.end + expected->tolerance < expected->end) {
            return fmt::format("the audio ends early: after {:.1f} of {:.1f} s", track.end - start,
                               expected->end - start);
        }
    }
    return "";
}

std::vector<std::string> AudioCopy::notes() const {
    std::vector<std::string> notes;
    if (left_out_ > kPriming) {
        notes.push_back(fmt::format("{:.1f} s of audio before the first frame left out", left_out_));
    }
    if (left_out_at_end_) notes.emplace_back("audio after the last frame left out");
    if (corrected_ > 0) {
        notes.push_back(fmt::format("{} of the audio out of order",
                                    corrected_ == 1 ? "1 time stamp" : fmt::format("{} time stamps", corrected_)));
    }
    return notes;
}

}  // namespace throng
