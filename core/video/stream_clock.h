// The times of a video's packets and frames: one clock over wraps, jumps back and loop iterations.
#pragma once

#include <cstdint>
#include <optional>

#include "core/video/av.h"
#include "core/video/packet_clock.h"

namespace throng {

// Times are in units of the stream's time base. Not thread-safe.
class StreamClock {
public:
    // Both must outlive the clock.
    StreamClock(AVFormatContext& format, AVStream& stream);

    // Gives the packet its time on the one clock. Call for every packet, in the order of the file.
    void follow(AVPacket& packet);
    // Call for every decoded frame, in order, before the functions below.
    void follow(const AVFrame& av_frame);

    // Returns the time from the start of the stream. The start is the first one that the demuxer reported; if that is
    // unknown, or only the time at which the first packet is decoded, it is the first frame.
    [[nodiscard]] std::optional<std::int64_t> ticks_of(const AVFrame& av_frame) const;
    // Returns the loop iteration of the frame, from 0, counted since the input was opened or sought.
    [[nodiscard]] std::int64_t iteration_of(const AVFrame& av_frame) const;

    [[nodiscard]] double tick() const { return av_q2d(stream_.time_base); }  // seconds
    [[nodiscard]] double fps() const { return fps_; }                        // 0: unknown
    // Returns the ticks between two frames, at least 1; 0.04 s for streams of unknown rate.
    [[nodiscard]] std::int64_t step() const;
    // Returns the start of the stream on the clock of the container; 0 if it is unknown.
    [[nodiscard]] std::int64_t start() const { return start_.value_or(0); }
    // Returns the end of the last packet on that clock, since the input was opened or sought.
    [[nodiscard]] std::optional<std::int64_t> end() const { return progress_.end; }
    [[nodiscard]] std::int64_t num_packets() const { return progress_.packets; }
    // Returns how often the clock of the packets read so far jumped back. The times of later frames are then exact only
    // when reading from the start.
    [[nodiscard]] std::int64_t num_jumps() const { return jumps_; }
    // Returns true if all packets so far are those of the file, from the first one on, and of the first iteration.
    [[nodiscard]] bool is_from_start() const { return progress_.first == first_packet_ && progress_.iterations == 0; }

    // Returns true if the file can be read again from the first packet: it was read from the start, all packets have
    // times, and its first frames need no earlier frames. (If they do, packets have earlier times than the first frame.)
    [[nodiscard]] bool can_loop() const;
    // Returns the time to seek to for the first packet.
    [[nodiscard]] std::int64_t first_packet_time() const { return first_packet_time_; }
    // Returns true if the packet, as read, is the first one of the file; the next iteration then begins with it.
    [[nodiscard]] bool begin_iteration(const AVPacket& packet);
    // Begins again after a seek to this time.
    void begin_near(std::int64_t time);

private:
    // Identifies a packet of the file. (The dts is not suitable: a demuxer may estimate another one after a seek.)
    struct PacketId {
        std::int64_t pts = 0;
        std::int64_t position = 0;
        bool operator==(const PacketId&) const = default;
    };
    // Packets and frames since the file was opened or sought.
    struct Progress {
        std::optional<PacketId> first;
        std::optional<std::int64_t> lowest_pts;
        std::int64_t highest_pts = 0;
        std::optional<std::int64_t> end;          // the highest time + duration of a packet
        std::optional<std::int64_t> first_frame;  // time of the first frame
        bool untimed = false;                     // a packet had no time stamp
        std::int64_t packets = 0;
        std::int64_t iterations = 0;  // loop iterations that have ended
        std::int64_t period = 0;      // duration of an iteration; 0 before the end of the first one
    };

    AVFormatContext& format_;
    AVStream& stream_;
    double fps_ = 0;
    double frame_step_ = 0;  // as frame_step_of
    std::optional<std::int64_t> start_;
    bool starts_undelayed_ = false;  // start_ is the time at which the first packet is decoded (AVI)
    std::int64_t delay_ = 0;         // ticks from there to the first frame
    PacketClock packets_;
    std::int64_t jump_ticks_ = 0;  // added to the clock after it jumped back
    std::int64_t jumps_ = 0;
    Progress progress_;
    std::optional<PacketId> first_packet_;  // of the file
    std::int64_t first_packet_time_ = 0;
};

}  // namespace throng
