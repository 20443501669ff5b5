#include "core/pipeline/decode_loop.h"

#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/pipeline/frame_result.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

DecodeLoop::DecodeLoop(std::unique_ptr<VideoSource> source, Playback& playback, FrameQueue& frame_queue,
                       const Options& options)
    : source_(std::move(source)), playback_(playback), queue_(frame_queue), options_(options) {
    status_.info = source_->info();
}

void DecodeLoop::run(const std::stop_token& stop) {
    do {
        std::stop_source run_stop;
        const std::stop_callback chained(stop, [&run_stop] { run_stop.request_stop(); });
        {
            const std::lock_guard lock(mutex_);
            run_stop_ = run_stop;
        }
        try {
            decode(run_stop.get_token());
        } catch (...) {
            const Error error = current_error();
            note_source();
            const std::lock_guard lock(mutex_);
            if (error.kind() != ErrorKind::interrupted || !run_stop.stop_requested()) failure_ = error;
        }
        queue_.close();
    } while (await_resume(stop));
    resume_results_.close();
}

void DecodeLoop::decode(const std::stop_token& stop) {
    std::int64_t num_since_rewind = 0;
    bool sought_since_rewind = false;
    while (!stop.stop_requested()) {
        if (const std::optional<double> seconds = playback_.take_seek()) {
            last_seek_ = {*seconds, Clock::now()};
            source_->seek(*seconds);
            sought_since_rewind = true;
            queue_.clear();
        }
        DecodedFrame decoded;
        if (options_.limiter != nullptr) {
            decoded.permit = options_.limiter->acquire(stop);
            if (!decoded.permit) return;
        }
        source_->set_loop(playback_.loop());
        const Clock::time_point start = Clock::now();
        const ReadStatus status = source_->read(decoded.frame, stop);
        note_source();
        if (status == ReadStatus::timeout) continue;
        if (status == ReadStatus::end) {
            // A still image has nothing to loop: it would be read again at full speed.
            const bool is_still = options_.keeps_open && num_since_rewind == 1 && !sought_since_rewind;
            if (playback_.loop() && !is_still && num_since_rewind > 0 && source_->seek(0)) {
                num_since_rewind = 0;
                sought_since_rewind = false;
                continue;
            }
            queue_.close();
            if (!options_.keeps_open || num_since_rewind == 0 || !playback_.wait_after_end(!is_still, stop)) return;
            continue;
        }
        ++num_since_rewind;
        decoded.decoded = Clock::now();
        decoded.decode_ms = source_->decode_ms().value_or(milliseconds_since(start));
        decoded.source = source_->current_name();
        decoded.source_number = options_.source_number;
        {
            const std::lock_guard lock(mutex_);
            ++status_.decoded;
        }
        const FrameInfo& info = decoded.frame.info();
        if (!playback_.admit(info.pts, stop)) continue;
        // The latency of a paced file counts from the time at which the frame was due.
        if (options_.keeps_open) decoded.frame = decoded.frame.with_timing(info.index, info.pts, Clock::now());
        if (options_.on_frame) options_.on_frame(decoded);
        if (options_.limiter != nullptr) {
            queue_.push(std::move(decoded), stop);  // never full: its frames have permits
        } else {
            queue_.replace(std::move(decoded));
        }
        ++num_pushed_;
        if (options_.limiter != nullptr && num_pushed_ == options_.max_frames) return;
    }
}

void DecodeLoop::note_source() {
    SourceInfo info = source_->info();
    Message notice = source_->notice();
    std::string incomplete = source_->incomplete();
    const std::uint64_t replaced = source_->replaced();
    const std::uint64_t reconnects = source_->reconnects();
    const std::lock_guard lock(mutex_);
    status_.info = std::move(info);
    status_.notice = std::move(notice);
    status_.incomplete = std::move(incomplete);
    status_.replaced = replaced;
    status_.reconnects = reconnects;
}

// Called after the end of the source. Waits for a resume or a stop request; returns true after a resume.
bool DecodeLoop::await_resume(const std::stop_token& stop) {
    Delivered delivered;
    if (resume_requests_.pop(delivered, stop) != PopStatus::value) return false;
    queue_.clear();
    num_pushed_ = delivered.count;
    bool resumed = false;
    std::optional<Error> failure;
    try {
        resumed = source_->resume_on_host(delivered.index, delivered.pts);
    } catch (...) {
        failure = current_error();
    }
    const bool seek_lost = last_seek_ && last_seek_->taken > delivered.decoded;
    playback_.admit_again(seek_lost ? std::optional(last_seek_->seconds) : std::nullopt);
    {
        const std::lock_guard lock(mutex_);
        failure_ = std::move(failure);
    }
    resume_results_.push(resumed);
    return true;
}

DecodeLoop::Status DecodeLoop::status() const {
    const std::lock_guard lock(mutex_);
    return status_;
}

void DecodeLoop::count_losses(FrameTrace& trace) const {
    const std::uint64_t dropped = queue_.dropped();
    const std::lock_guard lock(mutex_);
    trace.dropped = dropped + status_.replaced;
    trace.reconnects = status_.reconnects;
}

std::optional<Error> DecodeLoop::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

bool DecodeLoop::resume_on_host(const Delivered& delivered) {
    {
        const std::lock_guard lock(mutex_);
        run_stop_.request_stop();  // before the request, which starts the next call of decode
    }
    resume_requests_.push(delivered);
    bool resumed = false;
    return resume_results_.pop(resumed) == PopStatus::value && resumed;
}

}  // namespace throng
