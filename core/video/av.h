// RAII owners of FFmpeg objects, error messages, and FFmpeg's log forwarded to the log of this program.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/dict.h>
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <libswscale/swscale.h>
}

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>

namespace throng::av {

template <auto free_function>
struct Deleter {
    template <class T>
    void operator()(T* object) const noexcept {
        free_function(&object);
    }
};
struct ScalerDeleter {
    void operator()(SwsContext* scaler) const noexcept { sws_freeContext(scaler); }
};

using FramePtr = std::unique_ptr<AVFrame, Deleter<av_frame_free>>;
using PacketPtr = std::unique_ptr<AVPacket, Deleter<av_packet_free>>;
using CodecPtr = std::unique_ptr<AVCodecContext, Deleter<avcodec_free_context>>;
using InputPtr = std::unique_ptr<AVFormatContext, Deleter<avformat_close_input>>;
using BufferPtr = std::unique_ptr<AVBufferRef, Deleter<av_buffer_unref>>;
using ScalerPtr = std::unique_ptr<SwsContext, ScalerDeleter>;

template <class Pointer>
[[nodiscard]] Pointer checked(Pointer object) {
    if (!object) throw std::bad_alloc();
    return object;
}
[[nodiscard]] inline FramePtr make_frame() {
    return checked(FramePtr(av_frame_alloc()));
}
[[nodiscard]] inline PacketPtr make_packet() {
    return checked(PacketPtr(av_packet_alloc()));
}

// Encodes a frame, or all frames that the encoder still holds for null, and calls write(AVPacket&) for each packet that is
// ready. Returns an FFmpeg status.
template <class Write>
[[nodiscard]] int encode(AVCodecContext& codec, const AVFrame* frame, AVPacket& packet, const Write& write) {
    int status = avcodec_send_frame(&codec, frame);
    while (status >= 0) {
        status = avcodec_receive_packet(&codec, &packet);
        if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return 0;
        if (status >= 0) write(packet);
        av_packet_unref(&packet);
    }
    return status;
}

// Options for FFmpeg calls that take a dictionary. After the call it contains the options that FFmpeg did not use.
class Dictionary {
public:
    Dictionary() = default;
    Dictionary(const Dictionary&) = delete;
    Dictionary& operator=(const Dictionary&) = delete;
    ~Dictionary() { av_dict_free(&entries_); }

    void set(const std::string& key, const std::string& value) {
        av_dict_set(&entries_, key.c_str(), value.c_str(), 0);
    }
    [[nodiscard]] AVDictionary** address() noexcept { return &entries_; }

private:
    AVDictionary* entries_ = nullptr;
};

// Returns FFmpeg's message for one of its error codes.
[[nodiscard]] std::string message(int error);

// FFmpeg's log function of this program: counts and notes the errors below, and logs lines at the level debug. set_up()
// installs it, unless the process is shared (core/base/log.h): its owner may install it then.
void log_line(void* object, int level, const char* format, va_list arguments);

// Number of errors that a decoder logged. AVCodecContext::opaque points to it; in this program opaque is always an
// ErrorCount or null.
using ErrorCount = std::atomic<std::uint64_t>;

// Faults that FFmpeg reports only in its log. If another FFmpeg version words a line differently, the fault is missed,
// but none is reported falsely.
struct InputLog {
    const void* demuxer = nullptr;            // only its lines set the next three members
    bool truncated = false;                   // Matroska: the file ends in the middle of an element
    int missing_segments = 0;                 // HLS: segments that could not be opened and were skipped
    std::uint64_t skipped = 0;                // Ogg, Matroska: how often damaged data were skipped
    std::optional<std::uint64_t> http_chunk;  // size of the last chunk in bytes; 0: the end of the body
};

// While an object exists, log lines of this thread are evaluated for `log`. Scopes nest.
class LogScope {
public:
    explicit LogScope(InputLog& log);
    ~LogScope();
    LogScope(const LogScope&) = delete;
    LogScope& operator=(const LogScope&) = delete;

private:
    InputLog* outer_;
};

// Forwards FFmpeg's log to the log of this program, at level debug and with passwords masked. Only the first call has
// an effect.
void set_up();

// Loads libavdevice, after which FFmpeg knows cameras. Throws Error(unavailable) if it is not installed.
void register_devices();

// Returns the name of one of FFmpeg's libraries for the loader: soname("avfilter", 8) is "libavfilter.so.8".
[[nodiscard]] std::string soname(const char* library, int major);

}  // namespace throng::av
