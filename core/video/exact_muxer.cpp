#include "core/video/exact_muxer.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <new>
#include <string_view>

#include "core/base/error.h"
#include "core/base/extension.h"

namespace throng {
namespace {

struct Container {
    std::string_view extension;
    const char* muxer;
};
constexpr std::array<Container, 4> kContainers = {
    {{".mp4", "mp4"}, {".m4v", "mp4"}, {".mov", "mov"}, {".mkv", "matroska"}}};

const char* muxer_of(const std::string& path) {
    const std::string extension = lower_extension(path);
    const auto found = std::find_if(kContainers.begin(), kContainers.end(),
                                    [&](const Container& each) { return each.extension == extension; });
    return found == kContainers.end() ? nullptr : found->muxer;
}

}  // namespace

bool has_video_muxer(const std::string& path) {
    return muxer_of(path) != nullptr;
}

ExactMuxer::ExactMuxer(const std::string& path, const VideoFormat& format, const ExactEncoder& encoder,
                       const std::string& audio)
    : path_(path),
      time_base_(format.time_base),
      file_(path),
      io_([this](std::string_view bytes) { file_.write(bytes); },
          [this](std::int64_t offset, int whence) { return file_.seek(offset, whence); }) {
    const char* muxer = muxer_of(path);
    AVFormatContext* context = nullptr;
    const int made = avformat_alloc_output_context2(&context, nullptr, muxer, nullptr);
    output_.reset(context);
    if (made < 0) throw Error(ErrorKind::unavailable, {"this FFmpeg build cannot write %1", std::string(muxer)}, path);
    // BITEXACT omits the names and versions of the libraries, and random identifiers.
    output_->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    stream_ = avformat_new_stream(output_.get(), nullptr);
    if (stream_ == nullptr) throw std::bad_alloc();
    stream_->time_base = format.time_base;
    stream_->avg_frame_rate = encoder.codec().framerate;
    stream_->sample_aspect_ratio = format.sample_aspect_ratio;
    check(avcodec_parameters_from_context(stream_->codecpar, &encoder.codec()), "cannot describe the video");
    if (!audio.empty()) {
        audio_.emplace(audio);
        audio_->add_streams(*output_, path_);
        audio_->set_start(format.first_frame);
    }
    output_->pb = io_.open();
    check(avformat_write_header(output_.get(), nullptr), "cannot write the video");
}

void ExactMuxer::check(int status, const char* what) {
    if (status >= 0 && output_->pb != nullptr && output_->pb->error < 0) status = output_->pb->error;
    if (status >= 0) return;
    if (io_.failure()) std::rethrow_exception(io_.failure());
    throw Error(ErrorKind::input, {"%1: %2", what, av::message(status).c_str()}, path_);
}

void ExactMuxer::write_packet(AVPacket& packet) {
    check(av_interleaved_write_frame(output_.get(), &packet), "cannot write the video");
}

void ExactMuxer::write(AVPacket& packet) {
    packet.stream_index = stream_->index;
    av_packet_rescale_ts(&packet, time_base_, stream_->time_base);
    write_packet(packet);
}

void ExactMuxer::copy_audio_until(std::int64_t ticks) {
    if (!audio_) return;
    audio_->copy_until(static_cast<double>(ticks) * av_q2d(time_base_),
                       [this](AVPacket& packet) { write_packet(packet); });
}

void ExactMuxer::commit() {
    if (audio_) audio_->copy_rest([this](AVPacket& packet) { write_packet(packet); });
    check(av_write_trailer(output_.get()), "cannot finish the video");
    avio_flush(output_->pb);
    check(0, "cannot finish the video");
    output_.reset();
    file_.commit();
}

std::string ExactMuxer::audio_incomplete() const {
    return audio_ ? audio_->incomplete() : "";
}

std::vector<std::string> ExactMuxer::audio_notes() const {
    return audio_ ? audio_->notes() : std::vector<std::string>();
}

}  // namespace throng
