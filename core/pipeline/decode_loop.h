// The decode thread's work: reads the source as playback allows, hands frames over, and starts the source again in host
// memory when the device that held its frames is lost.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/pipeline/frame_queue.h"
#include "core/pipeline/in_flight_limiter.h"
#include "core/pipeline/playback.h"
#include "core/video/source.h"

namespace throng {

class DecodeLoop {
public:
    struct Options {
        InFlightLimiter* limiter = nullptr;  // null: every frame is decoded and the queue keeps the newest
        bool keeps_open = false;             // after the end it waits for a seek
        std::int64_t max_frames = 0;         // 0: all
        int source_number = 1;               // for FrameResult
    };
    // What the source told after its last frame.
    struct Status {
        SourceInfo info;
        std::string notice;
        std::string incomplete;
        std::uint64_t decoded = 0;
        std::uint64_t replaced = 0;  // frames that the source itself replaced by newer ones
    };

    DecodeLoop(std::unique_ptr<VideoSource> source, Playback& playback, FrameQueue& frame_queue,
               const Options& options);

    // The thread's function: until a stop is asked for.
    void run(const std::stop_token& stop);

    // From any thread.
    [[nodiscard]] Status status() const;
    [[nodiscard]] std::optional<Error> failure() const;  // of the source, once the hand-over has ended

    // From the detect thread: forgets what was handed over and lets the source go on in host memory behind the frame
    // with this number and time (number -1: from its start). `done` frames count against max_frames. Waits until that
    // is so; false where the source cannot, or a stop was asked for.
    [[nodiscard]] bool resume_on_host(std::int64_t index, double pts, std::int64_t done);

private:
    struct Resume {
        std::int64_t index;
        double pts;
        std::int64_t done;
    };

    void decode(const std::stop_token& stop);
    [[nodiscard]] bool await_resume(const std::stop_token& stop);
    void note_source();

    std::unique_ptr<VideoSource> source_;  // the decode thread's
    Playback& playback_;
    FrameQueue& queue_;
    const Options options_;
    std::int64_t handed_over_ = 0;  // the decode thread's

    mutable std::mutex mutex_;  // for all that follows
    std::condition_variable_any changed_;
    Status status_;
    std::optional<Error> failure_;
    std::optional<Resume> resume_;
    bool resumed_ = false;  // how the last resume ended
    bool over_ = false;
    std::stop_source run_stop_;  // ends the present round of decode alone
};

}  // namespace throng
