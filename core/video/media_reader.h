// Opens any input that FFmpeg supports and returns the decoded frames of its first video stream, in display order.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/video/av.h"
#include "core/video/byte_stream.h"
#include "core/video/orientation.h"
#include "core/video/packet_clock.h"
#include "core/video/source.h"
#include "core/video/watchdog.h"

namespace throng {

// The component that reads the bytes of the input.
enum class ByteReader {
    ffmpeg,
    connection,  // ByteStream: a URL of a protocol that transfers files
    pipe,        // ByteStream: a path that is neither a file nor a folder
};

struct MediaRequest {
    std::string url;           // as FFmpeg takes it; a path for a pipe
    std::string shown;         // for messages, passwords masked
    std::string input_format;  // FFmpeg's name of a device or format; empty: detected from the data
    std::vector<std::pair<std::string, std::string>> options;  // for that format
    bool device = false;                                       // a camera: no probing, non-blocking
    ByteReader bytes = ByteReader::ffmpeg;
    bool live = false;                         // return frames with minimal delay
    bool may_end = false;                      // decide on opening whether the input has an end: see MediaReader::live
    std::optional<Orientation> orientation{};  // if set: that of all frames, whatever FFmpeg finds
    SourceOptions source;
};

enum class MediaStatus {
    frame,  // a frame was decoded
    end,
    stalled,  // no data for source.read_timeout seconds
    stopped,  // by the stop token; a reader of a network stream must not be used any more
    broken,   // reading a live stream failed permanently; frames read before are valid
};

class MediaReader {
public:
    // Throws Error(input) if the input cannot be opened or has no video, Error(interrupted) after a stop request, and
    // the errors of open_decoder.
    MediaReader(const MediaRequest& request, const std::stop_token& stop);

    // Decodes the next frame. Damaged packets are skipped and counted.
    [[nodiscard]] MediaStatus next(AVFrame& av_frame, const std::stop_token& stop);

    // Moves to the last key frame at or before `seconds` from the start, as exactly as the container's index allows.
    [[nodiscard]] bool seek_key_frame(double seconds);

    // If set, and if looping is safe, the first frame follows the last one: the decoder continues with the first packet
    // without a flush. (A flush makes FFmpeg initialize a hardware decoder again.)
    void set_loop(bool loop) { loop_ = loop; }
    // Returns the loop iteration of the frame, from 0, counted since the input was opened or sought.
    [[nodiscard]] std::int64_t iteration_of(const AVFrame& av_frame) const;

    // Returns seconds from the start of the stream, on one clock (PacketClock). The start is the first one that the
    // demuxer reported.
    [[nodiscard]] std::optional<double> time_of(const AVFrame& av_frame) const;
    // Returns the same in units of time_base.
    [[nodiscard]] std::optional<std::int64_t> ticks_of(const AVFrame& av_frame) const;
    [[nodiscard]] AVRational time_base() const { return stream_->time_base; }
    // Returns the ticks of time_base between two frames, at least 1; 0.04 s for streams of unknown rate.
    [[nodiscard]] std::int64_t step_ticks() const;
    // Returns how often the clock of the packets read so far jumped back. The times of later frames are then exact only
    // when reading from the start.
    [[nodiscard]] std::int64_t num_jumps() const { return jumps_; }
    [[nodiscard]] std::string container() const { return input_->iformat->name; }  // FFmpeg's name of the demuxer
    [[nodiscard]] std::string codec_name() const { return avcodec_get_name(codec_->codec_id); }
    [[nodiscard]] AVRational sample_aspect_ratio_of(AVFrame& av_frame) const;
    // Returns the number of streams of this type, cover pictures not included.
    [[nodiscard]] int num_streams(AVMediaType type) const;
    // Returns which video streams of the file are not read ("1 further video track is not used"); empty if there are
    // none. A playlist may have the same video in several sizes.
    [[nodiscard]] std::string unused_videos() const;
    // Returns how many errors there were so far, including those that damaged() ignores. An error of a frame is counted
    // before next returns the frame, up to max_delay() frames earlier.
    [[nodiscard]] std::uint64_t num_errors() const { return std::max<std::uint64_t>(damaged_, *decoder_errors_); }
    // Returns the maximum number of frames that the decoder holds.
    [[nodiscard]] int max_delay() const;
    // Returns true if a fourth channel of the frames is no alpha channel, whatever FFmpeg calls it.
    [[nodiscard]] bool has_padding_for_alpha() const { return padding_for_alpha_; }
    [[nodiscard]] Orientation orientation_of_frame(const AVFrame& av_frame) const;

    // Returns true for a live input. With may_end, an input is live if it has no length and no duration, and its sender
    // sends in real time.
    [[nodiscard]] bool live() const { return request_.live; }
    // Returns a hash of the bytes and the time of the first video packet, equal if the same file is sent again. Returns
    // 0 before that packet was read, and for inputs without a ByteStream (a camera may begin with the same frame after
    // each restart).
    [[nodiscard]] std::uint64_t first_packet_hash() const { return first_packet_hash_; }

    // Size from the container, before rotation; 0 if unknown.
    [[nodiscard]] int width() const { return stream_->codecpar->width; }
    [[nodiscard]] int height() const { return stream_->codecpar->height; }
    [[nodiscard]] double fps() const { return fps_; }
    [[nodiscard]] std::optional<double> duration() const;  // seconds, possibly estimated
    [[nodiscard]] std::optional<std::int64_t> frame_count() const;
    [[nodiscard]] bool seekable() const { return seekable_; }
    // After the end: returns why the input ended early ("the file ends early: …"); empty for a complete file.
    [[nodiscard]] std::string early_end() const;
    // Returns false if only reading from the start gives exact positions (raw streams, GIF).
    [[nodiscard]] bool has_index() const { return has_index_; }
    // Returns true if the container's index lists the frames, and only the first one as a key frame.
    [[nodiscard]] bool has_one_key_frame() const;
    [[nodiscard]] std::string details(int width, int height) const;
    // Returns the time that the last next() waited for data.
    [[nodiscard]] double waited_seconds() const { return waited_.count(); }
    // Returns how often a packet could not be decoded, a frame was decoded only in part, or reading failed.
    [[nodiscard]] std::uint64_t damaged() const { return num_errors() - ignored_errors_; }
    // Returns true if a hardware decoder was opened, but FFmpeg decoded the first frame in software. The software
    // decoder then has only one thread.
    [[nodiscard]] bool rejected_by_hardware() const { return rejected_by_hardware_; }
    // Returns why reading failed permanently before the end; empty if it has not failed.
    [[nodiscard]] Message read_error() const;

private:
    void open(const std::stop_token& stop);
    [[nodiscard]] int open_bytes(av::Dictionary& options, const std::stop_token& stop);
    void find_stream();
    [[nodiscard]] bool has_end(const std::stop_token& stop);
    [[nodiscard]] bool is_sent_ahead(const std::stop_token& stop);
    [[nodiscard]] double step() const { return fps_ > 0 ? 1 / fps_ : 0; }
    void correct_times();
    void note_frame(const AVFrame& av_frame);
    void note_entry();
    // Sends one packet to the decoder. Returns why the frames end, or nothing if the decoder may have one.
    [[nodiscard]] std::optional<MediaStatus> feed(const std::stop_token& stop);
    [[nodiscard]] int read_packet();
    [[nodiscard]] int read_from_input(AVPacket& packet);
    void check_tail();
    // Counts a failed read. Returns why the frames end, or nothing if reading continues.
    [[nodiscard]] std::optional<MediaStatus> failed(int status);
    [[nodiscard]] bool can_loop() const;
    [[nodiscard]] bool loop_to_start();
    void note_packet();
    void check_requested_decoder(const AVFrame& av_frame);

    MediaRequest request_;
    std::unique_ptr<Watchdog> watchdog_ = std::make_unique<Watchdog>();                     // FFmpeg holds its address
    std::unique_ptr<av::ErrorCount> decoder_errors_ = std::make_unique<av::ErrorCount>(0);  // counted by the decoder
    av::InputLog log_;
    std::unique_ptr<ByteStream> bytes_;  // input of input_; null if FFmpeg reads the bytes
    av::InputPtr input_;
    av::CodecPtr codec_;
    av::PacketPtr packet_ = av::make_packet();
    std::deque<av::PacketPtr> ahead_;  // packets read while opening
    AVStream* stream_ = nullptr;
    std::string decoder_name_;
    Orientation orientation_;
    double fps_ = 0;
    double frame_step_ = 0;              // as frame_step_of
    std::optional<std::int64_t> start_;  // of the stream, in its time base
    PacketClock clock_;
    std::int64_t jump_ticks_ = 0;  // added to the clock after it jumped back
    std::int64_t jumps_ = 0;
    std::uint64_t first_packet_hash_ = 0;
    bool seekable_ = false;
    bool has_index_ = false;
    bool draining_ = false;
    bool loop_ = false;
    std::optional<bool> tail_is_truncated_;  // from the last bytes of the file, once they were examined
    bool packet_is_read_ = false;            // packet_ already holds the first packet of a new iteration
    // Identifies a packet of the file. (The dts is not suitable: a demuxer may estimate another one after a seek.)
    struct PacketId {
        std::int64_t pts = 0;
        std::int64_t position = 0;
        bool operator==(const PacketId&) const = default;
    };
    // Packets and frames since the file was opened or sought. Times are in the time base of the stream.
    struct Progress {
        std::optional<PacketId> first;
        std::optional<std::int64_t> lowest_pts;
        std::int64_t highest_pts = 0;
        std::optional<std::int64_t> highest_end;  // of a packet: time + duration
        std::optional<std::int64_t> first_frame;  // time of the first frame
        bool untimed = false;                     // a packet had no time stamp
        std::int64_t packets = 0;
        std::int64_t iterations = 0;  // loop iterations that have ended
        std::int64_t period = 0;      // duration of an iteration; 0 before the end of the first one
    };
    Progress progress_;
    // The start of decoding. If reading starts between two key frames, the first frames have missing references.
    struct Entry {
        std::optional<std::int64_t> key_pts;  // of the first key frame
        bool has_key = false;
        bool starts_mid_gop = false;  // packets preceded the key frame, in the file or in display order
        bool passed = false;          // a frame at or after the key frame was decoded
    };
    Entry entry_;
    std::uint64_t ignored_errors_ = 0;         // decoder errors about such frames
    std::optional<PacketId> first_packet_id_;  // the file's first packet
    std::int64_t first_packet_time_ = 0;       // seek target of the first packet
    bool padding_for_alpha_ = false;
    bool checked_decoder_ = false;
    bool rejected_by_hardware_ = false;
    bool gave_up_ = false;
    bool gave_up_on_damage_ = false;
    std::chrono::duration<double> waited_{};
    std::uint64_t damaged_ = 0;
    int failures_in_row_ = 0;
    Message read_error_;
};

// Returns the text of VideoSource::incomplete for a file: damaged() of its reader, and early_end() after its end.
[[nodiscard]] std::string incomplete_text(std::uint64_t damaged, const std::string& early_end);
// Joins two such texts, each of which may be empty.
[[nodiscard]] std::string joined_reasons(const std::string& first, const std::string& second);

// Formats a rate or a size with at most two decimals: "30", "29.97", "12.5".
[[nodiscard]] std::string short_number(double value);

}  // namespace throng
