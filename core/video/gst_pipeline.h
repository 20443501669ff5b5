// A running GStreamer pipeline, whose appsink gives the frames.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/video/live_source.h"

namespace throng {

struct GstObjects;
class GstDeviceMemory;

// Frames are not copied: a frame holds its buffer of the pipeline, until its last reader is done. Formats without a
// counterpart in PixelFormat are converted by FrameMaker, as those of every other source.
class GstPipeline final : public LiveInput {
public:
    // request.url: a pipeline in the syntax of gst-launch-1.0 with one appsink. Waits until it delivers (prerolls); a
    // live one does not preroll. Throws Error(unavailable) without GStreamer, Error(usage) for a pipeline that cannot
    // be parsed or has no or several appsinks, Error(input) with GStreamer's text for one that does not start within
    // request.source.open_timeout, and Error(interrupted) after a stop request. memory: that of all connections of a source.
    // host_url: the pipeline that continues, with a jump of the clock, from a frame in NVMM on that cannot be read; empty:
    // such a frame is an error.
    GstPipeline(const MediaRequest& request, std::shared_ptr<GstDeviceMemory> memory, const std::stop_token& stop,
                std::string host_url = {});
    // Stops the pipeline. One that does not stop within 2 s is abandoned, with its threads and memory.
    ~GstPipeline() override;

    MediaStatus next(MediaFrame& frame, const std::stop_token& stop) override;
    [[nodiscard]] Message read_error() const override { return error_; }
    [[nodiscard]] double waited_seconds() const override { return waited_.count(); }
    [[nodiscard]] int width() const override { return width_; }
    [[nodiscard]] int height() const override { return height_; }
    [[nodiscard]] std::string details(int width, int height) const override;
    [[nodiscard]] double fps() const override { return fps_; }
    [[nodiscard]] double tick() const override { return 1e-9; }
    [[nodiscard]] double step() const override { return fps_ > 0 ? 1 / fps_ : 0.04; }
    [[nodiscard]] std::int64_t num_jumps() const override { return jumps_; }

    // Returns true if the pipeline says that its frames come from a clock: a camera or a stream.
    [[nodiscard]] bool live() const { return live_; }
    [[nodiscard]] std::optional<double> duration() const;  // seconds, of the pipeline

private:
    // Makes and opens the pipeline of the request.
    void start(const std::stop_token& stop);
    // Replaces the pipeline by that of host_url_. Returns false if it does not start; error_ says why.
    [[nodiscard]] bool continue_on_host(const std::stop_token& stop);
    void open(const std::stop_token& stop);
    void close(std::chrono::milliseconds timeout);
    // Returns the first error on the bus since the last call, with passwords masked; empty if there is none within
    // the wait.
    [[nodiscard]] std::string bus_error(std::chrono::nanoseconds wait = {}) const;
    // Returns nothing for a frame after which the pipeline must continue on the host.
    std::optional<MediaFrame> frame_of(void* sample);

    MediaRequest request_;
    std::string host_url_;
    std::shared_ptr<GstDeviceMemory> memory_;
    std::shared_ptr<GstObjects> objects_;  // shared with a thread that GStreamer blocks
    bool live_ = false;
    int width_ = 0;
    int height_ = 0;
    double fps_ = 0;
    std::int64_t highest_ticks_ = 0;                   // since the last jump
    std::pair<std::uint64_t, std::uint64_t> segment_;  // that of the last frame: its start and its base
    std::int64_t jumps_ = 0;
    std::string format_;  // of the last frame, as GStreamer names it
    std::chrono::duration<double> waited_{};
    Message error_;
};

}  // namespace throng
