// The loop of the decode thread: reads the source as playback allows and pushes the frames into the frame queue.
// Resumes the source in host memory when the device that held its frames has failed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/base/in_flight_limiter.h"
#include "core/base/latest_value.h"
#include "core/pipeline/frame_queue.h"
#include "core/pipeline/playback.h"
#include "core/video/source.h"

namespace throng {

struct FrameTrace;

class DecodeLoop {
public:
    struct Options {
        // Null: every frame is decoded, and a full queue replaces its oldest frame. Otherwise a frame is decoded once
        // there is a permit for it, and pushed without a loss.
        InFlightLimiter* limiter = nullptr;
        bool keeps_open = false;      // wait for a seek after the end of the source
        std::int64_t max_frames = 0;  // 0: all
        int source_number = 1;        // for FrameResult
        // Called on the decode thread for each frame that is due, before it is queued. Optional.
        std::function<void(const DecodedFrame&)> on_frame;
    };
    // State of the source after its last read.
    struct Status {
        SourceInfo info;
        Message notice;
        std::string incomplete;
        std::uint64_t decoded = 0;
        std::uint64_t replaced = 0;  // frames that the source itself replaced with newer ones
        std::uint64_t reconnects = 0;
    };

    DecodeLoop(std::unique_ptr<VideoSource> source, Playback& playback, FrameQueue& frame_queue,
               const Options& options);

    // The thread function. Returns after a stop request.
    void run(const std::stop_token& stop);

    // Both may be called from any thread.
    [[nodiscard]] Status status() const;
    // Writes the number of lost frames and of reconnections.
    void count_losses(FrameTrace& trace) const;
    [[nodiscard]] std::optional<Error> failure() const;  // of the source, once the queue is closed

    // Describes the frames whose results were delivered: their number, and the last one.
    struct Delivered {
        std::int64_t count = 0;
        std::int64_t index = -1;
        double pts = 0;
        std::chrono::steady_clock::time_point decoded{};
    };
    // Called from the detect thread. Discards the queued frames and resumes the source in host memory after the last
    // delivered frame, or at the position of a seek since that frame. Blocks until the source has resumed. Returns
    // false if the source cannot resume or a stop was requested.
    [[nodiscard]] bool resume_on_host(const Delivered& delivered);

private:
    struct Seek {
        double seconds;
        std::chrono::steady_clock::time_point taken;
    };

    void decode(const std::stop_token& stop);
    [[nodiscard]] bool await_resume(const std::stop_token& stop);
    void note_source();

    std::unique_ptr<VideoSource> source_;  // used by the decode thread only
    Playback& playback_;
    FrameQueue& queue_;
    const Options options_;
    std::int64_t num_pushed_ = 0;    // used by the decode thread only
    std::optional<Seek> last_seek_;  // used by the decode thread only

    LatestValue<Delivered> resume_requests_;
    LatestValue<bool> resume_results_;  // closed when run returns

    mutable std::mutex mutex_;  // guards all members below
    Status status_;
    std::optional<Error> failure_;
    std::stop_source run_stop_;  // stops only the current call of decode
};

}  // namespace throng
