#include "core/video/muxer.h"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/video/header_bytes.h"
#include "core/video/name_lookup.h"
#include "core/video/url.h"

namespace throng {

MuxerFile result_file(const std::string& path) {
    const auto file = std::make_shared<AtomicFile>(path);
    return {{},
            {},
            [file](std::string_view bytes) { file->write(bytes); },
            [file](std::int64_t offset, int whence) { return file->seek(offset, whence); },
            [file] { file->commit(); }};
}

MuxerFile recording_file(const std::string& path, const std::stop_token& stop) {
    const auto file = std::make_shared<OutputFile>(path);
    return {{},
            {},
            [file, stop](std::string_view bytes) { file->write(bytes, stop); },
            [file](std::int64_t offset, int whence) { return file->seek(offset, whence); },
            [file] { file->close(); }};
}

const char* muxer_of_server(const std::string& url) {
    const std::string scheme = url_scheme(url);
    if (scheme == "rtsp" || scheme == "rtsps") return "rtsp";
    return scheme == "rtmp" || scheme == "rtmps" ? "flv" : nullptr;
}

Muxer::Muxer(std::string path, const char* format, MuxerFile file, const std::string& audio)
    : path_(std::move(path)), file_(std::move(file)) {
    av::set_up();
    AVFormatContext* context = nullptr;
    const int made = avformat_alloc_output_context2(&context, nullptr, format, nullptr);
    context_.reset(context);
    if (made < 0)
        throw Error(ErrorKind::unavailable, {"this FFmpeg build cannot write %1", std::string(format)}, path_);
    if (file_.server.empty()) context_->flags |= AVFMT_FLAG_CUSTOM_IO;
    if (!audio.empty()) audio_.emplace(audio);
}

Muxer::~Muxer() {
    if (!file_.server.empty()) {
        arm();
        if (connected_) av_write_trailer(context_.get());  // frees the connection, too
        if (bytes_ != nullptr) avio_closep(&context_->pb);
        return;
    }
    context_.reset();
    if (bytes_ != nullptr) av_freep(&bytes_->buffer);
    avio_context_free(&bytes_);
}

int Muxer::write_bytes(void* self, std::uint8_t* bytes, int size) {
    auto& muxer = *static_cast<Muxer*>(self);
    try {
        if (muxer.boxes_) muxer.boxes_->follow({bytes, static_cast<std::size_t>(size)});
        muxer.file_.write({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
        return size;
    } catch (...) {
        if (!muxer.failure_) muxer.failure_ = std::current_exception();
        return AVERROR(EIO);
    }
}

std::int64_t Muxer::seek_bytes(void* self, std::int64_t offset, int whence) {
    if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) return AVERROR(ENOSYS);
    auto& muxer = *static_cast<Muxer*>(self);
    if (whence != SEEK_CUR || offset != 0) muxer.boxes_.reset();
    return muxer.file_.seek(offset, whence);
}

void Muxer::BoxWatch::follow(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const auto content = static_cast<std::size_t>(std::min<std::uint64_t>(rest_, bytes.size()));
        rest_ -= content;
        bytes = bytes.subspan(content);
        if (bytes.empty()) return;
        header_.push_back(bytes.front());
        bytes = bytes.subspan(1);
        FieldReader fields{HeaderBytes(header_)};
        std::uint64_t length = fields.u32();
        const bool is_long = length == 1;
        if (header_.size() < (is_long ? 16U : 8U)) continue;
        fields.skip(4);  // the type
        if (is_long) length = fields.number(8);
        rest_ = length - std::min<std::uint64_t>(length, header_.size());
        header_.clear();
    }
}

void Muxer::open_bytes() {
    constexpr int kBufferBytes = 1 << 16;
    file_.write({});  // opens the file
    auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
    if (buffer == nullptr) throw std::bad_alloc();
    bytes_ = avio_alloc_context(buffer, kBufferBytes, 1, this, nullptr, write_bytes, seek_bytes);
    if (bytes_ == nullptr) {
        av_free(buffer);
        throw std::bad_alloc();
    }
    bytes_->seekable = file_.seek(0, SEEK_CUR) >= 0 ? AVIO_SEEKABLE_NORMAL : 0;
    context_->pb = bytes_;
    const std::string_view format = context_->oformat->name;
    if (format == "mp4" || format == "mov") boxes_.emplace();
}

void Muxer::open_server(av::Dictionary& options) {
    wait_for_host(file_.server, path_, kServerPatience, file_.stop);
    context_->url = av_strdup(file_.server.c_str());
    context_->interrupt_callback = {Watchdog::interrupt, &watchdog_};
    context_->flush_packets = 1;
    options.set("rtsp_transport", "tcp");             // also where a firewall lets no datagrams through
    options.set("flvflags", "no_duration_filesize");  // which are written at the start, where nobody can go back to
    if ((context_->oformat->flags & AVFMT_NOFILE) != 0) return;
    check(avio_open2(&context_->pb, file_.server.c_str(), AVIO_FLAG_WRITE, &context_->interrupt_callback, nullptr),
          "cannot connect");
    bytes_ = context_->pb;
}

void Muxer::check(int status, const char* what) const {
    if (status >= 0 && bytes_ != nullptr && bytes_->error < 0) status = bytes_->error;
    if (status >= 0) return;
    if (failure_) std::rethrow_exception(failure_);
    throw Error(ErrorKind::input, {"%1: %2", what, av::message(status).c_str()}, path_);
}

void Muxer::begin(const AVCodecContext& codec, AVRational time_base, AVRational sample_aspect_ratio, double audio_start,
                  av::Dictionary& options) {
    time_base_ = time_base;
    stream_ = avformat_new_stream(context_.get(), nullptr);
    if (stream_ == nullptr) throw std::bad_alloc();
    stream_->time_base = time_base;
    stream_->avg_frame_rate = codec.framerate;
    stream_->sample_aspect_ratio = sample_aspect_ratio;
    check(avcodec_parameters_from_context(stream_->codecpar, &codec), "cannot describe the video");
    if (audio_) {
        audio_->add_streams(*context_, path_);
        audio_->set_start(audio_start);
    }
    if (file_.server.empty()) {
        open_bytes();
    } else {
        arm();
        open_server(options);
    }
    check(avformat_write_header(context_.get(), options.address()), "cannot write the video");
    connected_ = !file_.server.empty();
}

void Muxer::write_interleaved(AVPacket& packet) {
    arm();
    check(av_interleaved_write_frame(context_.get(), &packet), "cannot write the video");
}

void Muxer::write(AVPacket& packet) {
    packet.stream_index = stream_->index;
    av_packet_rescale_ts(&packet, time_base_, stream_->time_base);
    write_interleaved(packet);
}

void Muxer::copy_audio_until(double seconds) {
    if (audio_) audio_->copy_until(seconds, write_audio_);
}

void Muxer::copy_audio_end(double seconds) {
    if (audio_) audio_->copy_end(seconds, write_audio_);
}

void Muxer::copy_audio_rest() {
    if (audio_) audio_->copy_rest(write_audio_);
}

void Muxer::finish() {
    arm();
    connected_ = false;
    check(av_write_trailer(context_.get()), "cannot finish the video");
    if (!file_.server.empty()) return;
    avio_flush(bytes_);
    check(0, "cannot finish the video");
    if (boxes_ && !boxes_->complete()) throw std::bad_alloc();
    file_.finish();
}

std::string Muxer::audio_incomplete() const {
    return audio_ ? audio_->incomplete() : "";
}

std::vector<std::string> Muxer::audio_notes() const {
    return audio_ ? audio_->notes() : std::vector<std::string>();
}

}  // namespace throng
