#include "ui/wall/wall.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "ui/base/post.h"
#include "ui/models/recent_model.h"

namespace throng::ui {
namespace {

constexpr int kFiguresInterval = 125;  // milliseconds

// Ended sources remain ended.
void pause(Pipeline& pipeline, bool paused) {
    if (pipeline.state() == (paused ? PipelineState::running : PipelineState::paused)) pipeline.pause(paused);
}

}  // namespace

Wall::Wall(const QStringList& sources, Session& session, QObject* parent)
    : QObject(parent), session_(session), images_(this, static_cast<std::size_t>(sources.size())) {
    const QStringList titles = source_titles(sources);
    for (const QString& spec : sources) {
        const int number = static_cast<int>(tiles_.size());
        tiles_.push_back(
            std::make_unique<WallTile>(number, spec, titles[number], images_, session.setup(),
                                       [this](const DetectorParams& params) { return backend_for(params); }));
        WallTile& tile = *tiles_.back();
        const SourceController& controller = tile.controller();
        connect(&controller, &SourceController::opened, this, [this, &tile] { start(tile); });
        connect(tile.feed(), &FrameFeed::delivered, this, [this, &tile] {
            if (tile.has_image()) emit imageShown();
        });
        connect(&controller, &SourceController::retryDue, this, [this, &tile] { open(tile); });
    }
    refresh_timer_.setInterval(kFiguresInterval);
    connect(&refresh_timer_, &QTimer::timeout, this, &Wall::refresh);
    refresh_timer_.start();
    settings_timer_.setSingleShot(true);
    settings_timer_.setInterval(0);
    connect(&settings_timer_, &QTimer::timeout, this, &Wall::update_settings);
    connect(session.detection(), &DetectionSettings::changed, &settings_timer_, qOverload<>(&QTimer::start));
    connect(session.display(), &DisplaySettings::changed, &settings_timer_, qOverload<>(&QTimer::start));
    connect(&session, &Session::seenChanged, this, &Wall::pause_tiles);
    for (const auto& tile : tiles_) open(*tile);
}

Wall::~Wall() {
    for (const auto& tile : tiles_) tile->controller().cancel();  // all at once: each waits for its threads then
}

QQmlListProperty<WallTile> Wall::tiles() {
    using Tiles = QQmlListProperty<WallTile>;
    return Tiles(
        this, nullptr, [](Tiles* tiles) -> qsizetype { return static_cast<Wall*>(tiles->object)->num_tiles(); },
        [](Tiles* tiles, qsizetype number) {
            return &static_cast<Wall*>(tiles->object)->tile(static_cast<int>(number));
        });
}

int Wall::columns(int tiles, double width, double height) {
    int best = 1;
    std::pair<double, int> largest{0, 0};  // of equal sizes, the one with fewer empty cells
    for (int columns = 1; columns <= std::max(tiles, 1); ++columns) {
        const int rows = (tiles + columns - 1) / columns;
        const std::pair size{std::min(width / columns, height / rows * 16 / 9), tiles - columns * rows};
        if (size < largest) continue;
        largest = size;
        best = columns;
    }
    return best;
}

// --- sources

PipelineSettings Wall::settings() const {
    PipelineSettings settings = session_.detection()->values();
    const int all = settings.detector.threads > 0 ? settings.detector.threads : cpu_cores();
    const auto opened = std::count_if(tiles_.begin(), tiles_.end(), [](const auto& tile) { return tile->active(); });
    settings.detector.threads = std::max(1, all / std::max(1, static_cast<int>(opened)));
    PipelineNeeds needs;
    needs.host_pixels = true;
    needs.fixed_sizes = has_sinks();
    needs.hidden_faces = has_sinks() && session_.setup().sinks_hide_faces;
    needs.hides_by = session_.setup().hides_by;
    return requested_settings(settings, *session_.display(), needs);
}

BackendChoice Wall::backend_for(const DetectorParams& params) {
    const std::lock_guard lock(backend_mutex_);
    if (!backend_) backend_ = session_.setup().make_backend(params);
    return *backend_;
}

void Wall::open(WallTile& tile) {
    tile.controller().open({tile.spec(), settings(), session_.transport()->options()});
}

void Wall::start(WallTile& tile) {
    backend_name_ = QString::fromStdString(tile.controller().source().choice.backend->description());
    tile.controller().pipeline()->start();
    pause_tiles();
    update_settings();  // divides the threads again
}

void Wall::update_settings() {
    const PipelineSettings shared = settings();
    for (const auto& tile : tiles_) {
        if (!tile->active() || same_settings(tile->controller().pipeline()->settings(), shared)) continue;
        try {
            tile->controller().pipeline()->update(shared);
        } catch (const Error& error) {
            session_.alert()->show(error);
            return;
        }
    }
}

// All rest while one source is large, and while nobody sees the window, unless outputs need their results.
void Wall::pause_tiles() {
    const bool rest = !has_sinks() && (enlarged_ >= 0 || !session_.seen());
    for (const auto& tile : tiles_) {
        if (tile->active()) pause(*tile->controller().pipeline(), rest);
    }
}

// --- images and figures

void Wall::refresh() {
    for (const auto& tile : tiles_) tile->refresh();
    emit refreshed();
}

int Wall::running() const {
    return static_cast<int>(
        std::count_if(tiles_.begin(), tiles_.end(), [](const auto& tile) { return tile->delivers(); }));
}

int Wall::faces() const {
    int faces = 0;
    for (const auto& tile : tiles_) faces += tile->delivers() ? tile->faces() : 0;
    return faces;
}

double Wall::frame_rate() const {
    double rate = 0;
    for (const auto& tile : tiles_) rate += tile->delivers() ? tile->frame_rate() : 0;
    return rate;
}

// --- one large

void Wall::enlarge(int number) {
    if (enlarged_ >= 0 || number < 0 || number >= static_cast<int>(tiles_.size()) || !tile(number).active()) return;
    enlarged_ = number;
    OpenedSource opened = tile(number).controller().release();
    pause_tiles();  // the others leave the machine to it
    session_.adopt(std::move(opened));
    emit enlargedChanged();
}

void Wall::shrink() {
    if (enlarged_ < 0) return;
    WallTile& tile = this->tile(std::exchange(enlarged_, -1));
    OpenedSource back = session_.release();
    // Otherwise it has failed, or the user has opened another one.
    if (back.spec == tile.spec() && back.pipeline && back.pipeline->state() != PipelineState::failed) {
        tile.controller().adopt(std::move(back));
    } else {
        tile.controller().destroy(std::move(back.pipeline));
        tile.controller().expect_again();
        open(tile);
        pause_tiles();
        update_settings();
    }
    emit enlargedChanged();
}

}  // namespace throng::ui
