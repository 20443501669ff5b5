#include "core/video/media_reader.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/video/decoders.h"
#include "core/video/transparency.h"

namespace throng {

Frame make_frame(FrameMaker& maker, MediaFrame decoded, std::int64_t index, double pts,
                 std::chrono::steady_clock::time_point arrival) {
    maker.ignore_alpha(decoded.padding_for_alpha);
    const Frame frame = maker.make(std::move(decoded.av_frame), decoded.orientation).with_timing(index, pts, arrival);
    return decoded.damaged ? frame.as_damaged() : frame;
}

MediaReader::MediaReader(const MediaRequest& request, const std::stop_token& stop)
    : request_(request), demuxer_(request, stop) {
    OpenDecoder decoder =
        open_decoder(demuxer_.stream(), request_.source, demuxer_.live(), damage_.decoder_errors(), request_.shown);
    codec_ = std::move(decoder.codec);
    decoder_name_ = std::move(decoder.name);
}

MediaStatus MediaReader::next(MediaFrame& frame, const std::stop_token& stop) {
    demuxer_.reset_waited();
    frame.av_frame = av::make_frame();
    for (;;) {
        const int status = avcodec_receive_frame(codec_.get(), frame.av_frame.get());
        if (status >= 0) {
            const AVFrame& av_frame = *frame.av_frame;
            if (!checked_decoder_) check_requested_decoder(av_frame);
            demuxer_.clock().follow(av_frame);
            frame.ticks = clock().ticks_of(av_frame);
            frame.iteration = clock().iteration_of(av_frame);
            const int max_delay = std::max(codec_->thread_count, 1) + codec_->has_b_frames + 1;
            frame.damaged = damage_.follow(av_frame, max_delay);
            frame.padding_for_alpha = padding_for_alpha_;
            frame.orientation = orientation_of_frame(av_frame);
            return MediaStatus::read;
        }
        if (status == AVERROR_EOF) return MediaStatus::end;
        if (status != AVERROR(EAGAIN)) {
            damage_.add();
            if (draining_) return MediaStatus::end;
        }
        if (const MediaStatus fed = feed(stop); fed != MediaStatus::read) return fed;
    }
}

MediaStatus MediaReader::feed(const std::stop_token& stop) {
    MediaStatus status{};
    do {
        status = demuxer_.read(stop);
        damage_.add(demuxer_.num_failures() - std::exchange(failures_seen_, demuxer_.num_failures()));
    } while (status == MediaStatus::end && loop_ && damaged() == 0 && demuxer_.begin_again());
    if (status == MediaStatus::end || (status == MediaStatus::broken && !demuxer_.live())) {
        draining_ = true;  // the decoder returns the frames that it still holds
        return avcodec_send_packet(codec_.get(), nullptr) < 0 ? status : MediaStatus::read;
    }
    if (status != MediaStatus::read) return status;
    const AVPacket& packet = demuxer_.packet();
    const AVCodecID codec = demuxer_.stream().codecpar->codec_id;
    damage_.follow(packet, demuxer_.format(), codec);
    const std::span<const std::uint8_t> data(packet.data, static_cast<std::size_t>(packet.size));
    padding_for_alpha_ = has_padding_for_alpha(codec, demuxer_.format().iformat->name, data);
    if (avcodec_send_packet(codec_.get(), &packet) < 0) damage_.add();
    return MediaStatus::read;
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
    logger().info("{}: the GPU cannot decode this type of video; decoding in software", request_.shown);
    decoder_name_ = "software";
    rejected_by_hardware_ = true;
}

bool MediaReader::seek_key_frame(double seconds) {
    if (!demuxer_.seek_key_frame(seconds)) return false;
    avcodec_flush_buffers(codec_.get());
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

std::string MediaReader::details(int width, int height) const {
    std::string text =
        std::string(avcodec_get_name(codec_->codec_id)) + " " + std::to_string(width) + "x" + std::to_string(height);
    if (clock().fps() > 0) text += " " + short_number(clock().fps()) + " fps";
    return text + ", " + decoder_name_;
}

}  // namespace throng
