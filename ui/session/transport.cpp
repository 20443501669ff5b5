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
    if (options_.loop == loop) return;
    options_.loop = loop;
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

void Transport::seek(double seconds) {
    if (pipeline_) pipeline_->seek(std::max(0.0, seconds));
}

void Transport::attach(std::shared_ptr<Pipeline> pipeline) {
    pipeline_ = std::move(pipeline);
    if (!pipeline_) return;
    pipeline_->set_loop(options_.loop);
    pipeline_->set_speed(options_.speed);
}

void Transport::set_state(State state) {
    if (state_ == state) return;
    state_ = state;
    emit stateChanged();
}

void Transport::set_position(double seconds) {
    if (position_ == seconds) return;
    position_ = seconds;
    emit positionChanged();
}

}  // namespace throng::ui
