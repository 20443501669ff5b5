// Reads the packets of a video on one continuous clock, seeks, and finds out whether the input ended early.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "core/video/media_input.h"
#include "core/video/stream_clock.h"

namespace throng {

// Result of reading a packet, or of decoding a frame.
enum class MediaStatus {
    read,
    end,
    stalled,  // no data for source.read_timeout seconds
    stopped,  // by the stop token; a reader of a network stream must not be used any more
    broken,   // reading failed permanently; what was read before is valid
};

// Not thread-safe.
class Demuxer {
public:
    // Throws as open_input.
    Demuxer(const MediaRequest& request, const std::stop_token& stop);

    // Reads the next packet of the video. Parts of a file that cannot be read are skipped and counted.
    [[nodiscard]] MediaStatus read(const std::stop_token& stop);
    [[nodiscard]] AVPacket& packet() { return *packet_; }
    // Moves to the last key frame at or before `seconds` from the start, as exactly as the container's index allows.
    [[nodiscard]] bool seek_key_frame(double seconds);
    // Moves to the first packet after the last one, without a seek for the decoder. Returns false if that is not safe.
    [[nodiscard]] bool begin_again();

    [[nodiscard]] const AVFormatContext& format() const { return *input_.format; }
    [[nodiscard]] const AVStream& stream() const { return *input_.stream; }
    [[nodiscard]] const StreamClock& clock() const { return clock_; }
    [[nodiscard]] StreamClock& clock() { return clock_; }
    [[nodiscard]] AVRational sample_aspect_ratio_of(AVFrame& av_frame) const;
    // Returns the orientation of all frames that the container has; that of a frame may differ.
    [[nodiscard]] Orientation orientation() const;
    // Returns the number of streams of this type, cover art not included.
    [[nodiscard]] int num_streams(AVMediaType type) const;
    // Returns which video streams of the file are not read ("1 further video track is not used"); empty if there are
    // none. A playlist may have the same video in several sizes.
    [[nodiscard]] std::string unused_videos() const;
    [[nodiscard]] std::optional<double> duration() const;  // seconds, possibly estimated
    [[nodiscard]] std::optional<std::int64_t> frame_count() const;
    [[nodiscard]] bool live() const { return input_.live; }  // see MediaInput::live
    [[nodiscard]] bool seekable() const { return seekable_; }
    // Returns false if only reading from the start gives exact positions (raw streams, GIF).
    [[nodiscard]] bool has_index() const;
    // Returns true if the container's index lists the frames, and only the first one as a key frame.
    [[nodiscard]] bool has_one_key_frame() const;

    // Returns a hash of the bytes and the time of the first video packet, equal if the same file is sent again. Returns
    // 0 before that packet was read, and for inputs without a ByteStream (a camera may begin with the same frame after
    // each restart).
    [[nodiscard]] std::uint64_t first_packet_hash() const { return first_packet_hash_; }
    // Returns the seconds that were spent waiting for data since the last reset.
    [[nodiscard]] double waited_seconds() const { return input_.waited.count(); }
    void reset_waited() { input_.waited = {}; }
    // Returns how often reading failed and continued, or failed permanently.
    [[nodiscard]] std::uint64_t num_failures() const { return failures_ + input_.log.skipped; }
    // After the end: returns why the input ended early ("the file ends early: …"); empty for a complete file.
    [[nodiscard]] std::string early_end() const;
    // Returns why reading failed permanently before the end; empty if it has not failed.
    [[nodiscard]] Message read_error() const;

private:
    [[nodiscard]] int read_any();
    [[nodiscard]] bool is_useless_header();
    [[nodiscard]] std::optional<MediaStatus> failed(int status);
    [[nodiscard]] bool has_failed_bytes() const { return input_.bytes && !input_.bytes->failure().empty(); }

    double read_timeout_;
    MediaInput input_;
    StreamClock clock_;
    av::PacketPtr packet_ = av::make_packet();
    std::uint64_t first_packet_hash_ = 0;
    bool seekable_ = false;
    bool packet_is_read_ = false;            // packet_ already holds the first packet of a new iteration
    std::optional<bool> tail_is_truncated_;  // from the last bytes of the file, once they were examined
    bool gave_up_ = false;
    int failures_in_row_ = 0;  // on damaged data; at the end, an early end that is not counted in failures_
    std::uint64_t failures_ = 0;
    Message read_error_;
};

}  // namespace throng
