#include "ui/wall/wall_tile.h"

#include <utility>

#include "ui/language/language.h"
#include "ui/session/run_status.h"

namespace throng::ui {

WallTile::WallTile(int number, QString spec, QString title, ImageThread& images, const SessionSetup& setup,
                   std::function<BackendChoice(const DetectorParams&)> make_backend, QObject* parent)
    : QObject(parent),
      number_(number),
      spec_(std::move(spec)),
      title_(std::move(title)),
      feed_(images, static_cast<std::size_t>(number)),
      controller_(setup, {true, number + 1, std::move(make_backend)}) {
    connect(&feed_, &FrameFeed::attached, this, &WallTile::imageChanged);
    connect(&feed_, &FrameFeed::delivered, this, [this] {
        if (feed_.shown().result) controller_.set_delivers();
        emit imageChanged();
    });
    // A frozen image looks like a running source.
    connect(&controller_, &SourceController::closing, this, [this] { feed_.attach(nullptr); });
    connect(&controller_, &SourceController::opened, this, &WallTile::start);
    connect(&controller_, &SourceController::failed, this, &WallTile::fail);
}

QString WallTile::state() const {
    if (failed_) return QStringLiteral("failed");
    if (!active()) return QStringLiteral("opening");
    switch (controller_.pipeline()->state()) {
        case PipelineState::paused: return QStringLiteral("paused");
        case PipelineState::ended: return QStringLiteral("ended");
        case PipelineState::failed: return QStringLiteral("failed");
        default: return silent_ ? QStringLiteral("silent") : QStringLiteral("running");
    }
}

bool WallTile::delivers() const {
    return active() && !silent_ && controller_.pipeline()->state() != PipelineState::ended;
}

void WallTile::start() {
    failed_ = false;
    silent_ = false;
    problem_.clear();
    feed_.attach(controller_.pipeline());
    emit changed();
}

void WallTile::fail(const Error& error) {
    failed_ = true;
    problem_ = translated_message(error.problem());
    faces_ = 0;
    frame_rate_ = 0;
    emit changed();
}

void WallTile::refresh() {
    controller_.poll();
    if (active()) {
        const PipelineCounters counters = controller_.pipeline()->counters();
        silent_ = is_silent(*controller_.pipeline(), counters);
        frame_rate_ = counters.fps;
        faces_ = feed_.shown().result ? static_cast<int>(feed_.shown().result->kept.detections.size()) : 0;
        problem_ = translated_message(controller_.pipeline()->notice());
    }
    emit changed();
}

}  // namespace throng::ui
