#include "core/video/media_reader.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string_view>
#include <thread>

#include "core/base/error.h"
#include "core/video/decoders.h"
#include "core/video/name_lookup.h"
#include "core/video/transparency.h"
#include "core/video/truncation.h"
#include "core/video/url.h"

extern "C" {
#include <libavutil/display.h>
}

namespace throng {
namespace {

constexpr int kMaxFailuresInRow = 200;  // of reading, so that a device that always fails does not cause an endless loop
constexpr auto kDevicePause = std::chrono::milliseconds(3);
constexpr double kMaxProbe = 3;  // seconds of a live stream that are probed before it starts
// A live streaming server may begin with the last group of pictures (GOP), and so be some seconds ahead of real time.
constexpr double kFarAhead = 20;                  // seconds
constexpr std::size_t kMaxBytesAhead = 64 << 20;  // no GOP is larger
constexpr double kGrace = 1;  // seconds: lets the ByteStream, whose message is more specific, time out first
constexpr auto kPacedWait = std::chrono::milliseconds(500);

// Returns true for text that FFmpeg would render as on a terminal. Such a file is not intended as a video.
bool is_text(AVCodecID codec) {
    constexpr std::array kText = {AV_CODEC_ID_ANSI, AV_CODEC_ID_BINTEXT, AV_CODEC_ID_XBIN, AV_CODEC_ID_IDF};
    return std::find(kText.begin(), kText.end(), codec) != kText.end();
}

// Returns true for formats that list further inputs. The length of such a list is not the length of the video.
bool is_playlist(std::string_view format) {
    constexpr std::array<std::string_view, 4> kLists = {"hls", "dash", "sdp", "concat"};
    return std::any_of(kLists.begin(), kLists.end(),
                       [format](std::string_view name) { return format.substr(0, name.size()) == name; });
}

// Returns true if the URL has a user name before the host: "http://alice:secret@host/".
bool has_user_info(const std::string& url) {
    const auto begin = url.find("://");
    if (begin == std::string::npos) return false;
    const std::string authority = url.substr(begin + 3, url.find_first_of("/?#", begin + 3) - begin - 3);
    return authority.find('@') != std::string::npos;
}

std::pair<Message, Message> explanation(int status, const MediaRequest& request, bool expired) {
    if (expired) {
        return {{"no answer within %1 s", short_number(request.source.open_timeout)},
                "check the address, the network and whether the sender is running"};
    }
    switch (status) {
        case AVERROR_HTTP_UNAUTHORIZED:
            if (has_user_info(request.url)) {
                return {"the server rejected the user name or password",
                        "check both, and encode @ / : in them as %40 %2F %3A"};
            }
            return {"the server requires a user name and a password", "put user:password@ before the host"};
        case AVERROR_HTTP_FORBIDDEN: return {"the server denied access", "check the user name and the password"};
        case AVERROR_HTTP_NOT_FOUND: return {"not found on the server", "check the path after the host"};
        case AVERROR_PROTOCOL_NOT_FOUND:
            return {"this FFmpeg build does not support this protocol", "check the part before the colon"};
        case AVERROR_INVALIDDATA:
            if (has_unencoded_password(request.url)) return {"not a readable video", kEncodePassword};
            return {"not a readable video", "the file may be damaged, cut short, or of another type"};
        case AVERROR(ENODEV):
        case AVERROR(EBUSY): return {av::message(status).c_str(), "another program may be using it"};
        default:
            if (has_unencoded_password(request.url)) return {av::message(status).c_str(), kEncodePassword};
            return {av::message(status).c_str(),
                    request.live ? "check the address and whether the sender is running" : ""};
    }
}

// Returns the FNV-1a hash of the bytes and the time.
std::uint64_t fingerprint_of(const AVPacket& packet) {
    std::uint64_t hash = 14695981039346656037U;
    const auto add = [&hash](std::uint8_t byte) { hash = (hash ^ byte) * 1099511628211U; };
    for (int i = 0; i < packet.size; ++i) add(packet.data[i]);
    for (int shift = 0; shift < 64; shift += 8) {
        add(static_cast<std::uint8_t>(static_cast<std::uint64_t>(packet.pts) >> shift));
    }
    return std::max<std::uint64_t>(hash, 1);
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

std::string incomplete_text(std::uint64_t damaged, const std::string& early_end) {
    std::string text;
    if (damaged > 0) {
        text = "damaged in " + std::to_string(damaged) + (damaged == 1 ? " place" : " places") +
               ", decoded as far as possible";
    }
    return joined_reasons(text, early_end);
}

std::string joined_reasons(const std::string& first, const std::string& second) {
    return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

MediaReader::MediaReader(const MediaRequest& request, const std::stop_token& stop) : request_(request) {
    av::set_up();
    open(stop);
    find_stream();
    if (request_.may_end) request_.live = !has_end(stop);
    seekable_ = !request_.live && input_->pb != nullptr && input_->pb->seekable != 0;
    if (bytes_) bytes_->finish_opening();
    OpenDecoder decoder = open_decoder(*stream_, request_.source, request_.live, *decoder_errors_, request_.shown);
    codec_ = std::move(decoder.codec);
    decoder_name_ = std::move(decoder.name);
}

void MediaReader::open(const std::stop_token& stop) {
    wait_for_host(request_.url, request_.shown, request_.source.open_timeout, stop);
    av::Dictionary options;
    for (const auto& [key, value] : request_.options) options.set(key, value);
    auto* format = request_.input_format.empty() ? nullptr : av_find_input_format(request_.input_format.c_str());
    if (format == nullptr && !request_.input_format.empty()) {
        throw Error(ErrorKind::unavailable, {"this FFmpeg build has no support for %1", request_.input_format},
                    request_.shown);
    }

    watchdog_->arm(request_.source.open_timeout, stop);
    AVFormatContext* context = nullptr;
    int status = open_bytes(options, stop);
    // FFmpeg's demuxer of image files takes the characters %, * and ? in a name for a pattern of names.
    options.set("pattern_type", "none");
    if (request_.live) options.set("fpsprobesize", "5");  // frames; the default of 20 would delay the first frame
    // PacketClock does so. FFmpeg treats any jump back in time as a clock overflow and adds 26 hours.
    options.set("correct_ts_overflow", "0");
    const av::LogScope scope(log_);
    if (status >= 0) {
        context = avformat_alloc_context();
        if (context == nullptr) throw std::bad_alloc();
        context->interrupt_callback = {Watchdog::interrupt, watchdog_.get()};
        if (bytes_) context->pb = &bytes_->context();
        if (request_.device) context->flags |= AVFMT_FLAG_NONBLOCK;
        if (request_.live) {
            // Drops the packets that were read while probing, because they are late. A ByteStream keeps them: a short
            // stream may have no others.
            if (!bytes_) context->flags |= AVFMT_FLAG_NOBUFFER;
            context->max_analyze_duration = static_cast<std::int64_t>(kMaxProbe * AV_TIME_BASE);
        }
        const std::string redirected = bytes_ ? bytes_->location() : "";
        const std::string& url = redirected.empty() ? request_.url : redirected;
        log_.demuxer = context;
        status = avformat_open_input(&context, url.c_str(), format, options.address());
    }
    input_.reset(context);  // null after a failure
    if (status >= 0 && !request_.device) status = avformat_find_stream_info(input_.get(), nullptr);
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", request_.shown);
    if (status >= 0) return;
    if (bytes_ && !bytes_->failure().empty()) {
        throw Error(ErrorKind::input, bytes_->failure(), request_.shown, "check the sender of the video");
    }
    const bool expired = watchdog_->expired() || status == AVERROR(ETIMEDOUT) || status == AVERROR_EXIT;
    const auto [what, advice] = explanation(status, request_, expired);
    throw Error(ErrorKind::input, what, request_.shown, advice);
}

// Opens the ByteStream if the request has one. Returns an FFmpeg status.
int MediaReader::open_bytes(av::Dictionary& options, const std::stop_token& stop) {
    const ByteLimits limits{request_.source.open_timeout, request_.source.read_timeout};
    int status = 0;
    if (request_.bytes == ByteReader::pipe) bytes_ = open_pipe_stream(request_.url, limits, stop, status);
    if (request_.bytes == ByteReader::connection) {
        bytes_ = open_url_stream(request_.url, options, limits, stop, status);
        if (!bytes_) return status;
        if (const std::string allowed = bytes_->allowed_protocols(); !allowed.empty()) {
            options.set("protocol_whitelist", allowed);
        }
        if (bytes_->size()) request_.live = false;  // preliminary: it may be a playlist
    }
    if (bytes_) watchdog_->arm(request_.source.open_timeout + kGrace, stop);
    return status;
}

void MediaReader::find_stream() {
    const int index = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    stream_ = index >= 0 ? input_->streams[index] : nullptr;
    // Cover art of an audio file is not a video.
    if (stream_ == nullptr || (stream_->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0 ||
        is_text(stream_->codecpar->codec_id)) {
        throw Error(ErrorKind::input, "the input contains no video", request_.shown,
                    "choose a file with a video track");
    }
    for (unsigned i = 0; i < input_->nb_streams; ++i) {
        if (input_->streams[i] != stream_) input_->streams[i]->discard = AVDISCARD_ALL;
    }
    const AVRational rate = av_guess_frame_rate(input_.get(), stream_, nullptr);
    fps_ = rate.num > 0 && rate.den > 0 ? av_q2d(rate) : 0;
    frame_step_ = frame_step_of(*input_, *stream_);
    if (const std::int32_t* matrix = display_matrix(*stream_)) orientation_ = throng::orientation_of(matrix);
    if (stream_->start_time != AV_NOPTS_VALUE) start_ = stream_->start_time;
    has_index_ = (input_->iformat->flags & (AVFMT_GENERIC_INDEX | AVFMT_NOTIMESTAMPS)) == 0;
}

bool MediaReader::has_end(const std::stop_token& stop) {
    const bool list = is_playlist(input_->iformat->name);
    const bool has_length = bytes_ && bytes_->size() && !list;
    const bool has_duration = input_->duration != AV_NOPTS_VALUE && input_->duration > 0;
    return has_length || has_duration || (!list && is_sent_ahead(stop));
}

// Returns true if the sender sends faster than real time, as for a file. Reads packets until they are far ahead of real
// time, until the end, or until reading has waited too long for data, as with a camera.
bool MediaReader::is_sent_ahead(const std::stop_token& stop) {
    const auto begin = std::chrono::steady_clock::now();
    const double tick = av_q2d(stream_->time_base);
    std::size_t bytes = 0;
    double sent = 0;  // seconds of video
    waited_ = {};
    watchdog_->arm(request_.source.read_timeout, stop);
    while (waited_ < kPacedWait && bytes < kMaxBytesAhead) {
        av::PacketPtr packet = av::make_packet();
        const auto before = std::chrono::steady_clock::now();
        const int status = read_from_input(*packet);
        const auto now = std::chrono::steady_clock::now();
        waited_ += now - before;
        if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "stopped while opening", request_.shown);
        if (status == AVERROR_EOF) return bytes_ == nullptr || bytes_->closed_by_sender();
        if (status < 0) return false;
        if (packet->stream_index == stream_->index) {
            bytes += static_cast<std::size_t>(packet->size);
            sent += packet->duration > 0 ? static_cast<double>(packet->duration) * tick : frame_step_;
        }
        ahead_.push_back(std::move(packet));
        if (sent > kFarAhead + std::chrono::duration<double>(now - begin).count()) return true;
    }
    return bytes >= kMaxBytesAhead;
}

MediaStatus MediaReader::next(AVFrame& av_frame, const std::stop_token& stop) {
    waited_ = {};
    for (;;) {
        const int status = avcodec_receive_frame(codec_.get(), &av_frame);
        if (status >= 0) {
            if (!checked_decoder_) check_requested_decoder(av_frame);
            note_frame(av_frame);
            const bool damaged = av_frame.decode_error_flags != 0 || (av_frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
            if (damaged) ++damaged_;
            return MediaStatus::frame;
        }
        if (status == AVERROR_EOF) return MediaStatus::end;
        if (status != AVERROR(EAGAIN)) {
            ++damaged_;
            if (draining_) return MediaStatus::end;
        }
        if (const std::optional<MediaStatus> ended = feed(stop)) return *ended;
    }
}

std::optional<MediaStatus> MediaReader::feed(const std::stop_token& stop) {
    watchdog_->arm(request_.source.read_timeout, stop);
    if (bytes_) bytes_->set_stop(stop);
    for (;;) {
        if (stop.stop_requested()) return MediaStatus::stopped;
        const int status = read_packet();
        if (status < 0 && stop.stop_requested()) return MediaStatus::stopped;
        if (status == AVERROR(EAGAIN)) {
            if (watchdog_->expired()) return MediaStatus::stalled;
            std::this_thread::sleep_for(kDevicePause);
            waited_ += kDevicePause;
            continue;
        }
        if (status == AVERROR_EOF) {
            check_tail();
            if (loop_ && can_loop() && loop_to_start()) continue;
            damaged_ -= static_cast<std::uint64_t>(failures_in_row_);  // reported as an early end instead
            draining_ = true;
            if (avcodec_send_packet(codec_.get(), nullptr) < 0) return MediaStatus::end;
            return std::nullopt;
        }
        if (status < 0) {
            if (const std::optional<MediaStatus> ended = failed(status)) return ended;
            continue;
        }
        failures_in_row_ = 0;
        if (packet_->stream_index != stream_->index) continue;
        correct_times();
        note_packet();
        note_entry();
        // The flag marks a packet that is truncated by the end of the file. (In a transport stream it may mark a gap.)
        const bool cut = (packet_->flags & AV_PKT_FLAG_CORRUPT) != 0;
        if (cut && (input_->iformat->flags & AVFMT_TS_DISCONT) == 0) ++damaged_;
        const AVCodecID codec = stream_->codecpar->codec_id;
        const std::span<const std::uint8_t> data(packet_->data, static_cast<std::size_t>(packet_->size));
        if (codec == AV_CODEC_ID_EXR && is_truncated_exr(data)) ++damaged_;
        padding_for_alpha_ = throng::has_padding_for_alpha(codec, input_->iformat->name, data);
        if (avcodec_send_packet(codec_.get(), packet_.get()) < 0) ++damaged_;
        return std::nullopt;
    }
}

int MediaReader::read_packet() {
    if (std::exchange(packet_is_read_, false)) return 0;
    av_packet_unref(packet_.get());
    if (!ahead_.empty()) {
        packet_ = std::move(ahead_.front());
        ahead_.pop_front();
        return 0;
    }
    const auto begin = std::chrono::steady_clock::now();
    const int status = read_from_input(*packet_);
    waited_ += std::chrono::steady_clock::now() - begin;
    return status;
}

int MediaReader::read_from_input(AVPacket& packet) {
    const av::LogScope scope(log_);
    return av_read_frame(input_.get(), &packet);
}

// Examines the end of the file, for formats whose demuxers end silently in a truncated file.
void MediaReader::check_tail() {
    const std::string_view format = input_->iformat->name;
    const bool examined = format == "ogg" || format == "mpegts";
    if (tail_is_truncated_ || !examined || !seekable_ || (bytes_ && !bytes_->failure().empty())) return;
    AVIOContext* io = input_->pb;
    const std::int64_t position = avio_tell(io);
    const std::int64_t size = avio_size(io);
    std::vector<std::uint8_t> tail(static_cast<std::size_t>(std::clamp<std::int64_t>(size, 0, kTailBytes)));
    const auto count = static_cast<int>(tail.size());
    if (count > 0 && avio_seek(io, size - count, SEEK_SET) >= 0 && avio_read(io, tail.data(), count) == count) {
        tail_is_truncated_ = format == "ogg" ? is_truncated_ogg(tail) : is_truncated_transport_stream(tail);
    }
    avio_seek(io, position, SEEK_SET);
}

std::int64_t MediaReader::step_ticks() const {
    return std::max<std::int64_t>(std::llround(frame_step_ / av_q2d(stream_->time_base)), 1);
}

// Gives the packet a time on one continuous clock.
void MediaReader::correct_times() {
    if (const auto shift = clock_.follow(*packet_, *input_, frame_step_)) {
        jump_ticks_ += *shift;
        ++jumps_;
    }
    shift_times(*packet_, jump_ticks_);
}

// Records a packet. Shifts its times by the previous loop iterations, so that the decoder gets one continuous stream.
void MediaReader::note_packet() {
    AVPacket& packet = *packet_;
    if (!progress_.first) progress_.first = PacketId{packet.pts, packet.pos};
    if (bytes_ && first_packet_hash_ == 0) first_packet_hash_ = fingerprint_of(packet);
    if (const std::int64_t time = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts; time != AV_NOPTS_VALUE) {
        const std::int64_t usual = std::llround(step() / av_q2d(stream_->time_base));
        const std::int64_t end = time + (packet.duration > 0 ? packet.duration : usual);
        progress_.highest_end = std::max(progress_.highest_end.value_or(end), end);
    }
    ++progress_.packets;
    if (!first_packet_id_) {
        first_packet_id_ = progress_.first;
        first_packet_time_ = packet.dts != AV_NOPTS_VALUE ? std::min(packet.dts, packet.pts) : packet.pts;
    }
    if (packet.pts == AV_NOPTS_VALUE) {
        progress_.untimed = true;
        return;
    }
    progress_.highest_pts = progress_.lowest_pts ? std::max(progress_.highest_pts, packet.pts) : packet.pts;
    progress_.lowest_pts = std::min(progress_.lowest_pts.value_or(packet.pts), packet.pts);
    packet.pts += progress_.iterations * progress_.period;
    if (packet.dts != AV_NOPTS_VALUE) packet.dts += progress_.iterations * progress_.period;
}

// Looping is safe if the file was read completely and without damage, and its first frames need no earlier frames. If
// they do, the file has packets with earlier times than the first decoded frame.
bool MediaReader::can_loop() const {
    const bool whole =
        seekable_ && has_index_ && progress_.first && progress_.first == first_packet_id_ && !progress_.untimed;
    if (!whole || damaged() > 0 || gave_up_) return false;
    if (!progress_.lowest_pts || !progress_.first_frame || *progress_.lowest_pts != *progress_.first_frame)
        return false;
    return early_end().empty();
}

// Seeks to the first packet and reads it into packet_. Returns false if the demuxer does not find it.
bool MediaReader::loop_to_start() {
    if (progress_.period == 0) {
        const double ticks = 1 / ((fps_ > 0 ? fps_ : 1) * av_q2d(stream_->time_base));
        progress_.period =
            progress_.highest_pts - *progress_.lowest_pts + std::max<std::int64_t>(std::llround(ticks), 1);
    }
    if (av_seek_frame(input_.get(), stream_->index, first_packet_time_, AVSEEK_FLAG_BACKWARD) < 0) return false;
    do {
        av_packet_unref(packet_.get());
        if (read_from_input(*packet_) < 0) return false;
    } while (packet_->stream_index != stream_->index);
    if (PacketId{packet_->pts, packet_->pos} != *first_packet_id_) return false;
    packet_is_read_ = true;
    clock_ = {};
    jump_ticks_ = 0;
    ++progress_.iterations;
    return true;
}

// Detects that reading starts between two key frames (a recording of a broadcast, an open GOP, a seek). Decoder errors
// before and around the first key frame then do not count, because the references were never in the file.
void MediaReader::note_entry() {
    const AVPacket& packet = *packet_;
    const bool key = (packet.flags & AV_PKT_FLAG_KEY) != 0;
    if (!entry_.has_key) {
        entry_.has_key = key;
        if (!key) entry_.starts_mid_gop = true;
        if (key && packet.pts != AV_NOPTS_VALUE) entry_.key_pts = packet.pts;
    } else if (entry_.key_pts && packet.pts != AV_NOPTS_VALUE && packet.pts < *entry_.key_pts) {
        entry_.starts_mid_gop = true;
    }
}

void MediaReader::note_frame(const AVFrame& av_frame) {
    const std::int64_t time = av_frame.best_effort_timestamp;
    if (!progress_.first_frame) progress_.first_frame = time;
    // Keep the first known start: a demuxer may change it later. If unknown, the start is the first frame.
    if (time != AV_NOPTS_VALUE && !start_) start_ = time;
    if (entry_.passed || !entry_.has_key) return;
    if (time != AV_NOPTS_VALUE && entry_.key_pts && time < *entry_.key_pts) return;
    entry_.passed = true;
    if (entry_.starts_mid_gop) ignored_errors_ = num_errors();
}

std::optional<MediaStatus> MediaReader::failed(int status) {
    if (watchdog_->stopped()) return MediaStatus::stopped;
    // FFmpeg stores the status of an interrupted read and returns it from later reads, too.
    const bool interrupted = status == AVERROR_EXIT || status == AVERROR(ETIMEDOUT);
    if (interrupted || (!bytes_ && watchdog_->expired())) return MediaStatus::stalled;
    ++damaged_;
    read_error_ = av::message(status).c_str();
    // After damaged data in a file, the demuxer can resynchronize. After an error of a device or a connection it
    // cannot.
    const bool may_recover = status == AVERROR_INVALIDDATA && !request_.live;
    if (may_recover && ++failures_in_row_ < kMaxFailuresInRow) return std::nullopt;
    gave_up_ = true;
    gave_up_on_damage_ = may_recover;
    if (may_recover) damaged_ -= static_cast<std::uint64_t>(failures_in_row_);  // reported as an early end instead
    if (!request_.live) {  // return the frames that the decoder still holds
        draining_ = true;
        if (avcodec_send_packet(codec_.get(), nullptr) >= 0) return std::nullopt;
    }
    return MediaStatus::broken;
}

Message MediaReader::read_error() const {
    if (bytes_ && !bytes_->failure().empty()) return bytes_->failure();
    return gave_up_ ? read_error_ : Message();
}

// A hardware decoder may open successfully and still reject the stream. FFmpeg then falls back to software.
void MediaReader::check_requested_decoder(const AVFrame& av_frame) {
    checked_decoder_ = true;
    if (decoder_name_ != "cuda" || av_frame.hw_frames_ctx != nullptr) return;
    if (request_.source.decoder == "cuda") {
        throw Error(ErrorKind::unavailable,
                    {"the GPU cannot decode this type of video (%1)", details(av_frame.width, av_frame.height)},
                    request_.shown, {"use %1 or %2", Setting{"decoder", "auto"}, "software"});
    }
    spdlog::info("{}: the GPU cannot decode this type of video; decoding in software", request_.shown);
    decoder_name_ = "software";
    rejected_by_hardware_ = true;
}

bool MediaReader::seek_key_frame(double seconds) {
    const std::int64_t start = start_.value_or(0);
    const auto offset = static_cast<std::int64_t>(std::floor(seconds / av_q2d(stream_->time_base)));
    watchdog_->arm(request_.source.read_timeout, {});
    if (bytes_) bytes_->recover();
    ahead_.clear();
    if (av_seek_frame(input_.get(), stream_->index, start + offset, AVSEEK_FLAG_BACKWARD) < 0) return false;
    avcodec_flush_buffers(codec_.get());
    progress_ = {};
    entry_ = {};
    clock_.begin_near(start + offset);
    jump_ticks_ = 0;
    packet_is_read_ = false;
    log_.truncated = false;
    log_.missing_segments = 0;
    draining_ = false;
    gave_up_ = false;
    failures_in_row_ = 0;
    return true;
}

std::int64_t MediaReader::iteration_of(const AVFrame& av_frame) const {
    if (progress_.iterations == 0 || av_frame.best_effort_timestamp == AV_NOPTS_VALUE) return 0;
    return (av_frame.best_effort_timestamp - *progress_.lowest_pts) / progress_.period;
}

std::optional<std::int64_t> MediaReader::ticks_of(const AVFrame& av_frame) const {
    if (!is_time(av_frame.best_effort_timestamp) || !is_time(start_.value_or(0))) return std::nullopt;
    return av_frame.best_effort_timestamp - start_.value_or(0) - iteration_of(av_frame) * progress_.period;
}

std::optional<double> MediaReader::time_of(const AVFrame& av_frame) const {
    const std::optional<std::int64_t> ticks = ticks_of(av_frame);
    if (!ticks) return std::nullopt;
    return static_cast<double>(*ticks) * av_q2d(stream_->time_base);
}

AVRational MediaReader::sample_aspect_ratio_of(AVFrame& av_frame) const {
    return av_guess_sample_aspect_ratio(input_.get(), stream_, &av_frame);
}

int MediaReader::num_streams(AVMediaType type) const {
    int count = 0;
    for (unsigned i = 0; i < input_->nb_streams; ++i) {
        const AVStream& stream = *input_->streams[i];
        const bool picture = (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
        count += stream.codecpar->codec_type == type && !picture ? 1 : 0;
    }
    return count;
}

std::string MediaReader::unused_videos() const {
    const int others = num_streams(AVMEDIA_TYPE_VIDEO) - 1;
    if (others < 1 || is_playlist(input_->iformat->name)) return "";
    return fmt::format("{} further video track{} not used", others, others == 1 ? " is" : "s are");
}

int MediaReader::max_delay() const {
    return std::max(codec_->thread_count, 1) + codec_->has_b_frames + 1;
}

Orientation MediaReader::orientation_of_frame(const AVFrame& av_frame) const {
    if (request_.orientation) return *request_.orientation;
    const AVFrameSideData* data = av_frame_get_side_data(&av_frame, AV_FRAME_DATA_DISPLAYMATRIX);
    if (data == nullptr || data->size < 9 * sizeof(std::int32_t)) {
        // Older versions of FFmpeg return that of JPEG and WebP as text only.
        const AVDictionaryEntry* exif = av_dict_get(av_frame.metadata, "Orientation", nullptr, 0);
        if (exif == nullptr) return orientation_;
        return orientation_of_exif(static_cast<std::uint32_t>(std::strtoul(exif->value, nullptr, 10)));
    }
    return throng::orientation_of(reinterpret_cast<const std::int32_t*>(data->data));
}

std::optional<double> MediaReader::duration() const {
    if (request_.live) return std::nullopt;
    std::optional<double> seconds;
    bool of_file = false;
    if (stream_->duration != AV_NOPTS_VALUE && stream_->duration > 0) {
        seconds = static_cast<double>(stream_->duration) * av_q2d(stream_->time_base);
    } else if (input_->duration != AV_NOPTS_VALUE && input_->duration > 0) {
        seconds = static_cast<double>(input_->duration) / AV_TIME_BASE;
        of_file = true;
    }
    // The difference of the last time stamp and the first one, between which the clock may have jumped.
    const bool estimated = input_->duration_estimation_method == AVFMT_DURATION_FROM_PTS;
    if (seconds && estimated && input_->pb != nullptr) {
        constexpr double kMinRate = 1000;  // bytes per second: no transport or program stream has less
        const std::int64_t size = avio_size(input_->pb);
        if (size > 0 && static_cast<double>(size) < *seconds * kMinRate) return std::nullopt;
    }
    // Times are from the first frame on.
    const double start = static_cast<double>(start_.value_or(0)) * av_q2d(stream_->time_base);
    if (seconds && start > 0 && states_end(*input_, *stream_, of_file)) *seconds -= start;
    return seconds && *seconds > 0 ? seconds : std::nullopt;
}

std::string MediaReader::early_end() const {
    const bool no_more_data = bytes_ && !bytes_->failure().empty();
    if (no_more_data || (gave_up_ && !gave_up_on_damage_)) return "reading ended early: " + read_error().text();
    const double tick = av_q2d(stream_->time_base);
    const double start = static_cast<double>(start_.value_or(0)) * tick;
    const auto expected = request_.live ? std::nullopt : expected_end(*input_, *stream_, start, step());
    if (expected && progress_.highest_end) {
        const double end = static_cast<double>(*progress_.highest_end) * tick;
        if (end + expected->tolerance < expected->end) {
            return "the file ends early: after " + short_number(end - start) + " of " +
                   short_number(expected->end - start) + " s";
        }
    }
    // GIF: FFmpeg counts all frames, but does not return a truncated one.
    const bool from_start = progress_.first == first_packet_id_ && progress_.iterations == 0;
    const bool one_missing = input_->iformat->name == std::string_view("gif") && from_start && !request_.live &&
                             progress_.packets < stream_->nb_frames;
    const bool truncated = log_.truncated || tail_is_truncated_.value_or(false);
    if (failures_in_row_ > 0 || one_missing) return "the file ends early: its last part cannot be read";
    if (truncated && !request_.live) return "the file ends early: its last part is cut short";
    if (log_.missing_segments > 0 && !request_.live) {
        return fmt::format(
            "{} of the playlist could not be opened",
            log_.missing_segments == 1 ? "1 segment" : fmt::format("{} segments", log_.missing_segments));
    }
    return "";
}

std::optional<std::int64_t> MediaReader::frame_count() const {
    if (request_.live || stream_->nb_frames <= 0) return std::nullopt;
    return stream_->nb_frames;
}

bool MediaReader::has_one_key_frame() const {
    // Other demuxers complete their index while they read.
    if (!std::string_view(input_->iformat->name).starts_with("mov")) return false;
    const int entries = avformat_index_get_entries_count(stream_);
    int keys = 0;
    for (int i = 0; i < entries && keys < 2; ++i) {
        keys += (avformat_index_get_entry(stream_, i)->flags & AVINDEX_KEYFRAME) != 0 ? 1 : 0;
    }
    return entries > 1 && keys < 2;
}

std::string MediaReader::details(int width, int height) const {
    std::string text =
        std::string(avcodec_get_name(codec_->codec_id)) + " " + std::to_string(width) + "x" + std::to_string(height);
    if (fps_ > 0) text += " " + short_number(fps_) + " fps";
    return text + ", " + decoder_name_;
}

}  // namespace throng
