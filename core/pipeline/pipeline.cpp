#include "core/pipeline/pipeline.h"

#include "core/pipeline/pipeline_impl.h"

namespace throng {

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
    while (!wait_for(std::chrono::hours(1))) {
    }
}

bool Pipeline::wait_ready() {
    std::unique_lock lock(impl_->mutex_);
    impl_->over_.wait(lock, [this] { return impl_->ready_ || impl_->phase_ != Impl::Phase::active; });
    return impl_->ready_;
}

bool Pipeline::wait_for(std::chrono::milliseconds timeout) {
    std::unique_lock lock(impl_->mutex_);
    return impl_->over_.wait_for(lock, timeout, [this] { return impl_->phase_ != Impl::Phase::active; });
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
    if (paused) {
        impl_->queue_.wake();  // the frame on screen may need the settings that were for the next one
        return;
    }
    const std::lock_guard lock(impl_->mutex_);
    impl_->rate_.restart(std::chrono::steady_clock::now());
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

Message Pipeline::notice() const {
    const Message source = impl_->decode_.status().notice;
    const std::lock_guard lock(impl_->mutex_);
    const auto& notices = impl_->notices_;
    return joined(joined(notices.backend, notices.settings), joined(source, notices.overflow));
}

Message Pipeline::given_up() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->notices_.given_up;
}

std::string Pipeline::incomplete() const {
    return impl_->decode_.status().incomplete;
}

SourceInfo Pipeline::source_info() const {
    return impl_->decode_.status().info;
}

PipelineCounters Pipeline::counters() const {
    const std::uint64_t dropped = impl_->queue_.dropped();
    const DecodeLoop::Status status = impl_->decode_.status();
    const std::lock_guard lock(impl_->mutex_);
    PipelineCounters counters = impl_->counters_;
    counters.decoded = status.decoded + status.replaced;
    counters.dropped += dropped + status.replaced;
    const auto now = std::chrono::steady_clock::now();
    counters.fps = impl_->rate_.rate(now);
    counters.silent = impl_->rate_.silent(now);
    return counters;
}

std::vector<StageSummary> Pipeline::timings() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->statistics_.summaries();
}

BackendKind Pipeline::backend_kind() const {
    return impl_->backend()->kind();
}

std::string Pipeline::backend_name() const {
    return impl_->backend()->name();
}

std::string Pipeline::backend_description() const {
    return impl_->backend()->description();
}

std::optional<DeviceMemory> Pipeline::device_memory() const {
    return impl_->backend()->device_memory();
}

std::vector<DetectorSwitch> Pipeline::switches() const {
    const std::lock_guard lock(impl_->mutex_);
    return impl_->switches_;
}

}  // namespace throng
