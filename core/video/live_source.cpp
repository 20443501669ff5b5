#include "core/video/live_source.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/latest_value.h"
#include "core/base/log.h"
#include "core/base/sleep.h"
#include "core/base/stopwatch.h"
#include "core/video/format_watch.h"
#include "core/video/media_reader.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kFirstPause{0.5};
constexpr Seconds kMaxPause{10};

// Calls a function. Returns what was short, threads, memory or descriptors: it may be there later. Else returns nothing.
Message shortage_in(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::bad_alloc&) {
        return current_error().problem();
    } catch (const std::system_error&) {
        return current_error().problem();
    }
    return {};
}

class LiveSource final : public VideoSource {
public:
    LiveSource(const MediaRequest& request, std::unique_ptr<LiveInput> input, OpenLiveInput open)
        : request_(request), open_(std::move(open)), maker_(request.source) {
        info_.name = request.shown;
        info_.width = input->width();
        info_.height = input->height();
        info_.details = input->details(info_.width, info_.height);
        info_.fps = input->fps();
        info_.live = true;
        thread_ = std::jthread(
            [this, first = std::move(input)](const std::stop_token& stop) mutable { run(std::move(first), stop); });
    }

    ReadStatus read(Frame& frame, std::stop_token stop) override {
        if (!unasked_) unasked_ = newest_.dropped();
        Decoded decoded;
        const PopStatus status = newest_.pop(decoded, stop, kReadWait);
        if (status == PopStatus::closed && failure_) throw Error(*failure_);
        if (status == PopStatus::closed) return ReadStatus::end;
        if (status != PopStatus::value) return ReadStatus::timeout;
        frame = std::move(decoded.frame);
        decode_ms_ = decoded.decode_ms;
        return format_.status_of(frame);
    }

    bool resume_on_host(std::int64_t, double) override {
        thread_.request_stop();
        thread_.join();
        request_.source.decoder = DecoderKind::software;
        request_.source.prefer_device_frames = false;
        maker_.disable_device_frames();
        newest_.clear();
        failure_.reset();
        thread_ = std::jthread([this](const std::stop_token& stop) { run(nullptr, stop); });
        return true;
    }

    [[nodiscard]] SourceInfo info() const override {
        const std::lock_guard lock(mutex_);
        return info_;
    }
    [[nodiscard]] Message notice() const override {
        const std::lock_guard lock(mutex_);
        return notice_;
    }
    [[nodiscard]] std::optional<double> decode_ms() const override { return decode_ms_; }
    [[nodiscard]] std::uint64_t replaced() const override { return unasked_ ? newest_.dropped() - *unasked_ : 0; }
    [[nodiscard]] std::uint64_t reconnects() const override { return reconnects_; }

private:
    struct Decoded {
        Frame frame;
        double decode_ms = 0;
    };
    void run(std::unique_ptr<LiveInput> input, const std::stop_token& stop);
    struct StreamError {
        Message what;
        bool clean_end = false;   // the sender closed cleanly
        bool sent_again = false;  // the sender restarted the same file
    };
    StreamError play(LiveInput& input, const std::stop_token& stop);
    std::unique_ptr<LiveInput> reconnect(StreamError error, const std::stop_token& stop);
    void publish(const LiveInput& input, MediaFrame decoded, Clock::time_point begin);
    double time_of(const LiveInput& input, std::optional<std::int64_t> ticks, Clock::time_point now);
    void set_notice(Message notice);

    // Used only by the thread while it runs.
    MediaRequest request_;
    OpenLiveInput open_;
    FrameMaker maker_;
    std::int64_t next_index_ = 0;
    double last_pts_ = -1;
    std::optional<Clock::time_point> first_frame_;  // arrival of the first frame of all connections
    double connection_pts_ = 0;                     // pts of this connection's first frame
    std::optional<double> connection_start_;        // stream time of that frame
    std::int64_t jumps_ = 0;                        // of the clock of this connection, seen so far
    std::optional<Clock::time_point> connected_;    // when that frame arrived
    int attempts_ = 0;                              // since the last lasting connection
    int failures_ = 0;                              // since the last connection with a frame
    std::uint64_t ended_file_ = 0;                  // first packet hash of a connection that ended cleanly

    // Used only by the caller of read.
    FormatWatch format_;
    std::optional<double> decode_ms_;
    std::optional<std::uint64_t> unasked_;  // frames replaced before the first read

    std::atomic<std::uint64_t> reconnects_ = 0;
    LatestValue<Decoded> newest_;   // closed at the end of the source
    std::optional<Error> failure_;  // set by the thread before it closes newest_

    mutable std::mutex mutex_;  // guards the members below, except thread_
    SourceInfo info_;
    Message notice_;

    std::jthread thread_;  // last member: joined before the others are destroyed
};

void LiveSource::run(std::unique_ptr<LiveInput> input, const std::stop_token& stop) {
    try {
        if (!input) input = reconnect({"continuing with the software decoder"}, stop);
        while (input && !stop.stop_requested()) {
            StreamError error;
            if (Message shortage = shortage_in([&] { error = play(*input, stop); }); !shortage.empty())
                error = {shortage};
            ended_file_ = error.clean_end ? input->first_packet_hash() : 0;
            input.reset();  // closes the old connection before a new one is made
            if (error.sent_again) {
                set_notice(joined("the stream has ended", "the sender restarts it from the same frame"));
                break;
            }
            if (!stop.stop_requested()) input = reconnect(std::move(error), stop);
        }
    } catch (const Error& failure) {
        failure_ = failure;
    } catch (const std::exception&) {
        const Error failure = current_error();
        failure_.emplace(failure.kind(), failure.problem(), request_.shown, failure.advice());
    }
    newest_.close();
}

// Decodes until an error or the end of the stream. Returns the reason.
LiveSource::StreamError LiveSource::play(LiveInput& input, const std::stop_token& stop) {
    connection_start_.reset();
    jumps_ = 0;
    connected_.reset();
    while (!stop.stop_requested()) {
        MediaFrame decoded;
        const auto begin = Clock::now();
        const MediaStatus status = input.next(decoded, stop);
        if (ended_file_ != 0 && input.first_packet_hash() == ended_file_) return {{}, true, true};
        switch (status) {
            case MediaStatus::read: publish(input, std::move(decoded), begin); break;
            case MediaStatus::end:
                if (const Message error = input.read_error(); !error.empty()) return {error};
                return {"the stream ended", true};
            case MediaStatus::stalled: return {{"no data for %1 s", short_number(request_.source.read_timeout)}};
            case MediaStatus::broken: return {input.read_error()};
            case MediaStatus::stopped: return {};
        }
    }
    return {};
}

void LiveSource::publish(const LiveInput& input, MediaFrame decoded, Clock::time_point begin) {
    const auto now = Clock::now();
    const double pts = time_of(input, decoded.ticks, now);
    const Frame frame = make_frame(maker_, std::move(decoded), next_index_++, pts, now);
    if (!connected_) {
        connected_ = now;
        input.remember_decoder(request_);
    }
    failures_ = 0;
    if (now - *connected_ >= kLastingConnection) attempts_ = 0;
    const double worked_ms = milliseconds_since(begin) - 1e3 * input.waited_seconds();
    {
        const std::lock_guard lock(mutex_);
        info_.width = frame.width();
        info_.height = frame.height();
        info_.details = input.details(frame.width(), frame.height());
        notice_ = {};
    }
    newest_.push({frame, std::max(worked_ms, 0.0)});
}

// Returns seconds since the first frame, by the clock of the stream. Each connection is aligned to local time, and so is
// a clock that jumped back. Never decreases.
double LiveSource::time_of(const LiveInput& input, std::optional<std::int64_t> ticks, Clock::time_point now) {
    if (!first_frame_) first_frame_ = now;
    const double local_time = Seconds(now - *first_frame_).count();
    const double stream_time = static_cast<double>(ticks.value_or(0)) * input.tick();
    const bool jumped = std::exchange(jumps_, input.num_jumps()) != input.num_jumps();
    if (!connection_start_ || jumped) {
        connection_start_ = stream_time;
        connection_pts_ = last_pts_ < 0 ? local_time : std::max(local_time, last_pts_ + input.step());
    }
    double pts = ticks ? connection_pts_ + stream_time - *connection_start_ : local_time;
    constexpr double kMinStep = 1e-4;
    if (last_pts_ >= 0) pts = std::max(pts, last_pts_ + kMinStep);
    last_pts_ = std::max(pts, 0.0);
    return last_pts_;
}

// Retries until the stream is open. Returns null after a stop request, or at a clean end if no reconnection is allowed.
// Throws the last error when all attempts are used. Attempts count from the last lasting connection, so a sender that
// accepts and then drops every connection does not cause endless retries.
std::unique_ptr<LiveInput> LiveSource::reconnect(StreamError error, const std::stop_token& stop) {
    if (error.clean_end && request_.source.reconnects == 0) return nullptr;
    Message reason = std::move(error.what);
    logger().warn("{}: {}", request_.shown, reason.text());
    while (request_.source.reconnects < 0 || attempts_ < request_.source.reconnects) {
        ++attempts_;
        set_notice(joined(reason, {"reconnecting, attempt %1", attempts_}));
        if (!sleep_for(std::min(kFirstPause * std::exp2(std::min(failures_++, 10)), kMaxPause), stop)) return nullptr;
        try {
            std::unique_ptr<LiveInput> input;
            reason = shortage_in([&] { input = open_(request_, stop); });
            if (input) {
                logger().info("{}: reconnected", request_.shown);
                ++reconnects_;
                set_notice("reconnected, waiting for a frame");
                return input;
            }
        } catch (const Error& failure) {
            if (!stop.stop_requested() && failure.kind() != ErrorKind::input) throw;
            reason = failure.problem();
        }
        if (stop.stop_requested()) return nullptr;
        logger().debug("{}: {}", request_.shown, reason.text());
    }
    throw Error(ErrorKind::input, joined(reason, "reconnecting failed"), request_.shown,
                "check the device or the sender, then open the source again");
}

void LiveSource::set_notice(Message notice) {
    const std::lock_guard lock(mutex_);
    notice_ = std::move(notice);
}

}  // namespace

std::unique_ptr<VideoSource> make_live_source(const MediaRequest& request, std::unique_ptr<LiveInput> input,
                                              OpenLiveInput open) {
    return std::make_unique<LiveSource>(request, std::move(input), std::move(open));
}

}  // namespace throng
