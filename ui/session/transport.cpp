#include "ui/session/transport.h"

#include <algorithm>
#include <utility>

namespace throng::ui {

Transport::Transport(const PipelineOptions& options, QObject* parent) : QObject(parent), options_(options) {
    options_.real_time = true;
}

QString Transport::state() const {
    switch (state_) {
        case State::idle: return QStringLiteral("idle");
        case State::opening: return QStringLiteral("opening");
        case State::running: return QStringLiteral("running");
        case State::paused: return QStringLiteral("paused");
        case State::ended: return QStringLiteral("ended");
        case State::failed: return QStringLiteral("failed");
    }
    return {};
}

Transport::State transport_state(PipelineState state) {
    switch (state) {
        case PipelineState::idle: return Transport::State::idle;
        case PipelineState::running: return Transport::State::running;
        case PipelineState::paused: return Transport::State::paused;
        case PipelineState::ended: return Transport::State::ended;
        case PipelineState::failed: return Transport::State::failed;
    }
    return Transport::State::failed;
}

void Transport::set_loop(bool loop) {
    if (this->loop() == loop) return;
    options_.loop = loop;
    repeats_ = false;
    if (pipeline_) pipeline_->set_loop(loop);
    emit changed();
}

void Transport::set_speed(double speed) {
    if (options_.speed == speed || !(speed > 0)) return;
    options_.speed = speed;
    if (pipeline_) pipeline_->set_speed(speed);
    emit changed();
}

void Transport::toggle() {
    if (!pipeline_ || state_ == State::failed) {
        if (state_ != State::opening) emit reopenRequested();
        return;
    }
    if (pipeline_->state() == PipelineState::ended) {
        pipeline_->pause(false);
        seek(0);
    } else {
        pipeline_->pause(pipeline_->state() == PipelineState::running);
    }
    emit commanded();
}

void Transport::step() {
    if (!pipeline_) return;
    pipeline_->step();
    emit commanded();
}

void Transport::stepBack() {
    constexpr double kDefaultFrameTime = 1.0 / 25;
    if (!pipeline_ || state_ == State::failed) return;
    pipeline_->pause(true);
    // A seek finds the frame at or before its time: aim at the middle of the previous frame.
    const double frame_time = frame_time_ > 0 ? frame_time_ : kDefaultFrameTime;
    seek(position_ - 0.5 * frame_time);
    emit commanded();
}

void Transport::hold(bool held) {
    held_ = held;
    if (held) {
        paused_by_hold_ = playing() && moves();
        if (paused_by_hold_) toggle();
        if (moves() && !pipeline_->latest()) pipeline_->step();  // paused before its first frame: nothing to look at
    } else if (std::exchange(paused_by_hold_, false) && !playing()) {
        toggle();
    }
}

bool Transport::moves() const {
    return pipeline_ && pipeline_->source_info().frame_count != 1;
}

void Transport::markLoop() {
    if (!pipeline_) return;
    if (loop_start_ < 0) {
        loop_start_ = position_;
    } else if (loop_end_ < 0 && position_ != loop_start_) {
        loop_end_ = std::max(position_, loop_start_);
        loop_start_ = std::min(position_, loop_start_);
    } else {
        loop_start_ = loop_end_ = -1;
    }
    emit changed();
}

void Transport::seek(double seconds) {
    if (!pipeline_) return;
    const double target = std::max(0.0, seconds);
    if (loop_end_ >= 0 && (target < loop_start_ || target >= loop_end_)) {
        loop_start_ = loop_end_ = -1;
        emit changed();
    }
    pipeline_->seek(target);
}

void Transport::attach(std::shared_ptr<Pipeline> pipeline, bool repeats) {
    pipeline_ = std::move(pipeline);
    repeats_ = repeats;
    returned_from_.reset();
    loop_start_ = loop_end_ = -1;
    paused_by_hold_ = held_ && moves();
    emit changed();
    if (!pipeline_) return;
    pipeline_->set_loop(loop());
    pipeline_->set_speed(options_.speed);
    if (paused_by_hold_) pipeline_->step();
}

void Transport::set_state(State state) {
    if (state_ != state) {
        state_ = state;
        emit stateChanged();
    }
    if (state != State::ended || loop_end_ < 0 || !pipeline_) return;
    // The end of the part is that of the source. A short part may have ended again since the last call.
    const std::shared_ptr<const FrameResult> last = pipeline_->latest();
    if (returned_from_.lock() == last) return;
    returned_from_ = last;
    seek(loop_start_);
}

void Transport::set_position(double seconds) {
    if (position_ == seconds) return;
    const double previous = std::exchange(position_, seconds);
    // Playback has left the part.
    const auto in_part = [&](double time) { return loop_start_ <= time && time < loop_end_; };
    if (loop_end_ >= 0 && state_ == State::running && in_part(previous) && !in_part(seconds)) seek(loop_start_);
    emit positionChanged();
}

}  // namespace throng::ui
