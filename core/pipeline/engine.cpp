#include "core/pipeline/engine.h"

#include "core/base/log.h"

namespace throng {

Engine::Engine(std::shared_ptr<Backend> backend, PipelineSettings settings, MakeBackend fallback)
    : backend_(std::move(backend)), settings_(std::move(settings)), fallback_(std::move(fallback)) {
    set_up_tracks();
}

void Engine::set_up_tracks() {
    if (!settings_.tracking) {
        tracks_.reset();
    } else if (tracks_) {
        tracks_->set_tracker(*settings_.tracking);
    } else {
        tracks_.emplace(tracks_with_faces({.tracker = settings_.tracking}));
    }
}

// Does what may fail with the backend.
template <class Work>
void Engine::guarded(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        fall_back(error);
    } catch (...) {
        release();  // may have frames in flight whose results would be taken for those of others
        throw;
    }
}

void Engine::prepare() {
    if (processor_) return;
    guarded([this] { processor_ = std::make_unique<FrameProcessor>(backend_, settings_); });
}

void Engine::release() {
    processor_.reset();
    discard();
    restart_tracks();
}

std::size_t Engine::in_flight() const noexcept {
    return again_.size() + (processor_ ? processor_->in_flight() : 0) + (in_strips_ ? 1 : 0);
}

bool Engine::has_free_slot() const noexcept {
    return again_.empty() && !in_strips_ && (!processor_ || processor_->has_free_slot());
}

void Engine::submit(DecodedFrame decoded) {
    if (decoded.frame.rows() != nullptr && backend_->kind() != BackendKind::cpu && fallback_) {
        in_strips_ = std::move(decoded);
        return;
    }
    prepare();
    guarded([&] { processor_->submit(std::move(decoded)); });
}

Engine::Outcome Engine::collect(bool lossless) {
    if (in_strips_ && in_flight() == 1) return collect_in_strips(lossless);
    Outcome outcome;
    guarded([&] {
        if (!again_.empty()) {
            DecodedFrame decoded = std::move(again_.front());
            again_.pop_front();
            processor_->submit(std::move(decoded));
        }
        outcome = processor_->collect(lossless, tracks_ ? &*tracks_ : nullptr);
    });
    return outcome;
}

// Such frames are rare: what detects in them is not kept.
Engine::Outcome Engine::collect_in_strips(bool lossless) {
    DecodedFrame decoded = *std::exchange(in_strips_, std::nullopt);
    PipelineSettings settings = settings_;
    clear_switches(settings);
    FrameProcessor processor(fallback_(), settings);
    processor.submit(std::move(decoded));
    return processor.collect(lossless, tracks_ ? &*tracks_ : nullptr);
}

Engine::Outcome Engine::detect(DecodedFrame decoded, bool lossless) {
    submit(std::move(decoded));
    Outcome outcome;
    while (!outcome.result && in_flight() > 0) outcome = collect(lossless);
    return outcome;
}

void Engine::discard() {
    if (processor_) static_cast<void>(processor_->take_unfinished());
    again_.clear();
    in_strips_.reset();
}

void Engine::apply(PipelineSettings settings) {
    if (fell_back()) clear_switches(settings);
    if (processor_) processor_->apply(settings);
    settings_ = std::move(settings);
    set_up_tracks();
}

std::vector<DetectorSwitch> Engine::switches() const {
    return processor_ ? processor_->switches() : std::vector<DetectorSwitch>();
}

void Engine::check() {
    if (!fell_back()) guarded([this] { backend_->check(); });
}

void Engine::fall_back(const Error& failure) {
    const bool of_device = failure.kind() == ErrorKind::internal || failure.kind() == ErrorKind::unavailable;
    if (!of_device || !fallback_ || fell_back()) {
        discard();
        throw Error(failure);
    }
    std::shared_ptr<Backend> next = fallback_();
    std::vector<DecodedFrame> unfinished;
    if (processor_) {
        unfinished = processor_->take_unfinished();
        processor_.reset();
    }
    notice_ = joined({"the %1 backend failed", backend_->name()},
                     {"continuing with %1: %2", next->name(), failure.message()});
    logger().warn("{}", notice_.text());
    backend_ = std::move(next);
    clear_switches(settings_);
    processor_ = std::make_unique<FrameProcessor>(backend_, settings_);
    for (DecodedFrame& decoded : unfinished) {
        try {
            if (decoded.frame.rows() == nullptr) decoded.frame = decoded.frame.on_host();
            again_.push_back(std::move(decoded));
        } catch (const Error&) {
            ++unreadable_;
        }
    }
}

void Engine::restart_tracks() {
    tracks_.reset();
    set_up_tracks();
}

}  // namespace throng
