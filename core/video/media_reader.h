// Opens any input that FFmpeg supports and returns the decoded frames of its first video stream, in display order.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/frame/frame.h"
#include "core/video/av.h"
#include "core/video/damage_watch.h"
#include "core/video/decoders.h"
#include "core/video/demuxer.h"
#include "core/video/frame_maker.h"
#include "core/video/media_input.h"

namespace throng {

struct MediaFrame {
    av::FramePtr av_frame;
    std::optional<std::int64_t> ticks;        // as StreamClock::ticks_of
    std::int64_t iteration = 0;               // of the loop, as StreamClock::iteration_of
    bool damaged = false;                     // as DamageWatch
    std::shared_ptr<DeviceConverter> device;  // if set, the planes are NV12 in its memory
    bool padding_for_alpha = false;           // a fourth channel is no alpha channel, whatever FFmpeg calls it
    Orientation orientation;

    [[nodiscard]] int width() const { return orientation.transpose ? av_frame->height : av_frame->width; }
    [[nodiscard]] int height() const { return orientation.transpose ? av_frame->width : av_frame->height; }
};

// Converts the frame and gives it its timing. pts: seconds.
[[nodiscard]] Frame make_frame(FrameMaker& maker, MediaFrame decoded, std::int64_t index, double pts,
                               std::chrono::steady_clock::time_point arrival = std::chrono::steady_clock::now());

// One connection of a live source, from its opening to its end or failure. Used by one thread.
class LiveInput {
public:
    LiveInput() = default;
    LiveInput(const LiveInput&) = delete;
    LiveInput& operator=(const LiveInput&) = delete;
    virtual ~LiveInput() = default;

    // Waits for the next frame, at most MediaRequest::source.read_timeout.
    [[nodiscard]] virtual MediaStatus next(MediaFrame& frame, const std::stop_token& stop) = 0;
    // Returns why next returned `broken`, or an end that is a failure. Empty: the sender ended.
    [[nodiscard]] virtual Message read_error() const = 0;
    // Returns how many seconds of the last call of next were spent waiting for data.
    [[nodiscard]] virtual double waited_seconds() const = 0;

    [[nodiscard]] virtual int width() const = 0;  // of the next frame in pixels; 0: unknown
    [[nodiscard]] virtual int height() const = 0;
    [[nodiscard]] virtual std::string details(int width, int height) const = 0;  // as SourceInfo::details
    [[nodiscard]] virtual double fps() const = 0;                                // 0: unknown
    [[nodiscard]] virtual double tick() const = 0;                               // seconds of MediaFrame::ticks
    [[nodiscard]] virtual double step() const = 0;                               // seconds between two frames
    [[nodiscard]] virtual std::int64_t num_jumps() const { return 0; }           // of the clock, back
    // As Demuxer::first_packet_hash; 0: unknown.
    [[nodiscard]] virtual std::uint64_t first_packet_hash() const { return 0; }
    // As MediaReader::remember_decoder.
    virtual void remember_decoder(MediaRequest&) const {}
};

// Not thread-safe.
class MediaReader final : public LiveInput {
public:
    // Throws Error(input) if the input cannot be opened or has no video, Error(interrupted) after a stop request, and
    // the errors of open_decoder.
    MediaReader(const MediaRequest& request, const std::stop_token& stop);

    // Decodes the next frame. Damaged packets are skipped and counted.
    [[nodiscard]] MediaStatus next(MediaFrame& frame, const std::stop_token& stop) override;
    // As Demuxer::seek_key_frame.
    [[nodiscard]] bool seek_key_frame(double seconds);
    // If set, and if looping is safe, the first frame follows the last one: the decoder continues with the first packet
    // without a flush. (A flush makes FFmpeg initialize a hardware decoder again.)
    void set_loop(bool loop) { loop_ = loop; }

    [[nodiscard]] const Demuxer& input() const { return demuxer_; }
    [[nodiscard]] const StreamClock& clock() const { return demuxer_.clock(); }
    // As DamageWatch::count.
    [[nodiscard]] std::uint64_t damaged() const { return damage_.count(); }
    // Call after the first frame: whoever opens this request again begins with the decoder that returned it.
    void remember_decoder(MediaRequest& request) const override;

    [[nodiscard]] Message read_error() const override { return demuxer_.read_error(); }
    [[nodiscard]] double waited_seconds() const override { return demuxer_.waited_seconds(); }
    [[nodiscard]] int width() const override { return demuxer_.stream().codecpar->width; }
    [[nodiscard]] int height() const override { return demuxer_.stream().codecpar->height; }
    [[nodiscard]] std::string details(int width, int height) const override;
    [[nodiscard]] double fps() const override { return clock().fps(); }
    [[nodiscard]] double tick() const override { return clock().tick(); }
    [[nodiscard]] double step() const override { return static_cast<double>(clock().step()) * tick(); }
    [[nodiscard]] std::int64_t num_jumps() const override { return clock().num_jumps(); }
    [[nodiscard]] std::uint64_t first_packet_hash() const override { return demuxer_.first_packet_hash(); }

private:
    struct SentPacket {
        av::PacketPtr packet;
        std::uint64_t failures = 0;  // Demuxer::num_failures when it was read
    };

    // A decoder in hardware may open and still not decode the stream. Until its first frame, its packets are kept: the next
    // one in the table begins with the same ones, so no frame is lost, whether the input can be read again or not.
    [[nodiscard]] bool on_trial() const { return decoder_.row->hardware && !trial_over_; }
    // Returns true if another decoder may take over. One that was asked for by its name fails alone.
    [[nodiscard]] bool automatic() const { return request_.source.decoder == DecoderKind::automatic; }
    // Returns true if a decoder on trial that fails at the end of the input is to blame, and not the input.
    [[nodiscard]] bool fails_at_end() const {
        return on_trial() && !sent_.empty() && (automatic() || reports_device());
    }
    void end_trial();
    // Keeps a packet of a decoder on trial. sent: what the decoder said to it.
    void judge(av::PacketPtr packet, int sent);
    // With a device below FFmpeg's own decoder, an error is that of the stream, which may begin between key frames.
    [[nodiscard]] bool reports_device() const { return decoder_.codec->hw_device_ctx == nullptr; }
    // Opens the next decoder. Throws Error(unavailable) if this one was asked for by its name, and as open_decoder.
    void pass_over(const std::string& why);
    void open(const OpenDecoder* after);
    // Sends one packet to the decoder, or the end. Returns `read` if the decoder may have a frame, or why the frames end.
    [[nodiscard]] MediaStatus feed(const std::stop_token& stop);
    // Returns the next packet that the decoder has not got: one that another decoder had, or from the input.
    [[nodiscard]] MediaStatus next_packet(av::PacketPtr& packet, const std::stop_token& stop);
    [[nodiscard]] Orientation orientation_of_frame(const AVFrame& av_frame) const;

    MediaRequest request_;
    Demuxer demuxer_;
    DamageWatch damage_;
    OpenDecoder decoder_;
    std::deque<SentPacket> sent_;         // on trial
    std::deque<SentPacket> unsent_;       // that a decoder on trial had
    std::size_t num_before_key_ = 0;      // of sent_: packets that no decoder can begin with
    const DecoderRow* failed_ = nullptr;  // the decoder that was passed over last
    std::uint64_t failures_seen_ = 0;     // of demuxer_, that damage_ has
    bool draining_ = false;
    bool loop_ = false;
    bool padding_for_alpha_ = false;
    bool trial_over_ = false;  // of this decoder
};

}  // namespace throng
