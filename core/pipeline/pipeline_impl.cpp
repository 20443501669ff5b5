#include "core/pipeline/pipeline_impl.h"

#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/log.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

// Returns true if the stage times of both are comparable. Ignores the settings that sliders change (sizes and factor):
// the rolling statistics soon reflect their cost.
bool have_comparable_times(const DetectorParams& a, const DetectorParams& b) {
    return a.kind == b.kind && a.model == b.model && a.half == b.half && a.switches == b.switches;
}

}  // namespace

// --- detect thread

void Pipeline::Impl::detect_thread(const std::stop_token& stop) {
    try {
        detect(stop);
        flush_hiding();
    } catch (...) {
        fail(current_error());
    }
    decode_stop_.request_stop();
    engine_.release();  // waits for the frames in flight
    searcher_.reset();
    newest_ = {};
    queue_.clear();  // releases the shared permits, for which other pipelines may wait
    if (const std::optional<Error> error = sinks_.close()) fail(*error);
    enter_end();
}

// Waits for a frame in flight only if there is no free slot for another frame, or no other frame is queued.
void Pipeline::Impl::detect(const std::stop_token& stop) {
    prepare();
    {
        const std::lock_guard lock(mutex_);
        ready_ = true;
    }
    over_.notify_all();
    while (!stop.stop_requested()) {
        apply_pending_settings();
        const bool more_requested = options_.max_frames == 0 || submitted_ < options_.max_frames;
        DecodedFrame next;
        if (engine_.in_flight() == 0) {
            if (!more_requested) return;
            if (outdated_ && !frames_arrive()) detect_again();
            const PopStatus event = queue_.pop(next, stop);
            if (event != PopStatus::value) {
                if (!handle_event(event)) return;
                continue;
            }
        } else if (!more_requested || !engine_.has_free_slot() || !queue_.try_pop(next)) {
            finish_oldest();
            continue;
        }
        submit(std::move(next));
    }
}

bool Pipeline::Impl::frames_arrive() const {
    const std::lock_guard lock(mutex_);
    return phase_ == Phase::active && !playback_.paused();
}

// Handles an event that pop returned instead of a frame. Returns false at the end of the run.
bool Pipeline::Impl::handle_event(PopStatus event) {
    if (event == PopStatus::stopped) return false;
    if (event == PopStatus::woken) {
        apply_pending_settings();
        return true;
    }
    engine_.check();
    if (engine_.fell_back() != fell_back_) {
        note_fallback();
        return true;
    }
    if (const std::optional<Error> failure = decode_.failure()) throw *failure;
    if (!keeps_open_) return false;
    flush_hiding();
    queue_.reopen();
    enter_end();
    return true;
}

void Pipeline::Impl::prepare() {
    applied_ = initial_settings_;
    engine_.apply(with_quality(applied_));
    engine_.prepare();
    set_carries(applied_);
    if (engine_.fell_back()) {
        note_fallback();
        return;
    }
    set_up_hiding();
    note_backend();
}

void Pipeline::Impl::submit(DecodedFrame frame) {
    ++submitted_;
    device_frames_ = frame.frame.info().memory == MemoryKind::device;
    frame.queued = static_cast<std::uint32_t>(queue_.size());
    newest_ = frame.without_permit();
    outdated_ = false;
    engine_.submit(std::move(frame));
    if (engine_.fell_back() != fell_back_) note_fallback();
}

void Pipeline::Impl::finish_oldest() {
    const Engine::Outcome outcome = engine_.collect(!live_);
    if (engine_.fell_back() != fell_back_) note_fallback();
    if (outcome.result) deliver(outcome);
}

void Pipeline::Impl::drain() {
    while (engine_.in_flight() > 0) finish_oldest();
}

void Pipeline::Impl::apply_pending_settings() {
    {
        const std::lock_guard lock(mutex_);
        if (!settings_pending_ && !quality_changed_) return;
    }
    quality_changed_ = false;
    drain();
    const DetectorParams previous = engine_.settings().detector;
    PipelineSettings requested;
    {
        const std::lock_guard lock(mutex_);
        outdated_ = settings_pending_ || outdated_;
        settings_pending_ = false;
        requested = settings_;
    }
    Message problem;
    try {
        engine_.apply(with_quality(requested));
        applied_ = requested;
        set_carries(applied_);
    } catch (const Error& error) {
        problem = error.message();
        logger().warn("{}", error.what());
    }
    set_up_hiding();
    if (!have_comparable_times(previous, engine_.settings().detector)) reset_statistics_ = true;
    std::vector<DetectorSwitch> switches = engine_.switches();
    const std::lock_guard lock(mutex_);
    switches_ = std::move(switches);
    notices_.settings = std::move(problem);
    // Settings that could not be applied are reverted, unless newer settings are already pending.
    if (!notices_.settings.empty() && !settings_pending_) settings_ = applied_;
}

// Detects on the displayed frame again with new settings. Sinks do not receive it: they already have a result of it.
void Pipeline::Impl::detect_again() {
    outdated_ = false;
    if (!newest_.frame) return;
    // A backend with several frames in flight reports the times of an earlier frame: run twice, so that they are those of
    // the new settings.
    if (engine_.backend()->frames_in_flight() > 1) {
        static_cast<void>(engine_.detect(newest_.without_permit(), !live_));
    }
    const Engine::Outcome outcome = engine_.detect(newest_.without_permit(), !live_);
    if (engine_.fell_back() != fell_back_) note_fallback();
    if (!outcome.result) return;
    flush_hiding();  // the results of earlier frames come first
    const Found found = search(outcome.result);
    if (hiding_) hiding_->plan_alone(*outcome.result, found.result.get());
    reset_statistics_ = true;  // the times before are those of other settings
    add_times(*outcome.result);
    publish(outcome.result);
    if (found.failure) {
        engine_.fall_back(*found.failure);
        note_fallback();
    }
}

// Adapts to the backend that has taken over.
void Pipeline::Impl::note_fallback() {
    fell_back_ = true;
    searcher_.reset();
    clear_switches(applied_);
    engine_.apply(with_quality(applied_));
    reset_statistics_ = true;
    set_carries(applied_);
    set_up_hiding();
    {
        const std::lock_guard lock(mutex_);
        backend_ = engine_.backend();
        notices_.backend = engine_.notice();
        clear_switches(settings_);
    }
    note_backend();
    resume_source();
}

// Frames in device memory, queued ones included, are no longer readable after a failure: the source decodes them again.
void Pipeline::Impl::resume_source() {
    const bool newest_on_device = newest_.frame && newest_.frame.info().memory == MemoryKind::device;
    const std::size_t unreadable = engine_.take_unreadable();
    if (newest_on_device) newest_ = {};
    // A source that failed or ended because of the device must also resume.
    const bool source_failed = decode_.failure().has_value();
    if ((device_frames_ || newest_on_device || source_failed) && decode_.resume_on_host(delivered_)) {
        engine_.discard();
        submitted_ = delivered_.count;
        return;
    }
    if (unreadable == 0) return;
    const std::lock_guard lock(mutex_);
    counters_.dropped += unreadable;
    notices_.backend =
        joined(notices_.backend, {unreadable == 1 ? "%1 frame dropped" : "%1 frames dropped", unreadable});
}

void Pipeline::Impl::note_backend() {
    std::vector<DetectorSwitch> switches = engine_.switches();
    const std::lock_guard lock(mutex_);
    switches_ = std::move(switches);
}

void Pipeline::Impl::deliver(const Engine::Outcome& outcome) {
    const FrameInfo& info = outcome.result->frame.info();
    decode_.count_losses(outcome.result->trace);
    delivered_ = {delivered_.count + 1, info.index, info.pts, outcome.result->trace.decoded};
    {
        const std::lock_guard lock(mutex_);
        phase_ = Phase::active;  // also after a seek back from the end
        ++counters_.detected;
        outcome.result->trace.dropped += counters_.dropped;
        counters_.overflowed += outcome.overflowed ? 1 : 0;
        rate_.tick(Clock::now());
    }
    add_times(*outcome.result);
    note_overflow(outcome);
    adapt_quality(*outcome.result);
    if (!hiding_) {
        emit({outcome.result});
        return;
    }
    const Found found = search(outcome.result);
    emit(hiding_->push(outcome.result, found.result.get()));
    if (playback_.paused()) flush_hiding();  // a step shows its own frame
    if (!found.failure) return;
    engine_.fall_back(*found.failure);
    note_fallback();
}

// Returns what the detector of hiding finds in the frame of a result.
Pipeline::Impl::Found Pipeline::Impl::search(const std::shared_ptr<FrameResult>& result) {
    if (!hiding_ || !hiding_->params().search) return {};
    if (!searcher_) return {result, {}};
    DecodedFrame frame;
    frame.frame = result->frame;
    frame.source = result->source;
    frame.source_number = result->source_number;
    try {
        return {searcher_->detect(std::move(frame)).result, {}};
    } catch (const Error& error) {
        return {nullptr, error};
    }
}

// Passes results on to the display and the sinks.
void Pipeline::Impl::emit(const std::vector<std::shared_ptr<const FrameResult>>& results) {
    for (const std::shared_ptr<const FrameResult>& result : results) {
        publish(result);
        sinks_.write(*result);
    }
}

void Pipeline::Impl::flush_hiding() {
    if (hiding_) emit(hiding_->flush());
}

// Starts, changes or ends hiding by the settings in use. Results that wait are passed on with what is known.
void Pipeline::Impl::set_up_hiding() {
    const std::optional<HidingParams>& params = engine_.settings().hiding;
    const bool same = params ? hiding_ && hiding_->params() == *params : !hiding_;
    if (!same) {
        flush_hiding();
        hiding_.reset();
        if (params) hiding_.emplace(*params);
    }
    set_up_search();
}

// Makes the detector of hiding, unless that of the pipeline finds the same.
void Pipeline::Impl::set_up_search() {
    PipelineSettings settings = engine_.settings();
    const HidingSearch* wanted = settings.hiding && settings.hiding->search ? &*settings.hiding->search : nullptr;
    if (wanted == nullptr || (settings.detector == wanted->detector && settings.nms == wanted->nms)) {
        searcher_.reset();
        return;
    }
    if (searcher_ && searcher_->settings().hiding == settings.hiding) return;
    searcher_.reset();
    settings.detector = wanted->detector;
    settings.nms = wanted->nms;
    settings.faces.reset();
    settings.min_confidence = 0;
    settings.tracking.reset();
    settings.keep_raw = false;
    settings.host_pixels = false;
    try {
        searcher_ = std::make_unique<Engine>(engine_.backend(), settings);
        searcher_->prepare();
    } catch (const Error& error) {
        engine_.fall_back(error);
        note_fallback();
    }
}

// Returns the settings with the parameters of the current quality; restarts it if the configured ones have changed.
PipelineSettings Pipeline::Impl::with_quality(PipelineSettings settings) {
    if (settings.keep_rate <= 0 || settings.hiding || !keeps_newest_) {
        quality_.reset();
    } else if (!quality_ || settings.detector != applied_.detector || settings.keep_rate != applied_.keep_rate) {
        quality_.emplace(settings.detector, settings.keep_rate);
    }
    if (quality_) {
        settings.faces = face_params(settings);
        if (settings.faces) settings.faces->detector = quality_->scaled(settings.faces->detector);
        settings.detector = quality_->params();
    }
    const std::lock_guard lock(mutex_);
    notices_.given_up = quality_ ? quality_->given_up() : Message();
    return settings;
}

void Pipeline::Impl::adapt_quality(const FrameResult& result) {
    if (!quality_) return;
    for (const StageTime& time : result.timings) {
        if (time.name == stage::kTotal && quality_->add(time.ms, Clock::now())) quality_changed_ = true;
    }
}

void Pipeline::Impl::set_carries(const PipelineSettings& settings) {
    const bool carries = settings.carry && settings.tracking && !settings.hiding && keeps_newest_;
    const std::lock_guard lock(show_mutex_);
    if (!carries) {
        carrier_.reset();
    } else if (!carrier_) {
        carrier_.emplace();
    }
}

void Pipeline::Impl::add_times(const FrameResult& result) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(reset_statistics_, false)) statistics_.clear();
    statistics_.add(result.timings);
}

void Pipeline::Impl::publish(const std::shared_ptr<const FrameResult>& result) {
    {
        const std::lock_guard lock(show_mutex_);
        set_latest(carrier_ ? carrier_->detected(result) : result);
    }
    wake();
}

// On the decode thread.
void Pipeline::Impl::show_early(const DecodedFrame& decoded) {
    {
        const std::lock_guard lock(show_mutex_);
        std::shared_ptr<const FrameResult> carried = carrier_ ? carrier_->arrived(decoded.frame) : nullptr;
        if (!carried) return;
        set_latest(std::move(carried));
    }
    wake();
}

void Pipeline::Impl::set_latest(std::shared_ptr<const FrameResult> result) {
    const std::lock_guard lock(mutex_);
    latest_.swap(result);  // the previous one is released after the lock
}

void Pipeline::Impl::note_overflow(const Engine::Outcome& outcome) {
    const RawCounts raw = raw_counts(*outcome.result);
    if (outcome.overflowed && !overflowing_) {
        logger().warn("frame {} has {} raw detections, more than the buffers hold; {} of them were dropped",
                      outcome.result->frame.info().index, raw.found, raw.dropped);
    }
    overflowing_ = outcome.overflowed;
    const std::lock_guard lock(mutex_);
    notices_.overflow = raw.dropped == 0
                            ? Message()
                            : Message("%1 of %2 raw detections dropped (buffers full)", raw.dropped, raw.found);
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
    if (!failure_) failure_ = error;  // only the first error is reported
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
    // The detect thread has closed its sinks. Closes the sinks of a pipeline that never started, and those added after
    // its end.
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
