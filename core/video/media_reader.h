// Opens anything FFmpeg reads and gives the decoded pictures of its first video stream, in the order of display.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/video/av.h"
#include "core/video/orientation.h"
#include "core/video/source.h"
#include "core/video/watchdog.h"

namespace throng {

struct MediaRequest {
    std::string url;           // as FFmpeg takes it
    std::string shown;         // for messages, passwords masked
    std::string input_format;  // FFmpeg's name of a device or format; empty: found by looking at the data
    std::vector<std::pair<std::string, std::string>> options;  // for that format
    bool device = false;                                       // a camera: nothing to probe, never blocks
    bool live = false;                                         // pictures as soon as they are there
    SourceOptions source;
};

enum class MediaStatus {
    picture,
    end,
    stalled,  // no data for source.read_timeout seconds
    stopped,  // by the stop token; the reader may be used no more if it reads from a network
    broken,   // reading failed for good; what was read before is fine
};

class MediaReader {
public:
    // Throws Error(input) when it cannot be opened or has no video, and what open_decoder throws.
    MediaReader(const MediaRequest& request, const std::stop_token& stop);

    // The next picture. Damaged packets are skipped and counted.
    [[nodiscard]] MediaStatus next(AVFrame& picture, const std::stop_token& stop);

    // Moves to the last key frame at or before `seconds` from the start, as far as the container can tell.
    [[nodiscard]] bool seek_key_frame(double seconds);

    // Behind the last picture comes the first one again, where that is safe: the decoder goes on with the first packet
    // as if it were the next. (Emptying a decoder makes FFmpeg set up a hardware one anew.)
    void set_loop(bool loop) { loop_ = loop; }
    // How often the file had begun again before this picture, since it was opened or sought in.
    [[nodiscard]] std::int64_t round_of(const AVFrame& picture) const;

    // Seconds from the stream's start, negative for none.
    [[nodiscard]] std::optional<double> time_of(const AVFrame& picture) const;
    [[nodiscard]] Orientation orientation_of_picture(const AVFrame& picture) const;

    // As the container tells it, before turning; 0 unknown.
    [[nodiscard]] int width() const { return stream_->codecpar->width; }
    [[nodiscard]] int height() const { return stream_->codecpar->height; }
    [[nodiscard]] double fps() const { return fps_; }
    [[nodiscard]] std::optional<double> duration() const;        // of the file, as well as it is known
    [[nodiscard]] std::optional<double> track_duration() const;  // of the video stream by itself
    [[nodiscard]] std::optional<std::int64_t> frame_count() const;
    [[nodiscard]] bool seekable() const { return seekable_; }
    // A last frame that ends `end` seconds from the start, and lasts `step`, comes long before the end of the track.
    [[nodiscard]] bool ends_early(double end, double step) const;
    // False where only reading from the start gives exact positions (raw streams, GIF).
    [[nodiscard]] bool has_index() const { return has_index_; }
    [[nodiscard]] std::string details(int width, int height) const;
    // Part of the last next() that went into waiting for data.
    [[nodiscard]] double waited_seconds() const { return waited_.count(); }
    // Places where packets could not be decoded, pictures were decoded in part or reading failed.
    [[nodiscard]] std::uint64_t damaged() const { return std::max<std::uint64_t>(damaged_, *decoder_errors_); }
    // A hardware decoder was opened and left the first picture to FFmpeg's own, which then has one thread only.
    [[nodiscard]] bool refused_by_hardware() const { return refused_by_hardware_; }
    // Reading failed for good before the end, and why.
    [[nodiscard]] bool gave_up() const { return gave_up_; }
    [[nodiscard]] const std::string& read_error() const { return read_error_; }

private:
    void open(const std::stop_token& stop);
    void find_stream();
    [[nodiscard]] MediaStatus feed(const std::stop_token& stop);  // one packet; picture means go on
    [[nodiscard]] int read_packet();
    [[nodiscard]] MediaStatus failed(int status);
    [[nodiscard]] bool can_go_round() const;
    [[nodiscard]] bool go_round();
    void note_packet();
    void check_wanted_decoder(const AVFrame& picture);

    MediaRequest request_;
    std::unique_ptr<Watchdog> watchdog_ = std::make_unique<Watchdog>();                     // its address is FFmpeg's
    std::unique_ptr<av::ErrorCount> decoder_errors_ = std::make_unique<av::ErrorCount>(0);  // the decoder's
    av::InputPtr input_;
    av::CodecPtr codec_;
    av::PacketPtr packet_ = av::make_packet();
    AVStream* stream_ = nullptr;
    std::string decoder_name_;
    Orientation orientation_;
    double fps_ = 0;
    bool seekable_ = false;
    bool has_index_ = false;
    bool draining_ = false;
    bool loop_ = false;
    bool packet_is_read_ = false;  // the first one of a new round
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
        std::optional<std::int64_t> first_picture;  // its time
        bool untimed = false;                       // a packet without a time
        std::int64_t rounds = 0;                    // that have ended
        std::int64_t period = 0;                    // of a round; 0 before the first one has ended
    };
    Passed passed_;
    std::optional<PacketMark> opening_;  // the file's first packet
    std::int64_t opening_time_ = 0;      // to seek it by
    bool checked_decoder_ = false;
    bool refused_by_hardware_ = false;
    bool gave_up_ = false;
    std::chrono::duration<double> waited_{};
    std::uint64_t damaged_ = 0;
    int failures_in_row_ = 0;
    std::string read_error_;
};

// "30", "29.97", "12.5": a rate or a size in few digits.
[[nodiscard]] std::string short_number(double value);

}  // namespace throng
