#include "core/video/media_reader.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/video/transparency.h"

namespace throng {
namespace {

constexpr std::size_t kMaxTrial = 500;     // packets without a frame
constexpr std::size_t kMaxLiveTrial = 50;  // from the first key packet on; the viewer of a live input waits

}  // namespace

Frame make_frame(FrameMaker& maker, MediaFrame decoded, std::int64_t index, double pts,
                 std::chrono::steady_clock::time_point arrival) {
    maker.ignore_alpha(decoded.padding_for_alpha);
    const Frame made = decoded.device ? FrameMaker::wrap(std::move(decoded.av_frame), *decoded.device)
                                      : maker.make(std::move(decoded.av_frame), decoded.orientation);
    const Frame frame = made.with_timing(index, pts, arrival);
    return decoded.damaged ? frame.as_damaged() : frame;
}

MediaReader::MediaReader(const MediaRequest& request, const std::stop_token& stop)
    : request_(request), demuxer_(request, stop) {
    if (automatic()) failed_ = request_.failed_decoder;
    const OpenDecoder failed{nullptr, failed_, request_.passed_over};
    open(failed_ != nullptr ? &failed : nullptr);
}

void MediaReader::open(const OpenDecoder* after) {
    const DecoderTable& table = request_.decoders != nullptr ? *request_.decoders : decoder_table();
    decoder_ = open_decoder({demuxer_.stream(), request_.source, demuxer_.live(), damage_.decoder_errors()},
                            request_.shown, table, after);
    // Whoever opens it again has said so.
    if (decoder_.passed_over.empty() || request_.failed_decoder != nullptr) return;
    logger().info("{}: the {} decoder is used ({})", request_.shown, decoder_.row->name(), decoder_.passed_over);
}

MediaStatus MediaReader::next(MediaFrame& frame, const std::stop_token& stop) {
    demuxer_.reset_waited();
    frame.av_frame = av::make_frame();
    for (;;) {
        const int status = avcodec_receive_frame(decoder_.codec.get(), frame.av_frame.get());
        if (status >= 0) {
            const AVFrame& av_frame = *frame.av_frame;
            // FFmpeg decodes what the GPU cannot in software, with one thread.
            if (on_trial() && decoder_.codec->hw_device_ctx != nullptr && av_frame.hw_frames_ctx == nullptr) {
                pass_over("the GPU cannot decode this type of video");
                av_frame_unref(frame.av_frame.get());
                continue;
            }
            end_trial();
            demuxer_.clock().follow(av_frame);
            frame.ticks = clock().ticks_of(av_frame);
            frame.iteration = clock().iteration_of(av_frame);
            const int max_delay = std::max(decoder_.codec->thread_count, 1) + decoder_.codec->has_b_frames + 1;
            frame.damaged = damage_.follow(av_frame, max_delay);
            frame.padding_for_alpha = padding_for_alpha_;
            frame.orientation = orientation_of_frame(av_frame);
            return MediaStatus::read;
        }
        if (status == AVERROR_EOF && automatic() && on_trial() && !sent_.empty()) {
            pass_over("it returned no frame");
            continue;
        }
        if (status != AVERROR_EOF && status != AVERROR(EAGAIN) && on_trial() && reports_device()) {
            pass_over(av::message(status));
            continue;
        }
        if (status == AVERROR_EOF) return MediaStatus::end;
        if (status != AVERROR(EAGAIN)) {
            if (draining_ && fails_at_end()) {
                pass_over(av::message(status));
                continue;
            }
            damage_.add();
            if (draining_) return MediaStatus::end;
        }
        if (const MediaStatus fed = feed(stop); fed != MediaStatus::read) return fed;
    }
}

MediaStatus MediaReader::next_packet(av::PacketPtr& packet, const std::stop_token& stop) {
    if (!unsent_.empty()) {
        SentPacket& first = unsent_.front();
        damage_.add(first.failures - std::exchange(failures_seen_, first.failures));
        packet = std::move(first.packet);
        unsent_.pop_front();
        return MediaStatus::read;
    }
    MediaStatus status{};
    do {
        status = demuxer_.read(stop);
        damage_.add(demuxer_.num_failures() - std::exchange(failures_seen_, demuxer_.num_failures()));
    } while (status == MediaStatus::end && loop_ && damaged() == 0 && demuxer_.begin_again());
    if (status == MediaStatus::read) packet = av::checked(av::PacketPtr(av_packet_clone(&demuxer_.packet())));
    return status;
}

MediaStatus MediaReader::feed(const std::stop_token& stop) {
    av::PacketPtr packet;
    const MediaStatus status = next_packet(packet, stop);
    if (status == MediaStatus::end || (status == MediaStatus::broken && !demuxer_.live())) {
        draining_ = true;  // the decoder returns the frames that it still holds
        const int flushed = avcodec_send_packet(decoder_.codec.get(), nullptr);
        if (flushed >= 0) return MediaStatus::read;
        if (!fails_at_end()) return status;
        pass_over(av::message(flushed));
        return MediaStatus::read;
    }
    if (status != MediaStatus::read) return status;
    const AVCodecID codec = demuxer_.stream().codecpar->codec_id;
    damage_.follow(*packet, demuxer_.format());
    const std::span<const std::uint8_t> data(packet->data, static_cast<std::size_t>(packet->size));
    padding_for_alpha_ = has_padding_for_alpha(codec, demuxer_.format().iformat->name, data);
    const int sent = avcodec_send_packet(decoder_.codec.get(), packet.get());
    if (on_trial()) {
        judge(std::move(packet), sent);
    } else if (sent < 0) {
        damage_.add();
    }
    return MediaStatus::read;
}

void MediaReader::judge(av::PacketPtr packet, int sent) {
    const bool key = (packet->flags & AV_PKT_FLAG_KEY) != 0;
    if (num_before_key_ == sent_.size() && !key) ++num_before_key_;
    sent_.push_back({std::move(packet), failures_seen_});
    if (sent < 0 && reports_device()) return pass_over(av::message(sent));
    if (sent < 0) damage_.add();
    const bool waits = demuxer_.live() && automatic() && sent_.size() - num_before_key_ > kMaxLiveTrial;
    if (!waits && sent_.size() <= kMaxTrial) return;
    if (automatic() || demuxer_.live()) return pass_over("it returned no frame");
    end_trial();  // as at the end of the input: the file may be to blame
}

void MediaReader::end_trial() {
    trial_over_ = true;
    sent_.clear();
}

void MediaReader::pass_over(const std::string& why) {
    const std::string name(decoder_.row->name());
    if (!automatic()) {
        throw Error(ErrorKind::unavailable, {"the %1 decoder is unavailable: %2", name, why}, request_.shown,
                    {"use %1 or %2", Setting{"decoder", "auto"}, "software"});
    }
    logger().info("{}: the {} decoder cannot decode it ({})", request_.shown, name, why);
    failed_ = decoder_.row;
    OpenDecoder after = std::move(decoder_);
    if (after.passed_over.empty()) after.passed_over = name + ": " + why;
    after.codec.reset();
    damage_ = DamageWatch();  // what the decoder could not decode is not damaged
    failures_seen_ = 0;       // those of reading are added again, in front of the same packets
    num_before_key_ = 0;
    draining_ = false;
    std::move(unsent_.begin(), unsent_.end(), std::back_inserter(sent_));
    unsent_ = std::exchange(sent_, {});
    open(&after);
}

bool MediaReader::seek_key_frame(double seconds) {
    if (!demuxer_.seek_key_frame(seconds)) return false;
    avcodec_flush_buffers(decoder_.codec.get());
    sent_.clear();
    unsent_.clear();
    num_before_key_ = 0;
    // The failures of reading that belong to the unsent packets do not belong to what follows.
    damage_.add(demuxer_.num_failures() - std::exchange(failures_seen_, demuxer_.num_failures()));
    damage_.begin_again();
    draining_ = false;
    return true;
}

Orientation MediaReader::orientation_of_frame(const AVFrame& av_frame) const {
    if (request_.orientation) return *request_.orientation;
    const AVFrameSideData* data = av_frame_get_side_data(&av_frame, AV_FRAME_DATA_DISPLAYMATRIX);
    if (data != nullptr && data->size >= 9 * sizeof(std::int32_t)) {
        return orientation_of(reinterpret_cast<const std::int32_t*>(data->data));
    }
    // Older versions of FFmpeg return that of JPEG and WebP as text only.
    const AVDictionaryEntry* exif = av_dict_get(av_frame.metadata, "Orientation", nullptr, 0);
    if (exif == nullptr) return demuxer_.orientation();
    return orientation_of_exif(static_cast<std::uint32_t>(std::strtoul(exif->value, nullptr, 10)));
}

void MediaReader::remember_decoder(MediaRequest& request) const {
    if (failed_ == nullptr) return;
    request.failed_decoder = failed_;
    request.passed_over = decoder_.passed_over;
}

std::string MediaReader::details(int width, int height) const {
    std::string text = std::string(avcodec_get_name(decoder_.codec->codec_id)) + " " + std::to_string(width) + "x" +
                       std::to_string(height);
    if (clock().fps() > 0) text += " " + short_number(clock().fps()) + " fps";
    text += ", " + std::string(decoder_.row->name());
    return decoder_.passed_over.empty() ? text : text + " (" + decoder_.passed_over + ")";
}

}  // namespace throng
