// Opens anything FFmpeg reads and gives the decoded frames of its first video stream, in the order of display.
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
#include "core/video/source.h"
#include "core/video/watchdog.h"

namespace throng {

// Who reads the bytes.
enum class ByteReader {
    ffmpeg,
    connection,  // ByteStream: an address of a protocol that carries files
    pipe,        // ByteStream: a path that is neither a file nor a folder
};

struct MediaRequest {
    std::string url;           // as FFmpeg takes it; a path for a pipe
    std::string shown;         // for messages, passwords masked
    std::string input_format;  // FFmpeg's name of a device or format; empty: found by looking at the data
    std::vector<std::pair<std::string, std::string>> options;  // for that format
    bool device = false;                                       // a camera: nothing to probe, never blocks
    ByteReader bytes = ByteReader::ffmpeg;
    bool live = false;     // frames as soon as they are there
    bool may_end = false;  // live only if it turns out to have no end: see MediaReader::live
    SourceOptions source;
};

enum class MediaStatus {
    av_frame,
    end,
    stalled,  // no data for source.read_timeout seconds
    stopped,  // by the stop token; the reader may be used no more if it reads from a network
    broken,   // reading a live stream failed for good; what was read before is fine
};

class MediaReader {
public:
    // Throws Error(input) when it cannot be opened or has no video, Error(interrupted) after a stop request, and what
    // open_decoder throws.
    MediaReader(const MediaRequest& request, const std::stop_token& stop);

    // The next frame. Damaged packets are skipped and counted.
    [[nodiscard]] MediaStatus next(AVFrame& av_frame, const std::stop_token& stop);

    // Moves to the last key frame at or before `seconds` from the start, as far as the container can tell.
    [[nodiscard]] bool seek_key_frame(double seconds);

    // Behind the last frame comes the first one again, where that is safe: the decoder goes on with the first packet
    // as if it were the next. (Emptying a decoder makes FFmpeg set up a hardware one again.)
    void set_loop(bool loop) { loop_ = loop; }
    // How often the file had begun again before this frame, since it was opened or sought in.
    [[nodiscard]] std::int64_t round_of(const AVFrame& av_frame) const;

    // Seconds from the stream's start, as first known.
    [[nodiscard]] std::optional<double> time_of(const AVFrame& av_frame) const;
    [[nodiscard]] Orientation orientation_of_frame(const AVFrame& av_frame) const;

    // A request with may_end is for a stream without an end: it has no length and no duration, and its sender keeps to
    // the time of its frames.
    [[nodiscard]] bool live() const { return request_.live; }
    // A fingerprint of the first video packet's bytes and time, equal for the same file sent again; 0 before it was
    // read and for what ByteStream does not read (a camera may begin with the same frame whenever it restarts).
    [[nodiscard]] std::uint64_t first_packet() const { return first_packet_; }

    // As the container tells it, before turning; 0 unknown.
    [[nodiscard]] int width() const { return stream_->codecpar->width; }
    [[nodiscard]] int height() const { return stream_->codecpar->height; }
    [[nodiscard]] double fps() const { return fps_; }
    [[nodiscard]] std::optional<double> duration() const;  // of the file, as well as it is known
    [[nodiscard]] std::optional<std::int64_t> frame_count() const;
    [[nodiscard]] bool seekable() const { return seekable_; }
    // After the end: why it came before all of the video was read ("the file ends early: …"); empty for a whole file.
    [[nodiscard]] std::string early_end() const;
    // False where only reading from the start gives exact positions (raw streams, GIF).
    [[nodiscard]] bool has_index() const { return has_index_; }
    [[nodiscard]] std::string details(int width, int height) const;
    // Part of the last next() that went into waiting for data.
    [[nodiscard]] double waited_seconds() const { return waited_.count(); }
    // Places where packets could not be decoded, frames were decoded in part or reading failed.
    [[nodiscard]] std::uint64_t damaged() const { return complaints() - excused_; }
    // A hardware decoder was opened and left the first frame to FFmpeg's own, which then has one thread only.
    [[nodiscard]] bool rejected_by_hardware() const { return rejected_by_hardware_; }
    // Why reading failed for good before the end; empty while it has not.
    [[nodiscard]] std::string read_error() const;

private:
    void open(const std::stop_token& stop);
    [[nodiscard]] int open_bytes(av::Dictionary& options, const std::stop_token& stop);
    void find_stream();
    [[nodiscard]] bool has_end(const std::stop_token& stop);
    [[nodiscard]] bool is_sent_ahead(const std::stop_token& stop);
    [[nodiscard]] std::uint64_t complaints() const { return std::max<std::uint64_t>(damaged_, *decoder_errors_); }
    struct PromisedEnd {
        double end;        // seconds on the container's clock
        double tolerance;  // seconds that the last frame of a whole file may end before
    };
    [[nodiscard]] std::optional<PromisedEnd> promised_end() const;
    [[nodiscard]] double step() const { return fps_ > 0 ? 1 / fps_ : 0; }
    void note_frame(const AVFrame& av_frame);
    void note_entry();
    [[nodiscard]] MediaStatus feed(const std::stop_token& stop);  // one packet; frame means go on
    [[nodiscard]] int read_packet();
    [[nodiscard]] int read_from_input(AVPacket& packet);
    void check_tail();
    [[nodiscard]] MediaStatus failed(int status);
    [[nodiscard]] bool can_go_round() const;
    [[nodiscard]] bool go_round();
    void note_packet();
    void check_requested_decoder(const AVFrame& av_frame);

    MediaRequest request_;
    std::unique_ptr<Watchdog> watchdog_ = std::make_unique<Watchdog>();                     // its address is FFmpeg's
    std::unique_ptr<av::ErrorCount> decoder_errors_ = std::make_unique<av::ErrorCount>(0);  // the decoder's
    av::InputLog log_;
    std::unique_ptr<ByteStream> bytes_;  // what input_ reads, unless FFmpeg does it by itself
    av::InputPtr input_;
    av::CodecPtr codec_;
    av::PacketPtr packet_ = av::make_packet();
    std::deque<av::PacketPtr> ahead_;  // read before the first one was asked for
    AVStream* stream_ = nullptr;
    std::string decoder_name_;
    Orientation orientation_;
    double fps_ = 0;
    std::optional<std::int64_t> start_;  // of the stream, in its time base
    std::uint64_t first_packet_ = 0;
    bool seekable_ = false;
    bool has_index_ = false;
    bool draining_ = false;
    bool loop_ = false;
    std::optional<bool> tail_is_cut_;  // by the last bytes of the file, once they were examined
    bool packet_is_read_ = false;      // the first one of a new round
    // Which packet of the file it is. (Decoding times will not do: a demuxer may guess others after a seek.)
    struct PacketMark {
        std::int64_t pts = 0;
        std::int64_t position = 0;
        bool operator==(const PacketMark&) const = default;
    };
    // What passed since the file was opened or sought in, in the stream's time base.
    struct Passed {
        std::optional<PacketMark> first;
        std::optional<std::int64_t> lowest_pts;
        std::int64_t highest_pts = 0;
        std::optional<std::int64_t> highest_end;  // of a packet, by its duration
        std::optional<std::int64_t> first_frame;  // its time
        bool untimed = false;                     // a packet without a time
        std::int64_t packets = 0;
        std::int64_t rounds = 0;  // that have ended
        std::int64_t period = 0;  // of a round; 0 before the first one has ended
    };
    Passed passed_;
    // How decoding began: where reading starts between two key frames, the first frames need some that are not there.
    struct Entry {
        std::optional<std::int64_t> key_pts;  // of the first key frame
        bool has_key = false;
        bool torn = false;  // packets came that the key frame is later than
        bool passed = false;
    };
    Entry entry_;
    std::uint64_t excused_ = 0;          // complaints about such frames
    std::optional<PacketMark> opening_;  // the file's first packet
    std::int64_t opening_time_ = 0;      // to seek it by
    bool checked_decoder_ = false;
    bool rejected_by_hardware_ = false;
    bool gave_up_ = false;
    bool gave_up_on_damage_ = false;
    std::chrono::duration<double> waited_{};
    std::uint64_t damaged_ = 0;
    int failures_in_row_ = 0;
    std::string read_error_;
};

// "30", "29.97", "12.5": a rate or a size in few digits.
[[nodiscard]] std::string short_number(double value);

}  // namespace throng
