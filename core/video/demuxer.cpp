#include "core/video/demuxer.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <thread>
#include <utility>

#include "core/video/truncation.h"

extern "C" {
#include <libavutil/display.h>
}

namespace throng {
namespace {

constexpr int kMaxFailuresInRow = 200;  // of reading, so that a device that always fails does not cause an endless loop
constexpr auto kDevicePause = std::chrono::milliseconds(3);

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

}  // namespace

Demuxer::Demuxer(const MediaRequest& request, const std::stop_token& stop)
    : read_timeout_(request.source.read_timeout),
      input_(open_input(request, stop)),
      clock_(*input_.format, *input_.stream),
      seekable_(!input_.live && input_.format->pb != nullptr && input_.format->pb->seekable != 0) {}

MediaStatus Demuxer::read(const std::stop_token& stop) {
    input_.watchdog->arm(read_timeout_, stop);
    if (input_.bytes) input_.bytes->set_stop(stop);
    for (;;) {
        if (stop.stop_requested()) return MediaStatus::stopped;
        const int status = read_any();
        if (status < 0 && stop.stop_requested()) return MediaStatus::stopped;
        if (status == AVERROR(EAGAIN)) {
            if (input_.watchdog->expired()) return MediaStatus::stalled;
            std::this_thread::sleep_for(kDevicePause);
            input_.waited += kDevicePause;
            continue;
        }
        if (status == AVERROR_EOF) {
            if (seekable_ && !tail_is_truncated_ && !has_failed_bytes())
                tail_is_truncated_ = is_tail_truncated(*input_.format);
            return MediaStatus::end;
        }
        if (status < 0) {
            if (const std::optional<MediaStatus> ended = failed(status)) return *ended;
            continue;
        }
        failures_ += static_cast<std::uint64_t>(std::exchange(failures_in_row_, 0));
        if (packet_->stream_index != input_.stream->index || is_useless_header()) continue;
        clock_.follow(*packet_);
        if (input_.bytes && first_packet_hash_ == 0) first_packet_hash_ = fingerprint_of(*packet_);
        return MediaStatus::read;
    }
}

// A chained Ogg file has the headers of Theora again. Their times are not those of frames. The decoder rejects the second
// one, the comment, and begins again with the others.
bool Demuxer::is_useless_header() {
    constexpr std::uint8_t kHeader = 0x80;
    constexpr std::uint8_t kComment = 0x81;
    const bool is_theora = input_.stream->codecpar->codec_id == AV_CODEC_ID_THEORA && packet_->size > 0;
    if (!is_theora || (packet_->data[0] & kHeader) == 0) return false;
    packet_->pts = packet_->dts = AV_NOPTS_VALUE;
    return packet_->data[0] == kComment;
}

int Demuxer::read_any() {
    if (std::exchange(packet_is_read_, false)) return 0;
    av_packet_unref(packet_.get());
    if (input_.ahead.empty()) return read_packet(input_, *packet_);
    packet_ = std::move(input_.ahead.front());
    input_.ahead.pop_front();
    return 0;
}

// Counts a failed read. Returns how reading ends, or nothing if it continues.
std::optional<MediaStatus> Demuxer::failed(int status) {
    if (input_.watchdog->stopped()) return MediaStatus::stopped;
    // FFmpeg stores the status of an interrupted read and returns it from later reads, too.
    const bool interrupted = status == AVERROR_EXIT || status == AVERROR(ETIMEDOUT);
    if (interrupted || (!input_.bytes && input_.watchdog->expired())) return MediaStatus::stalled;
    read_error_ = av::message(status).c_str();
    // After damaged data in a file, the demuxer can resynchronize. After an error of a device or a connection it
    // cannot.
    if (status != AVERROR_INVALIDDATA || input_.live) {
        failures_ += static_cast<std::uint64_t>(std::exchange(failures_in_row_, 0)) + 1;
    } else if (++failures_in_row_ < kMaxFailuresInRow) {
        return std::nullopt;
    }
    gave_up_ = true;
    return MediaStatus::broken;
}

Message Demuxer::read_error() const {
    if (has_failed_bytes()) return input_.bytes->failure();
    return gave_up_ ? read_error_ : Message();
}

// The file must have been read completely.
bool Demuxer::begin_again() {
    if (!seekable_ || !has_index() || gave_up_ || !clock_.can_loop() || !early_end().empty()) return false;
    const int stream = input_.stream->index;
    if (av_seek_frame(input_.format.get(), stream, clock_.first_packet_time(), AVSEEK_FLAG_BACKWARD) < 0) return false;
    do {
        av_packet_unref(packet_.get());
        if (read_packet(input_, *packet_) < 0) return false;
    } while (packet_->stream_index != stream);
    packet_is_read_ = clock_.begin_iteration(*packet_);
    return packet_is_read_;
}

bool Demuxer::seek_key_frame(double seconds) {
    const std::int64_t time = clock_.start() + static_cast<std::int64_t>(std::floor(seconds / clock_.tick()));
    input_.watchdog->arm(read_timeout_, {});
    if (input_.bytes) input_.bytes->recover();
    input_.ahead.clear();
    if (av_seek_frame(input_.format.get(), input_.stream->index, time, AVSEEK_FLAG_BACKWARD) < 0) return false;
    clock_.begin_near(time);
    packet_is_read_ = false;
    input_.log.truncated = false;
    input_.log.missing_segments = 0;
    gave_up_ = false;
    failures_in_row_ = 0;
    return true;
}

AVRational Demuxer::sample_aspect_ratio_of(AVFrame& av_frame) const {
    return av_guess_sample_aspect_ratio(input_.format.get(), input_.stream, &av_frame);
}

Orientation Demuxer::orientation() const {
    const std::uint8_t* matrix = nullptr;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    const AVCodecParameters& coded = *input_.stream->codecpar;
    const AVPacketSideData* data =
        av_packet_side_data_get(coded.coded_side_data, coded.nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    if (data != nullptr && data->size >= 9 * sizeof(std::int32_t)) matrix = data->data;
#else
    matrix = av_stream_get_side_data(input_.stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr);
#endif
    return matrix != nullptr ? orientation_of(reinterpret_cast<const std::int32_t*>(matrix)) : Orientation{};
}

int Demuxer::num_streams(AVMediaType type) const {
    int count = 0;
    for (unsigned i = 0; i < input_.format->nb_streams; ++i) {
        const AVStream& stream = *input_.format->streams[i];
        const bool picture = (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
        count += stream.codecpar->codec_type == type && !picture ? 1 : 0;
    }
    return count;
}

std::string Demuxer::unused_videos() const {
    const int others = num_streams(AVMEDIA_TYPE_VIDEO) - 1;
    if (others < 1 || is_playlist(input_.format->iformat->name)) return "";
    return fmt::format("{} further video track{} not used", others, others == 1 ? " is" : "s are");
}

std::optional<double> Demuxer::duration() const {
    if (input_.live) return std::nullopt;
    std::optional<double> seconds;
    bool of_file = false;
    if (input_.stream->duration != AV_NOPTS_VALUE && input_.stream->duration > 0) {
        seconds = static_cast<double>(input_.stream->duration) * clock_.tick();
    } else if (input_.format->duration != AV_NOPTS_VALUE && input_.format->duration > 0) {
        seconds = static_cast<double>(input_.format->duration) / AV_TIME_BASE;
        of_file = true;
    }
    // The difference of the last time stamp and the first one, between which the clock may have jumped.
    const bool estimated = input_.format->duration_estimation_method == AVFMT_DURATION_FROM_PTS;
    if (seconds && estimated && input_.format->pb != nullptr) {
        constexpr double kMinRate = 1000;  // bytes per second: no transport or program stream has less
        const std::int64_t size = avio_size(input_.format->pb);
        if (size > 0 && static_cast<double>(size) < *seconds * kMinRate) return std::nullopt;
    }
    // Times are from the first frame on.
    const double start = static_cast<double>(clock_.start()) * clock_.tick();
    if (seconds && start > 0 && states_end(*input_.format, *input_.stream, of_file)) *seconds -= start;
    return seconds && *seconds > 0 ? seconds : std::nullopt;
}

std::string Demuxer::early_end() const {
    if (has_failed_bytes() || (gave_up_ && failures_in_row_ == 0)) return "reading ended early: " + read_error().text();
    const double tick = clock_.tick();
    const double start = static_cast<double>(clock_.start()) * tick;
    const auto expected =
        input_.live ? std::nullopt
                    : expected_end(*input_.format, *input_.stream, start, clock_.fps() > 0 ? 1 / clock_.fps() : 0);
    if (expected && clock_.end()) {
        const double end = static_cast<double>(*clock_.end()) * tick;
        if (end + expected->tolerance < expected->end) {
            return "the file ends early: after " + short_number(end - start) + " of " +
                   short_number(expected->end - start) + " s";
        }
    }
    // GIF: FFmpeg counts all frames, but does not return a truncated one.
    const bool one_missing = input_.format->iformat->name == std::string_view("gif") && clock_.is_from_start() &&
                             !input_.live && clock_.num_packets() < input_.stream->nb_frames;
    const bool truncated = input_.log.truncated || tail_is_truncated_.value_or(false);
    if (failures_in_row_ > 0 || one_missing) return "the file ends early: its last part cannot be read";
    if (truncated && !input_.live) return "the file ends early: its last part is cut short";
    const int missing = input_.log.missing_segments;
    if (missing > 0 && !input_.live) {
        return fmt::format("{} segment{} of the playlist could not be opened", missing, missing == 1 ? "" : "s");
    }
    return "";
}

std::optional<std::int64_t> Demuxer::frame_count() const {
    if (input_.live || input_.stream->nb_frames <= 0) return std::nullopt;
    return input_.stream->nb_frames;
}

bool Demuxer::has_index() const {
    return (input_.format->iformat->flags & (AVFMT_GENERIC_INDEX | AVFMT_NOTIMESTAMPS)) == 0;
}

bool Demuxer::has_one_key_frame() const {
    // Other demuxers complete their index while they read.
    if (!std::string_view(input_.format->iformat->name).starts_with("mov")) return false;
    const int entries = avformat_index_get_entries_count(input_.stream);
    int keys = 0;
    for (int i = 0; i < entries && keys < 2; ++i) {
        keys += (avformat_index_get_entry(input_.stream, i)->flags & AVINDEX_KEYFRAME) != 0 ? 1 : 0;
    }
    return entries > 1 && keys < 2;
}

}  // namespace throng
