#include "core/video/audio_copy.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace throng {

AudioCopy::AudioCopy(const std::string& file) : file_(file) {
    av::set_up();
    AVFormatContext* context = nullptr;
    AVDictionary* options = nullptr;
    av_dict_set(&options, "correct_ts_overflow", "0", 0);  // as media_reader.cpp: jumps back are corrected here
    int status = avformat_open_input(&context, ("file:" + file).c_str(), nullptr, &options);
    av_dict_free(&options);
    input_.reset(context);
    if (status >= 0) status = avformat_find_stream_info(context, nullptr);
    if (status < 0) throw Error(ErrorKind::input, "the audio cannot be read: " + av::message(status), file);
    const int video = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (video >= 0 && context->streams[video]->start_time != AV_NOPTS_VALUE) {
        video_start_ =
            static_cast<double>(context->streams[video]->start_time) * av_q2d(context->streams[video]->time_base);
    }
    for (unsigned i = 0; i < context->nb_streams; ++i) {
        AVStream& stream = *context->streams[i];
        if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO) {
            tracks_.emplace_back().in = static_cast<int>(i);
        } else {
            stream.discard = AVDISCARD_ALL;
        }
    }
    if (tracks_.empty()) throw Error(ErrorKind::input, "has no audio", file, "use --audio drop");
}

void AudioCopy::add_streams(AVFormatContext& output, const std::string& output_path) {
    for (Track& track : tracks_) {
        const AVStream& from = *input_->streams[track.in];
        if (avformat_query_codec(output.oformat, from.codecpar->codec_id, FF_COMPLIANCE_NORMAL) != 1) {
            throw Error(ErrorKind::usage,
                        std::string("this container cannot hold audio of the codec ") +
                            avcodec_get_name(from.codecpar->codec_id),
                        output_path, "use a name that ends in .mkv, or --audio drop");
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

double AudioCopy::seconds_of(const AVPacket& packet) const {
    return static_cast<double>(packet.pts) * av_q2d(input_->streams[packet.stream_index]->time_base) - video_start_ -
           start_;
}

const AudioCopy::Track* AudioCopy::next() {
    while (!ended_) {
        const int status = av_read_frame(input_.get(), packet_.get());
        if (status < 0) {
            ended_ = true;
            if (status != AVERROR_EOF) spdlog::warn("{}: the audio ends early: {}", file_, av::message(status));
            break;
        }
        const auto track =
            std::find_if(tracks_.begin(), tracks_.end(), [&](const Track& t) { return t.in == packet_->stream_index; });
        const bool has_time = track != tracks_.end() && packet_->pts != AV_NOPTS_VALUE;
        if (has_time) correct(*track);
        if (!has_time || seconds_of(*packet_) < 0) {
            av_packet_unref(packet_.get());
            continue;
        }
        return &*track;
    }
    return nullptr;
}

void AudioCopy::correct(Track& track) {
    const auto ticks = [&](double seconds) {
        return static_cast<std::int64_t>(seconds / av_q2d(input_->streams[track.in]->time_base));
    };
    constexpr double kNewTimeBase = 1;  // seconds, as for the frames (frame_clock.h)
    std::int64_t& pts = packet_->pts;
    std::int64_t& dts = packet_->dts;
    if (dts == AV_NOPTS_VALUE) dts = pts;
    if (track.end != AV_NOPTS_VALUE && dts + track.offset < track.end - ticks(kNewTimeBase)) {
        track.offset = track.end - dts;
    }
    pts += track.offset;
    dts += track.offset;
    // No muxer takes a packet that is decoded before the one before it. Its unit of time is at most a millisecond.
    if (track.end != AV_NOPTS_VALUE && dts <= track.last) {
        const std::int64_t move = track.last + ticks(0.001) + 1 - dts;
        pts += move;
        dts += move;
    }
    track.last = dts;
    track.end = dts + std::max<std::int64_t>(packet_->duration, 0);
}

void AudioCopy::copy_until(double seconds, const std::function<void(AVPacket&)>& write) {
    for (;;) {
        if (pending_ == nullptr) pending_ = next();
        if (pending_ == nullptr || seconds_of(*packet_) >= seconds) return;
        const AVRational from = input_->streams[pending_->in]->time_base;
        const auto shift = std::llround((video_start_ + start_) / av_q2d(from));
        packet_->pts -= shift;
        packet_->dts -= shift;
        packet_->pos = -1;
        packet_->stream_index = pending_->out->index;
        av_packet_rescale_ts(packet_.get(), from, pending_->out->time_base);
        write(*packet_);
        av_packet_unref(packet_.get());
        pending_ = nullptr;
    }
}

}  // namespace throng
