#include "ui/stand/source_guard.h"

#include <utility>

#include "core/base/log.h"
#include "ui/session/session.h"

namespace throng::ui {

SourceGuard::SourceGuard(Session& session, const Pace& pace, QObject* parent)
    : QObject(parent), session_(session), pace_(pace), retry_(pace.first_retry, pace.max_retry) {
    stall_.setSingleShot(true);
    stall_.setInterval(pace_.stall);
    // Queued: the session is still handling the failure.
    connect(session.transport(), &Transport::stateChanged, this, &SourceGuard::handle_state, Qt::QueuedConnection);
    connect(&session, &Session::resultChanged, this, &SourceGuard::handle_result);
    connect(&stall_, &QTimer::timeout, this, [this] {
        if (session_.source()->live() && session_.transport()->playing()) fall_back();
    });
    connect(&retry_, &QTimer::timeout, this, [this] {
        retry_.start_next();  // unless a result of the source arrives first
        demo_opened_ = false;
        session_.open(source_);
    });
}

void SourceGuard::handle_state() {
    if (session_.transport()->current() == Transport::State::failed) fall_back();
    if (session_.transport()->playing()) stall_.start();
}

void SourceGuard::handle_result() {
    if (!session_.result()) return;
    stall_.start();
    if (!on_demo() || session_.source()->spec() != source_) return;
    logger().info("the source is back: {}", source_.toStdString());
    source_.clear();
    demo_opened_ = false;
    retry_.reset();
}

void SourceGuard::fall_back() {
    if (!on_demo()) {
        source_ = session_.source()->spec();
        logger().warn("the source fails: {}; the demo crowd is shown until it is back", source_.toStdString());
    }
    if (!retry_.isActive()) retry_.start_next();
    // The demo fails, too: the next attempt comes with that of the source.
    if (std::exchange(demo_opened_, true)) return;
    session_.open_stand_in();
}

}  // namespace throng::ui
