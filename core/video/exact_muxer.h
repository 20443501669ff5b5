// Writes encoded video, with the audio of the file that it comes from, into a file that appears when it is complete.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/video/audio_copy.h"
#include "core/video/exact_encoder.h"
#include "core/video/muxer_io.h"

namespace throng {

// Returns true for the extensions of ExactMuxer: .mp4, .m4v, .mov, .mkv.
[[nodiscard]] bool has_video_muxer(const std::string& path);

// Not thread-safe.
class ExactMuxer {
public:
    // Writes the header. audio: media file whose audio is copied; empty: none. Throws Error(usage) if the container
    // cannot hold the audio, Error(input) if the file cannot be created or has no audio to copy.
    ExactMuxer(const std::string& path, const VideoFormat& format, const ExactEncoder& encoder,
               const std::string& audio);

    // packet: in the order of decoding, times in VideoFormat::time_base; unchanged, but for its reference, which is
    // taken. Throws Error(input).
    void write(AVPacket& packet);
    // Copies the audio that begins before this time, in VideoFormat::time_base.
    void copy_audio_until(std::int64_t ticks);
    // Copies the rest of the audio, finishes the file and gives it its name. Throws Error(input).
    void commit();

    // As those of AudioCopy, after commit; empty without audio.
    [[nodiscard]] std::string audio_incomplete() const;
    [[nodiscard]] std::vector<std::string> audio_notes() const;

private:
    void check(int status, const char* what);
    void write_packet(AVPacket& packet);

    std::string path_;
    AVRational time_base_;
    AtomicFile file_;
    MuxerIo io_;
    OutputContextPtr output_;
    AVStream* stream_ = nullptr;
    std::optional<AudioCopy> audio_;
};

}  // namespace throng
