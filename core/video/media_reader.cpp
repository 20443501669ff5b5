#include "core/video/media_reader.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/base/error.h"
#include "core/video/decoders.h"

extern "C" {
#include <libavutil/display.h>
}

namespace throng {
namespace {

constexpr int kMostFailuresInRow = 200;  // of reading: a device that fails for ever must not hold us for ever
constexpr auto kDevicePause = std::chrono::milliseconds(3);
constexpr double kLongestProbe = 3;  // seconds of a live stream that are looked at before it starts

// Text that FFmpeg would draw as a terminal does, and cover pictures of music: nobody means these as a video.
bool is_text(AVCodecID codec) {
    constexpr std::array kText = {AV_CODEC_ID_ANSI, AV_CODEC_ID_BINTEXT, AV_CODEC_ID_XBIN, AV_CODEC_ID_IDF};
    return std::find(kText.begin(), kText.end(), codec) != kText.end();
}

std::pair<std::string, std::string> explanation(int status, const MediaRequest& request, const Watchdog& watchdog) {
    if (watchdog.expired()) {
        return {"no answer within " + short_number(request.source.open_timeout) + " s",
                "check the address, the network and that the sender runs"};
    }
    switch (status) {
        case AVERROR_HTTP_UNAUTHORIZED:
            return {"the sender wants a user name and a password", "give them as user:password@"};
        case AVERROR_HTTP_FORBIDDEN: return {"the sender forbids access", "check the user name and the password"};
        case AVERROR_HTTP_NOT_FOUND: return {"the sender does not know this address", "check the path after the host"};
        case AVERROR_PROTOCOL_NOT_FOUND:
            return {"this FFmpeg does not know this kind of address", "check how it begins"};
        case AVERROR_INVALIDDATA:
            return {"this is not a video that can be read", "it may be damaged, cut short, or of another kind"};
        case AVERROR(ENODEV):
        case AVERROR(EBUSY): return {av::message(status), "another program may be using it"};
        default: return {av::message(status), request.live ? "check the address and that the sender runs" : ""};
    }
}

std::int32_t* display_matrix(AVStream& stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    const AVPacketSideData* data = av_packet_side_data_get(
        stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data != nullptr && data->size >= 9 * sizeof(std::int32_t) ? reinterpret_cast<std::int32_t*>(data->data)
                                                                     : nullptr;
#else
    return reinterpret_cast<std::int32_t*>(av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr));
#endif
}

}  // namespace

std::string short_number(double value) {
    return fmt::format("{:g}", std::round(value * 100) / 100);
}

MediaReader::MediaReader(const MediaRequest& request, const std::stop_token& stop) : request_(request) {
    av::set_up();
    open(stop);
    find_stream();
    OpenDecoder decoder = open_decoder(*stream_, request_.source, request_.live, *decoder_errors_, request_.shown);
    codec_ = std::move(decoder.codec);
    decoder_name_ = std::move(decoder.name);
}

void MediaReader::open(const std::stop_token& stop) {
    av::Dictionary options;
    for (const auto& [key, value] : request_.options) options.set(key, value);
    if (request_.live) options.set("fpsprobesize", "5");  // frames; the usual 20 would delay the first picture
    auto* format = request_.input_format.empty() ? nullptr : av_find_input_format(request_.input_format.c_str());
    if (format == nullptr && !request_.input_format.empty()) {
        throw Error(ErrorKind::unavailable, "this FFmpeg was built without " + request_.input_format, request_.shown);
    }

    AVFormatContext* context = avformat_alloc_context();
    if (context == nullptr) throw std::bad_alloc();
    watchdog_->arm(request_.source.open_timeout, stop);
    context->interrupt_callback = {Watchdog::interrupt, watchdog_.get()};
    if (request_.device) context->flags |= AVFMT_FLAG_NONBLOCK;
    if (request_.live) {
        context->flags |= AVFMT_FLAG_NOBUFFER;
        context->max_analyze_duration = static_cast<std::int64_t>(kLongestProbe * AV_TIME_BASE);
    }
    int status = avformat_open_input(&context, request_.url.c_str(), format, options.address());
    input_.reset(context);  // null after a failure
    if (status >= 0 && !request_.device) status = avformat_find_stream_info(input_.get(), nullptr);
    if (status >= 0) return;
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", request_.shown);
    const auto [what, advice] = explanation(status, request_, *watchdog_);
    throw Error(ErrorKind::input, what, request_.shown, advice);
}

void MediaReader::find_stream() {
    const int index = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    stream_ = index >= 0 ? input_->streams[index] : nullptr;
    if (stream_ == nullptr || (stream_->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0 ||
        is_text(stream_->codecpar->codec_id)) {
        throw Error(ErrorKind::input, "there is no video in it", request_.shown, "choose a file with a picture track");
    }
    for (unsigned i = 0; i < input_->nb_streams; ++i) {
        if (input_->streams[i] != stream_) input_->streams[i]->discard = AVDISCARD_ALL;
    }
    const AVRational rate = av_guess_frame_rate(input_.get(), stream_, nullptr);
    fps_ = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
    if (const std::int32_t* matrix = display_matrix(*stream_)) orientation_ = throng::orientation_of(matrix);
    seekable_ = !request_.live && input_->pb != nullptr && input_->pb->seekable != 0;
    has_index_ = (input_->iformat->flags & (AVFMT_GENERIC_INDEX | AVFMT_NOTIMESTAMPS)) == 0;
}

MediaStatus MediaReader::next(AVFrame& picture, const std::stop_token& stop) {
    waited_ = {};
    for (;;) {
        const int status = avcodec_receive_frame(codec_.get(), &picture);
        if (status >= 0) {
            if (!checked_decoder_) check_wanted_decoder(picture);
            if (!passed_.first_picture) passed_.first_picture = picture.best_effort_timestamp;
            const bool damaged = picture.decode_error_flags != 0 || (picture.flags & AV_FRAME_FLAG_CORRUPT) != 0;
            if (damaged) ++damaged_;
            return MediaStatus::picture;
        }
        if (status == AVERROR_EOF) return MediaStatus::end;
        if (status != AVERROR(EAGAIN)) {
            ++damaged_;
            if (draining_) return MediaStatus::end;
        }
        if (const MediaStatus fed = feed(stop); fed != MediaStatus::picture) return fed;
    }
}

MediaStatus MediaReader::feed(const std::stop_token& stop) {
    watchdog_->arm(request_.source.read_timeout, stop);
    for (;;) {
        if (stop.stop_requested()) return MediaStatus::stopped;
        const int status = read_packet();
        if (status == AVERROR(EAGAIN)) {
            if (watchdog_->expired()) return MediaStatus::stalled;
            std::this_thread::sleep_for(kDevicePause);
            waited_ += kDevicePause;
            continue;
        }
        if (status == AVERROR_EOF) {
            if (loop_ && can_go_round() && go_round()) continue;
            draining_ = true;
            return avcodec_send_packet(codec_.get(), nullptr) < 0 ? MediaStatus::end : MediaStatus::picture;
        }
        if (status < 0) {
            if (const MediaStatus verdict = failed(status); verdict != MediaStatus::picture) return verdict;
            continue;
        }
        failures_in_row_ = 0;
        if (packet_->stream_index != stream_->index) continue;
        note_packet();
        if (avcodec_send_packet(codec_.get(), packet_.get()) < 0) ++damaged_;
        return MediaStatus::picture;
    }
}

int MediaReader::read_packet() {
    if (std::exchange(packet_is_read_, false)) return 0;
    av_packet_unref(packet_.get());
    const auto begin = std::chrono::steady_clock::now();
    const int status = av_read_frame(input_.get(), packet_.get());
    waited_ += std::chrono::steady_clock::now() - begin;
    return status;
}

// Times go on over the rounds, so that the decoder sees one long stream.
void MediaReader::note_packet() {
    AVPacket& packet = *packet_;
    if (!passed_.first) passed_.first = PacketMark{packet.pts, packet.pos};
    if (!opening_) {
        opening_ = passed_.first;
        opening_time_ = packet.dts != AV_NOPTS_VALUE ? std::min(packet.dts, packet.pts) : packet.pts;
    }
    if (packet.pts == AV_NOPTS_VALUE) {
        passed_.untimed = true;
        return;
    }
    passed_.highest_pts = passed_.lowest_pts ? std::max(passed_.highest_pts, packet.pts) : packet.pts;
    passed_.lowest_pts = std::min(passed_.lowest_pts.value_or(packet.pts), packet.pts);
    packet.pts += passed_.rounds * passed_.period;
    if (packet.dts != AV_NOPTS_VALUE) packet.dts += passed_.rounds * passed_.period;
}

// Safe is a file that went by whole and undamaged and whose first pictures need none before them. A file that was cut
// where they do has packets with earlier times than the first picture that a decoder shows.
bool MediaReader::can_go_round() const {
    const bool whole = seekable_ && has_index_ && passed_.first && passed_.first == opening_ && !passed_.untimed;
    if (!whole || damaged() > 0 || gave_up_) return false;
    if (!passed_.lowest_pts || !passed_.first_picture || *passed_.lowest_pts != *passed_.first_picture) return false;
    const double length = static_cast<double>(passed_.highest_pts - *passed_.lowest_pts) * av_q2d(stream_->time_base);
    const double step = fps_ > 0 ? 1 / fps_ : 0;
    return !ends_early(length + step, step);
}

// The first packet is next, and lies in packet_. False: the demuxer does not find it again.
bool MediaReader::go_round() {
    if (passed_.period == 0) {
        const double step = 1 / ((fps_ > 0 ? fps_ : 1) * av_q2d(stream_->time_base));
        passed_.period = passed_.highest_pts - *passed_.lowest_pts + std::max<std::int64_t>(std::llround(step), 1);
    }
    if (av_seek_frame(input_.get(), stream_->index, opening_time_, AVSEEK_FLAG_BACKWARD) < 0) return false;
    do {
        av_packet_unref(packet_.get());
        if (av_read_frame(input_.get(), packet_.get()) < 0) return false;
    } while (packet_->stream_index != stream_->index);
    if (PacketMark{packet_->pts, packet_->pos} != *opening_) return false;
    packet_is_read_ = true;
    ++passed_.rounds;
    return true;
}

// What a failed read means; picture: try again.
MediaStatus MediaReader::failed(int status) {
    if (watchdog_->stopped()) return MediaStatus::stopped;
    if (watchdog_->expired()) return MediaStatus::stalled;
    ++damaged_;
    read_error_ = av::message(status);
    // Damaged data in a file: the demuxer finds its way again. A device or a connection that fails does not.
    const bool may_recover = status == AVERROR_INVALIDDATA && !request_.live;
    if (may_recover && ++failures_in_row_ < kMostFailuresInRow) return MediaStatus::picture;
    gave_up_ = true;
    if (!request_.live) {  // show what the decoder still holds
        draining_ = true;
        if (avcodec_send_packet(codec_.get(), nullptr) >= 0) return MediaStatus::picture;
    }
    return MediaStatus::broken;
}

// A hardware decoder may open and still refuse the stream; FFmpeg then decodes in software by itself.
void MediaReader::check_wanted_decoder(const AVFrame& picture) {
    checked_decoder_ = true;
    if (decoder_name_ != "cuda" || picture.hw_frames_ctx != nullptr) return;
    if (request_.source.decoder == "cuda") {
        throw Error(ErrorKind::unavailable,
                    "the GPU does not decode this kind of video (" + details(picture.width, picture.height) + ")",
                    request_.shown, "use --decoder auto or software");
    }
    spdlog::info("{}: the GPU does not decode this kind of video, decoding in software", request_.shown);
    decoder_name_ = "software";
    refused_by_hardware_ = true;
}

bool MediaReader::seek_key_frame(double seconds) {
    const std::int64_t start = stream_->start_time != AV_NOPTS_VALUE ? stream_->start_time : 0;
    const auto offset = static_cast<std::int64_t>(std::floor(seconds / av_q2d(stream_->time_base)));
    watchdog_->arm(request_.source.read_timeout, {});
    if (av_seek_frame(input_.get(), stream_->index, start + offset, AVSEEK_FLAG_BACKWARD) < 0) return false;
    avcodec_flush_buffers(codec_.get());
    passed_ = {};
    packet_is_read_ = false;
    draining_ = false;
    gave_up_ = false;
    failures_in_row_ = 0;
    return true;
}

std::int64_t MediaReader::round_of(const AVFrame& picture) const {
    if (passed_.rounds == 0 || picture.best_effort_timestamp == AV_NOPTS_VALUE) return 0;
    return (picture.best_effort_timestamp - *passed_.lowest_pts) / passed_.period;
}

std::optional<double> MediaReader::time_of(const AVFrame& picture) const {
    if (picture.best_effort_timestamp == AV_NOPTS_VALUE) return std::nullopt;
    const std::int64_t start = stream_->start_time != AV_NOPTS_VALUE ? stream_->start_time : 0;
    const std::int64_t ticks = picture.best_effort_timestamp - start - round_of(picture) * passed_.period;
    return static_cast<double>(ticks) * av_q2d(stream_->time_base);
}

Orientation MediaReader::orientation_of_picture(const AVFrame& picture) const {
    const AVFrameSideData* data = av_frame_get_side_data(&picture, AV_FRAME_DATA_DISPLAYMATRIX);
    if (data == nullptr || data->size < 9 * sizeof(std::int32_t)) return orientation_;
    return throng::orientation_of(reinterpret_cast<const std::int32_t*>(data->data));
}

std::optional<double> MediaReader::duration() const {
    if (request_.live) return std::nullopt;
    if (const auto track = track_duration()) return track;
    if (input_->duration != AV_NOPTS_VALUE && input_->duration > 0) {
        return static_cast<double>(input_->duration) / AV_TIME_BASE;
    }
    return std::nullopt;
}

std::optional<double> MediaReader::track_duration() const {
    if (request_.live || stream_->duration == AV_NOPTS_VALUE || stream_->duration <= 0) return std::nullopt;
    return static_cast<double>(stream_->duration) * av_q2d(stream_->time_base);
}

bool MediaReader::ends_early(double end, double step) const {
    constexpr double kUsualDifference = 0.5;  // seconds between what headers say and the last frame's end
    const std::optional<double> promised = track_duration();
    return promised && end + std::max(kUsualDifference, 2 * step) < *promised;
}

std::optional<std::int64_t> MediaReader::frame_count() const {
    if (request_.live || stream_->nb_frames <= 0) return std::nullopt;
    return stream_->nb_frames;
}

std::string MediaReader::details(int width, int height) const {
    std::string text =
        std::string(avcodec_get_name(codec_->codec_id)) + " " + std::to_string(width) + "x" + std::to_string(height);
    if (fps_ > 0) text += " " + short_number(fps_) + " fps";
    return text + ", " + decoder_name_;
}

}  // namespace throng
