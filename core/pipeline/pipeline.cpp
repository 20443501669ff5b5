#include "core/pipeline/pipeline.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/base/log.h"
#include "core/pipeline/frame_processor.h"
#include "core/pipeline/handover.h"
#include "core/pipeline/playback.h"
#include "core/pipeline/sink_list.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

// Results a second over the last second, or between the last two where they are further apart.
class RateMeter {
public:
    void tick(Clock::time_point now) {
        times_.push_back(now);
        while (times_.size() > 2 && now - times_.front() > std::chrono::seconds(1)) times_.pop_front();
    }
    [[nodiscard]] double rate() const {
        if (times_.size() < 2 || times_.back() == times_.front()) return 0;
        return static_cast<double>(times_.size() - 1) * 1e3 / milliseconds(times_.back() - times_.front());
    }

private:
    std::deque<Clock::time_point> times_;
};

}  // namespace

class Pipeline::Impl {
public:
    Impl(std::unique_ptr<VideoSource> source, std::shared_ptr<Backend> backend, const PipelineSettings& settings,
         const PipelineOptions& options)
        : options_(options),
          source_(std::move(source)),
          info_(source_->info()),
          live_(info_.live),
          keeps_newest_(live_ || options.real_time),
          lingers_(options.real_time && !live_),
          playback_({live_, options.real_time && !live_, options.loop, options.speed}),
          handover_(keeps_newest_ ? Handover::Policy::keep_newest : Handover::Policy::keep_all),
          backend_(std::move(backend)),
          backend_name_(backend_->name()),
          settings_(settings),
          statistics_(options.timing_window) {
        check_settings(settings);
    }

    ~Impl() { stop(); }

    void start();
    void stop();
    template <typename Wait>
    bool wait_until_over(Wait wait);
    void update(const PipelineSettings& settings);

    // Fixed after construction, or thread-safe themselves.
    const PipelineOptions options_;
    std::unique_ptr<VideoSource> source_;  // the decode thread's

private:
    friend class Pipeline;
    enum class Phase { idle, active, ended, failed };

    void decode_thread(std::stop_token stop);
    void decode(std::stop_token stop);
    void note_source();

    void detect_thread(std::stop_token stop);
    void detect(std::stop_token stop);
    void apply_pending_settings();
    FrameProcessor::Outcome run(DecodedFrame& frame);
    void fall_back(const Error& failure);
    void publish(const FrameProcessor::Outcome& outcome);
    void note_overflow(const FrameProcessor::Outcome& outcome);
    void enter_end();
    void fail(const Error& error);
    void wake();

    SourceInfo info_;
    const bool live_;
    const bool keeps_newest_;
    const bool lingers_;  // after its end a file in the window waits for a seek
    Playback playback_;
    Handover handover_;
    SinkList sinks_;

    // The detect thread's.
    PipelineSettings initial_settings_;
    std::shared_ptr<Backend> backend_;
    std::unique_ptr<FrameProcessor> processor_;
    bool fell_back_ = false;
    bool overflowing_ = false;

    mutable std::mutex mutex_;  // for all that follows, and for info_
    std::condition_variable over_;
    Phase phase_ = Phase::idle;
    std::optional<Error> source_failure_;
    std::optional<Error> failure_;
    struct {
        std::string source, backend, settings, overflow;
    } notices_;
    std::string backend_name_;
    PipelineSettings settings_;
    bool settings_pending_ = false;
    std::shared_ptr<const FrameResult> latest_;
    PipelineCounters counters_;
    std::uint64_t replaced_ = 0;  // frames that the source itself replaced by newer ones
    RateMeter rate_;
    StageStatistics statistics_;

    std::mutex wake_mutex_;
    std::function<void()> wake_;

    std::mutex threads_mutex_;  // of start and stop
    std::stop_source decode_stop_;
    std::stop_source detect_stop_;
    std::thread decode_thread_;
    std::thread detect_thread_;
};

// --- decode thread

void Pipeline::Impl::decode_thread(std::stop_token stop) {
    try {
        decode(stop);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        source_failure_ = current_error();
    }
    handover_.finish();
}

void Pipeline::Impl::decode(std::stop_token stop) {
    std::int64_t handed_over = 0;
    bool any_since_rewind = false;
    while (!stop.stop_requested()) {
        if (const std::optional<double> seconds = playback_.take_seek()) {
            source_->seek(*seconds);
            handover_.clear();
        }
        DecodedFrame decoded;
        const Clock::time_point start = Clock::now();
        const ReadStatus status = source_->read(decoded.frame, stop);
        note_source();
        if (status == ReadStatus::timeout) continue;
        if (status == ReadStatus::end) {
            if (playback_.loop() && any_since_rewind && source_->seek(0)) {
                any_since_rewind = false;
                continue;
            }
            handover_.finish();
            if (!lingers_ || !any_since_rewind || !playback_.wait_after_end(stop)) return;
            continue;
        }
        any_since_rewind = true;
        decoded.decode_ms = source_->decode_ms().value_or(milliseconds(Clock::now() - start));
        decoded.source = source_->current_name();
        {
            const std::lock_guard lock(mutex_);
            ++counters_.decoded;
        }
        const FrameInfo& info = decoded.frame.info();
        if (!playback_.admit(info.pts, stop)) continue;
        // The latency of a paced file counts from the moment its frame was due.
        if (lingers_) decoded.frame = decoded.frame.renumbered(info.index, info.pts, Clock::now());
        if (!handover_.put(std::move(decoded), stop)) return;
        ++handed_over;
        if (!keeps_newest_ && handed_over == options_.max_frames) return;
    }
}

void Pipeline::Impl::note_source() {
    SourceInfo info = source_->info();
    std::string notice = source_->notice();
    const std::uint64_t replaced = source_->replaced();
    const std::lock_guard lock(mutex_);
    info_ = std::move(info);
    replaced_ = replaced;
    notices_.source = std::move(notice);
}

// --- detect thread

void Pipeline::Impl::detect_thread(std::stop_token stop) {
    try {
        detect(stop);
    } catch (...) {
        fail(current_error());
    }
    decode_stop_.request_stop();
    if (const std::optional<Error> trouble = sinks_.close()) fail(*trouble);
    enter_end();
}

void Pipeline::Impl::detect(std::stop_token stop) {
    try {
        processor_ = std::make_unique<FrameProcessor>(backend_, initial_settings_);
    } catch (const Error& error) {
        fall_back(error);
    }
    DecodedFrame current;
    std::int64_t detected = 0;
    for (;;) {
        DecodedFrame next;
        switch (handover_.take(next, stop)) {
            case Handover::Taken::stopped: return;
            case Handover::Taken::ended: {
                {
                    const std::lock_guard lock(mutex_);
                    if (source_failure_) throw *source_failure_;
                }
                if (!lingers_) return;
                enter_end();
                continue;
            }
            case Handover::Taken::poked: {
                apply_pending_settings();
                const bool flows = [this] {
                    const std::lock_guard lock(mutex_);
                    return phase_ == Phase::active;
                }() && !playback_.paused();
                if (!flows && current.frame) publish(run(current));
                continue;
            }
            case Handover::Taken::frame: current = std::move(next); break;
        }
        apply_pending_settings();
        const FrameProcessor::Outcome outcome = run(current);
        {
            const std::lock_guard lock(mutex_);
            phase_ = Phase::active;  // again, after a seek back from the end
            ++counters_.detected;
            counters_.overflowed += outcome.overflowed ? 1 : 0;
            rate_.tick(Clock::now());
            statistics_.add(outcome.result->timings);
        }
        note_overflow(outcome);
        publish(outcome);
        sinks_.write(*outcome.result);
        if (++detected == options_.max_frames) return;
    }
}

void Pipeline::Impl::apply_pending_settings() {
    PipelineSettings wanted;
    {
        const std::lock_guard lock(mutex_);
        if (!std::exchange(settings_pending_, false)) return;
        wanted = settings_;
    }
    std::string trouble;
    try {
        processor_->apply(wanted);
    } catch (const Error& error) {
        trouble = error.what();
        spdlog::warn("{}", trouble);
    }
    const std::lock_guard lock(mutex_);
    notices_.settings = std::move(trouble);
    // What could not be applied is taken back, unless the user already asked for something else.
    if (!notices_.settings.empty() && !settings_pending_) settings_ = processor_->settings();
}

FrameProcessor::Outcome Pipeline::Impl::run(DecodedFrame& frame) {
    if (!fell_back_) {
        try {
            return processor_->run(frame, !live_);
        } catch (const Error& error) {
            fall_back(error);
        }
    }
    // The decoder goes on with frames in the first backend's memory.
    frame.frame = frame.frame.on_host();
    return processor_->run(frame, !live_);
}

void Pipeline::Impl::fall_back(const Error& failure) {
    const bool is_of_device = failure.kind() == ErrorKind::internal || failure.kind() == ErrorKind::unavailable;
    if (!is_of_device || !options_.fallback || fell_back_) throw failure;
    fell_back_ = true;
    const std::string lost = backend_->name();
    backend_ = options_.fallback();
    const PipelineSettings settings = processor_ ? processor_->settings() : initial_settings_;
    processor_ = std::make_unique<FrameProcessor>(backend_, settings);
    const std::string notice =
        "the " + lost + " backend failed, going on with " + backend_->name() + ": " + failure.what();
    spdlog::warn("{}", notice);
    const std::lock_guard lock(mutex_);
    backend_name_ = backend_->name();
    notices_.backend = notice;
}

void Pipeline::Impl::publish(const FrameProcessor::Outcome& outcome) {
    std::shared_ptr<const FrameResult> former = outcome.result;
    {
        const std::lock_guard lock(mutex_);
        latest_.swap(former);
    }
    wake();
}

void Pipeline::Impl::note_overflow(const FrameProcessor::Outcome& outcome) {
    const FrameResult& result = *outcome.result;
    if (outcome.overflowed && !overflowing_) {
        spdlog::warn("frame {} wanted {} detections, more than there was room for; {} of them are lost",
                     result.frame.info().index, result.raw_count, result.overflow);
    }
    overflowing_ = outcome.overflowed;
    const std::lock_guard lock(mutex_);
    notices_.overflow = result.overflow == 0 ? std::string()
                                             : std::to_string(result.overflow) + " of " +
                                                   std::to_string(result.raw_count) + " raw detections found no room";
}

void Pipeline::Impl::enter_end() {
    {
        const std::lock_guard lock(mutex_);
        phase_ = failure_ ? Phase::failed : Phase::ended;
    }
    over_.notify_all();
    wake();
}

// Appears as state failed once the sinks are closed.
void Pipeline::Impl::fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;  // the first one is the one to show
}

void Pipeline::Impl::wake() {
    const std::lock_guard lock(wake_mutex_);
    if (wake_) wake_();
}

// --- any thread

void Pipeline::Impl::start() {
    const std::lock_guard threads(threads_mutex_);
    {
        const std::lock_guard lock(mutex_);
        if (phase_ != Phase::idle) return;
        phase_ = Phase::active;
        initial_settings_ = settings_;
        settings_pending_ = false;
    }
    decode_thread_ = std::thread([this] { decode_thread(decode_stop_.get_token()); });
    detect_thread_ = std::thread([this] { detect_thread(detect_stop_.get_token()); });
}

void Pipeline::Impl::stop() {
    const std::lock_guard threads(threads_mutex_);
    decode_stop_.request_stop();
    if (decode_thread_.joinable()) decode_thread_.join();
    detect_stop_.request_stop();
    if (detect_thread_.joinable()) detect_thread_.join();
    // Nothing is left where the threads ran; sinks of a pipeline that never started, or added after its end, are closed
    // here.
    if (const std::optional<Error> trouble = sinks_.close()) fail(*trouble);
    {
        const std::lock_guard lock(mutex_);
        phase_ = failure_ ? Phase::failed : Phase::ended;
    }
    over_.notify_all();
}

template <typename Wait>
bool Pipeline::Impl::wait_until_over(Wait wait) {
    std::unique_lock lock(mutex_);
    return wait(lock, [this] { return phase_ != Phase::active; });
}

void Pipeline::Impl::update(const PipelineSettings& settings) {
    check_settings(settings);
    {
        const std::lock_guard lock(mutex_);
        settings_ = settings;
        settings_pending_ = true;
    }
    handover_.poke();
}

// --- the façade

Pipeline::Pipeline(std::unique_ptr<VideoSource> source, std::shared_ptr<Backend> backend,
                   const PipelineSettings& settings, const PipelineOptions& options)
    : impl_(std::make_unique<Impl>(std::move(source), std::move(backend), settings, options)) {}

Pipeline::~Pipeline() = default;

void Pipeline::add_sink(std::shared_ptr<ResultSink> sink) {
    impl_->sinks_.add(std::move(sink));
}
void Pipeline::remove_sink(const std::shared_ptr<ResultSink>& sink) {
    impl_->sinks_.remove(sink);
}

void Pipeline::start() {
    impl_->start();
}
void Pipeline::stop() {
    impl_->stop();
}

void Pipeline::wait() {
    impl_->wait_until_over([this](auto& lock, auto over) {
        impl_->over_.wait(lock, over);
        return true;
    });
}

bool Pipeline::wait_for(std::chrono::milliseconds timeout) {
    return impl_->wait_until_over([&](auto& lock, auto over) { return impl_->over_.wait_for(lock, timeout, over); });
}

std::shared_ptr<const FrameResult> Pipeline::latest() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->latest_;
}

void Pipeline::set_wake(std::function<void()> wake) {
    const std::lock_guard lock(impl_->wake_mutex_);
    impl_->wake_ = std::move(wake);
}

void Pipeline::update(const PipelineSettings& settings) {
    impl_->update(settings);
}

PipelineSettings Pipeline::settings() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->settings_;
}

void Pipeline::pause(bool paused) {
    impl_->playback_.pause(paused);
}
void Pipeline::step() {
    impl_->playback_.step();
}
void Pipeline::seek(double seconds) {
    impl_->playback_.seek(seconds);
}
void Pipeline::set_loop(bool loop) {
    impl_->playback_.set_loop(loop);
}
void Pipeline::set_speed(double speed) {
    impl_->playback_.set_speed(speed);
}

PipelineState Pipeline::state() const {
    const bool paused = impl_->playback_.paused();
    const std::lock_guard lock(impl_->mutex_);
    switch (impl_->phase_) {
        case Impl::Phase::idle: return PipelineState::idle;
        case Impl::Phase::active: return paused ? PipelineState::paused : PipelineState::running;
        case Impl::Phase::ended: return PipelineState::ended;
        case Impl::Phase::failed: return PipelineState::failed;
    }
    return PipelineState::failed;
}

std::optional<Error> Pipeline::failure() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->failure_;
}

std::string Pipeline::notice() const {
    const std::lock_guard lock(impl_->mutex_);
    std::string line;
    for (const std::string* part :
         {&impl_->notices_.backend, &impl_->notices_.settings, &impl_->notices_.source, &impl_->notices_.overflow}) {
        if (!line.empty() && !part->empty()) line += "; ";
        line += *part;
    }
    return line;
}

SourceInfo Pipeline::source_info() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->info_;
}

PipelineCounters Pipeline::counters() const {
    const std::uint64_t dropped = impl_->handover_.dropped();
    const std::lock_guard lock(impl_->mutex_);
    PipelineCounters counters = impl_->counters_;
    counters.decoded += impl_->replaced_;
    counters.dropped = dropped + impl_->replaced_;
    counters.fps = impl_->rate_.rate();
    return counters;
}

std::vector<StageSummary> Pipeline::timings() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->statistics_.summaries();
}

std::string Pipeline::backend_name() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->backend_name_;
}

}  // namespace throng
