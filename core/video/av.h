// Owners for FFmpeg's objects, its errors in words, its log in ours.
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

// Options for the calls that take a dictionary; FFmpeg leaves in it what it did not know.
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

// FFmpeg's words for one of its error codes.
[[nodiscard]] std::string message(int error);

// Errors that a decoder logged; it counts in AVCodecContext::opaque, which for us is always one of these or null.
using ErrorCount = std::atomic<std::uint64_t>;

// What FFmpeg reports in its log alone. A wording that another version does not use is never found, and hides a fault;
// it does not make one up.
struct InputLog {
    const void* demuxer = nullptr;            // whose lines count for the first two
    bool cut_short = false;                   // Matroska: the file ends in the middle of an element
    int missing_segments = 0;                 // HLS: they could not be opened and were left out
    std::optional<std::uint64_t> http_chunk;  // bytes of the chunk that began last; 0: the end of the body
};

// While one exists, lines that this thread logs are evaluated for `log`. They nest.
class LogScope {
public:
    explicit LogScope(InputLog& log);
    ~LogScope();
    LogScope(const LogScope&) = delete;
    LogScope& operator=(const LogScope&) = delete;

private:
    InputLog* outer_;
};

// Sends FFmpeg's log to ours, at level debug and with passwords masked; the first call does it, later ones are free.
void set_up();

}  // namespace throng::av
