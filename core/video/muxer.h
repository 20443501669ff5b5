// Writes an encoded video, with the audio of the file that it comes from, by a muxer of FFmpeg.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/video/audio_copy.h"
#include "core/video/av.h"
#include "core/video/watchdog.h"

namespace throng {

// Where the bytes go. FFmpeg's own file protocol neither handles stop requests nor locks the file.
struct MuxerFile {
    // If set, FFmpeg's protocol of this address takes the bytes; each call may last kServerPatience. Nothing else is used.
    std::string server{};
    std::stop_token stop{};                                             // ends a call
    std::function<void(std::string_view)> write;                        // throws Error
    std::function<std::int64_t(std::int64_t offset, int whence)> seek;  // as lseek; negative after an error
    std::function<void()> finish;                                       // throws Error
};
// A file that gets its name when it is finished (AtomicFile). Throws Error(input) if it cannot be created.
[[nodiscard]] MuxerFile result_file(const std::string& path);
// A file or pipe that is created or truncated with the first byte (OutputFile). stop: ends the wait for its reader.
[[nodiscard]] MuxerFile recording_file(const std::string& path, const std::stop_token& stop);

// Returns FFmpeg's name of the muxer for the address of a media server (rtsp[s]://, rtmp[s]://), otherwise null.
[[nodiscard]] const char* muxer_of_server(const std::string& url);
inline constexpr double kServerPatience = 10;  // seconds

// Not thread-safe.
class Muxer {
public:
    // path: for messages. format: FFmpeg's name. audio: media file whose audio is copied; empty: none. Throws
    // Error(unavailable) if this FFmpeg build has no such muxer, Error(input) if there is no audio to copy.
    Muxer(std::string path, const char* format, MuxerFile file, const std::string& audio);
    ~Muxer();  // discards or closes a file or a connection that is not finished
    Muxer(const Muxer&) = delete;
    Muxer& operator=(const Muxer&) = delete;

    // Adds the video stream and those of the audio, and writes the header. time_base: of the packets. audio_start: as
    // AudioCopy::set_start. Throws Error(usage) if the container cannot hold the audio, otherwise as write.
    void begin(const AVCodecContext& codec, AVRational time_base, AVRational sample_aspect_ratio, double audio_start,
               av::Dictionary& options);
    // packet: in the order of decoding. Its reference is taken. Throws Error(input), and what MuxerFile::write throws.
    void write(AVPacket& packet);
    // Copies the audio that begins before this time, or as AudioCopy::copy_end does. The clock is that of the packets.
    void copy_audio_until(double seconds);
    void copy_audio_end(double seconds);
    void copy_audio_rest();
    // Writes the trailer and finishes the file. Throws as write.
    void finish();

    // Throws Error(input) for an FFmpeg status that is an error, or after a failed write.
    void check(int status, const char* what) const;
    [[nodiscard]] AVFormatContext& context() { return *context_; }
    [[nodiscard]] bool has_audio() const { return audio_.has_value(); }
    // As those of AudioCopy, after the end; empty without audio.
    [[nodiscard]] std::string audio_incomplete() const;
    [[nodiscard]] std::vector<std::string> audio_notes() const;

private:
    static int write_bytes(void* self, std::uint8_t* bytes, int size);
    static std::int64_t seek_bytes(void* self, std::int64_t offset, int whence);
    void open_bytes();
    void open_server(av::Dictionary& options);
    void arm() { watchdog_.arm(kServerPatience, file_.stop); }
    void write_interleaved(AVPacket& packet);

    // Follows the boxes of an MP4 file that is written from its beginning to its end. FFmpeg collects a fragment in memory
    // and reports nowhere that there was none: the box is then shorter than its header says.
    class BoxWatch {
    public:
        void follow(std::span<const std::uint8_t> bytes);
        [[nodiscard]] bool complete() const { return rest_ == 0 && header_.empty(); }

    private:
        std::vector<std::uint8_t> header_;  // of the next box, as far as it is written
        std::uint64_t rest_ = 0;            // bytes of the current box that are not yet written
    };

    struct ContextDeleter {
        void operator()(AVFormatContext* context) const noexcept { avformat_free_context(context); }
    };

    std::string path_;
    MuxerFile file_;
    Watchdog watchdog_;       // of a server
    bool connected_ = false;  // to a server that waits for the end
    AVIOContext* bytes_ = nullptr;
    std::optional<BoxWatch> boxes_;  // until the writer goes back in the file
    std::exception_ptr failure_;     // the first one of file_: FFmpeg forwards only an error code
    std::unique_ptr<AVFormatContext, ContextDeleter> context_;
    AVStream* stream_ = nullptr;
    AVRational time_base_{1, 1};
    std::optional<AudioCopy> audio_;
    std::function<void(AVPacket&)> write_audio_ = [this](AVPacket& packet) { write_interleaved(packet); };
};

}  // namespace throng
