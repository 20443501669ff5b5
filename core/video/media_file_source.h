// A video file, or a stream with an end: every frame once, in order, seekable where the container is.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/video/exact_frame.h"
#include "core/video/format_watch.h"
#include "core/video/frame_clock.h"
#include "core/video/frame_maker.h"
#include "core/video/media_reader.h"
#include "core/video/source.h"

namespace throng {

// Has two modes, which are not mixed: read returns the frames of a VideoSource, read_exact those for writing the file
// again. Both have the same frames with the same pts.
class MediaFileSource final : public VideoSource {
public:
    // Opens a regular file for read_exact. Decodes in software: hardware decoders differ in what they return for damaged
    // files. Both constructors decode the first frame, so that a file without frames is rejected. Throw like open_source.
    MediaFileSource(const std::string& path, const std::stop_token& stop);
    // Takes a reader that has just been opened for this request; null: opens one.
    MediaFileSource(const MediaRequest& request, std::unique_ptr<MediaReader> reader, const std::stop_token& stop);

    ReadStatus read(Frame& frame, std::stop_token stop) override;
    bool seek(double seconds) override;
    void set_loop(bool loop) override { loop_ = loop; }
    bool resume_on_host(std::int64_t index, double pts) override;
    [[nodiscard]] SourceInfo info() const override;
    [[nodiscard]] Message notice() const override { return incomplete(); }
    [[nodiscard]] std::string incomplete() const override {
        return incomplete_text(earlier_damage_ + reader_->damaged(), early_end_);
    }

    // Returns false at the end and after a stop request. Throws Error(input) for a frame that cannot be converted.
    [[nodiscard]] bool read_exact(ExactFrame& frame, const std::stop_token& stop);
    // Moves to the first frame from `seconds` on: read_exact returns it, with the ticks of a reader that read all
    // frames. Returns the frame before it, if there is one. Call at most once, before read_exact. Throws as that does,
    // and Error(interrupted) after a stop request.
    [[nodiscard]] std::optional<Frame> begin_at(double seconds, const std::stop_token& stop);
    // As the first frame has it. Only for the first constructor.
    [[nodiscard]] const VideoFormat& format() const { return format_; }
    // Returns how many time stamps were missing or not later than the previous one. Those frames follow the previous
    // one after one frame step, or after one tick. 0 if the stream has no time stamps at all, so that all were made
    // from the frame rate.
    [[nodiscard]] std::int64_t corrected_times() const {
        return has_times_ ? clock_.corrections() + reader_->clock().num_jumps() : 0;
    }

private:
    struct TimedFrame {
        MediaFrame media;
        std::int64_t ticks = 0;     // as FrameClock
        std::int64_t step = 0;      // ticks since the previous frame
        double pts = 0;             // seconds
        bool starts_again = false;  // the first frame of another loop iteration
    };
    // Returns the next frame: one that was decoded in advance, or from the decoder.
    [[nodiscard]] std::optional<TimedFrame> take(const std::stop_token& stop);
    [[nodiscard]] std::optional<TimedFrame> decode(const std::stop_token& stop);
    [[noreturn]] void reject(const std::stop_token& stop) const;
    void reopen();
    void position_before(double seconds, double step_back);
    void skip_to(double seconds, std::optional<TimedFrame> first);

    MediaRequest request_;
    std::unique_ptr<MediaReader> reader_;
    FrameMaker maker_;
    FormatWatch watch_;
    VideoFormat format_;
    std::deque<TimedFrame> pending_;  // decoded in advance: the first frame, and frames after a seek
    std::int64_t next_index_ = 0;
    FrameClock clock_;
    std::int64_t first_ticks_ = 0;  // of the first frame of the file
    bool has_times_ = false;
    bool jumped_ = false;         // the clock of the file jumped back somewhere
    std::int64_t iteration_ = 0;  // of the frame decoded last
    bool loop_ = false;           // applies to read only: a seek stops at the end
    int width_ = 0;
    int height_ = 0;
    std::uint64_t earlier_damage_ = 0;
    std::string early_end_;
    std::stop_token opener_stop_;
    std::stop_token stop_;  // of the opener, later of the last read; also ends reopening
};

}  // namespace throng
