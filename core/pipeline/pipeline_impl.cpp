#include "core/pipeline/pipeline_impl.h"

#include <string>
#include <utility>
#include <vector>

#include "core/base/log.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

// Else the times of one mean nothing for the other. (What sliders move, sizes and factor, is left out: its cost shows
// soon.)
bool does_the_same_work(const DetectorParams& a, const DetectorParams& b) {
    return a.kind == b.kind && a.model == b.model && a.half == b.half && a.switches == b.switches;
}

}  // namespace

// --- detect thread

void Pipeline::Impl::detect_thread(const std::stop_token& stop) {
    try {
        detect(stop);
    } catch (...) {
        fail(current_error());
    }
    decode_stop_.request_stop();
    processor_.reset();  // waits for what it still has in flight
    newest_ = {};
    queue_.clear();  // other pipelines wait for the shared permits
    if (const std::optional<Error> error = sinks_.close()) fail(*error);
    enter_end();
}

// Frames in flight are waited for only where there is no room for another one, or no other one to put there.
void Pipeline::Impl::detect(const std::stop_token& stop) {
    make_processor();
    while (!stop.stop_requested()) {
        apply_pending_settings();
        const bool wants_more = options_.max_frames == 0 || submitted_ < options_.max_frames;
        DecodedFrame next;
        if (processor_->in_flight() == 0) {
            if (!wants_more) return;
            const FrameQueue::Event event = queue_.pop(next, stop);
            if (event != FrameQueue::Event::frame) {
                if (!handle_event(event)) return;
                continue;
            }
        } else if (!wants_more || !processor_->has_room() || !queue_.try_pop(next)) {
            finish_oldest();
            continue;
        }
        submit(std::move(next));
    }
}

// Handles what pop returned in place of a frame. Returns false when the run is over.
bool Pipeline::Impl::handle_event(FrameQueue::Event event) {
    if (event == FrameQueue::Event::stopped) return false;
    if (event == FrameQueue::Event::woken) {
        apply_pending_settings();
        const bool flows = [this] {
            const std::lock_guard lock(mutex_);
            return phase_ == Phase::active;
        }() && !playback_.paused();
        if (!flows && newest_.frame) detect_again();
        return true;
    }
    // A decoder whose device is lost may just end, or complain about its data.
    if (!fell_back_) {
        try {
            backend_->check();
        } catch (const Error& error) {
            fall_back(error);
            return true;
        }
    }
    if (const std::optional<Error> failure = decode_.failure()) throw *failure;
    if (keeps_open_) enter_end();
    return keeps_open_;
}

void Pipeline::Impl::make_processor() {
    try {
        processor_ = std::make_unique<FrameProcessor>(backend_, initial_settings_);
        note_backend();
    } catch (const Error& error) {
        fall_back(error);
    }
}

void Pipeline::Impl::submit(DecodedFrame frame) {
    ++submitted_;
    device_frames_ = frame.frame.info().memory == MemoryKind::device;
    newest_ = frame.without_permit();
    try {
        processor_->submit(std::move(frame));
    } catch (const Error& error) {
        fall_back(error);
    }
}

void Pipeline::Impl::finish_oldest() {
    FrameProcessor::Outcome outcome;
    try {
        outcome = processor_->collect(!live_);
    } catch (const Error& error) {
        fall_back(error);
        return;
    }
    deliver(outcome);
}

void Pipeline::Impl::drain() {
    while (processor_->in_flight() > 0) finish_oldest();
}

void Pipeline::Impl::apply_pending_settings() {
    {
        const std::lock_guard lock(mutex_);
        if (!settings_pending_) return;
    }
    drain();
    const DetectorParams previous = processor_->settings().detector;
    PipelineSettings requested;
    {
        const std::lock_guard lock(mutex_);
        settings_pending_ = false;
        requested = settings_;
    }
    if (fell_back_) requested.detector.switches.clear();  // they were another detector's
    std::string problem;
    try {
        processor_->apply(requested);
    } catch (const Error& error) {
        problem = error.what();
        spdlog::warn("{}", problem);
    }
    if (!does_the_same_work(previous, processor_->settings().detector)) measured_again_ = true;
    std::vector<DetectorSwitch> switches = processor_->switches();
    const std::lock_guard lock(mutex_);
    switches_ = std::move(switches);
    notices_.settings = std::move(problem);
    // What could not be applied is taken back, unless the user already asked for something else.
    if (!notices_.settings.empty() && !settings_pending_) settings_ = processor_->settings();
}

// The frame on screen with new settings; sinks have had it.
void Pipeline::Impl::detect_again() {
    try {
        processor_->submit(newest_.without_permit());
        publish(processor_->collect(!live_));
    } catch (const Error& error) {
        static_cast<void>(processor_->take_unfinished());
        fall_back(error);
    }
}

void Pipeline::Impl::fall_back(const Error& failure) {
    const bool is_of_device = failure.kind() == ErrorKind::internal || failure.kind() == ErrorKind::unavailable;
    if (!is_of_device || !options_.fallback || fell_back_) throw failure;
    fell_back_ = true;
    PipelineSettings settings = initial_settings_;
    std::vector<DecodedFrame> unfinished;
    if (processor_) {
        settings = processor_->settings();
        unfinished = processor_->take_unfinished();
        processor_.reset();
    }
    settings.detector.switches.clear();  // they were the lost backend's
    measured_again_ = true;
    const std::string lost = backend_->name();
    std::shared_ptr<Backend> backend = options_.fallback();
    processor_ = std::make_unique<FrameProcessor>(backend, settings);
    const std::string notice =
        "the " + lost + " backend failed, going on with " + backend->name() + ": " + failure.what();
    spdlog::warn("{}", notice);
    {
        const std::lock_guard lock(mutex_);
        backend_ = std::move(backend);
        notices_.backend = notice;
        settings_.detector.switches.clear();
    }
    note_backend();
    rescue(std::move(unfinished));
}

// Frames that the lost backend left unfinished. Those of device memory are gone with it, and so are the ones that wait
// in the hand-over: the source decodes them again.
void Pipeline::Impl::rescue(std::vector<DecodedFrame> unfinished) {
    const auto on_device = [](const DecodedFrame& decoded) {
        return decoded.frame && decoded.frame.info().memory == MemoryKind::device;
    };
    device_frames_ = device_frames_ || on_device(newest_);
    if (on_device(newest_)) newest_ = {};
    // A source that failed or ended because of the device must go on, too.
    const bool source_failed = decode_.failure().has_value();
    if ((device_frames_ || source_failed) && decode_.resume_on_host(last_index_, last_pts_, delivered_)) {
        submitted_ = delivered_;
        return;
    }
    std::size_t lost = 0;
    for (DecodedFrame& decoded : unfinished) {
        try {
            decoded.frame = decoded.frame.on_host();
        } catch (const Error&) {
            ++lost;
            continue;
        }
        newest_ = decoded.without_permit();
        processor_->submit(std::move(decoded));
        deliver(processor_->collect(!live_));
    }
    if (lost == 0) return;
    const std::lock_guard lock(mutex_);
    counters_.dropped += lost;
    notices_.backend += ", " + std::to_string(lost) + (lost == 1 ? " frame is lost" : " frames are lost");
}

void Pipeline::Impl::note_backend() {
    std::vector<DetectorSwitch> switches = processor_->switches();
    const std::lock_guard lock(mutex_);
    switches_ = std::move(switches);
}

void Pipeline::Impl::deliver(const FrameProcessor::Outcome& outcome) {
    ++delivered_;
    last_index_ = outcome.result->frame.info().index;
    last_pts_ = outcome.result->frame.info().pts;
    {
        const std::lock_guard lock(mutex_);
        phase_ = Phase::active;  // again, after a seek back from the end
        ++counters_.detected;
        counters_.overflowed += outcome.overflowed ? 1 : 0;
        rate_.tick(Clock::now());
        if (std::exchange(measured_again_, false)) statistics_.clear();
        statistics_.add(outcome.result->timings);
    }
    note_overflow(outcome);
    publish(outcome);
    sinks_.write(*outcome.result);
}

void Pipeline::Impl::publish(const FrameProcessor::Outcome& outcome) {
    std::shared_ptr<const FrameResult> previous = outcome.result;
    {
        const std::lock_guard lock(mutex_);
        latest_.swap(previous);
    }
    wake();
}

void Pipeline::Impl::note_overflow(const FrameProcessor::Outcome& outcome) {
    const FrameResult& result = *outcome.result;
    if (outcome.overflowed && !overflowing_) {
        spdlog::warn("frame {} requested {} detections, more than there was room for; {} of them are lost",
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
    decode_thread_ = std::thread([this] { decode_.run(decode_stop_.get_token()); });
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
    if (const std::optional<Error> error = sinks_.close()) fail(*error);
    {
        const std::lock_guard lock(mutex_);
        phase_ = failure_ ? Phase::failed : Phase::ended;
    }
    over_.notify_all();
}

void Pipeline::Impl::update(const PipelineSettings& settings) {
    check_settings(settings);
    {
        const std::lock_guard lock(mutex_);
        settings_ = settings;
        settings_pending_ = true;
    }
    queue_.wake();
}

}  // namespace throng
