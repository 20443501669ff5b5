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

constexpr int kRefreshInterval = 125;  // milliseconds

// Compares what the wall changes.
bool same(const PipelineSettings& a, const PipelineSettings& b) {
    return a.detector == b.detector && a.nms == b.nms && a.min_confidence == b.min_confidence &&
           a.keep_raw == b.keep_raw && a.hiding == b.hiding;
}

// Ended sources remain ended.
void pause(Pipeline& pipeline, bool paused) {
    if (pipeline.state() == (paused ? PipelineState::running : PipelineState::paused)) pipeline.pause(paused);
}

}  // namespace

Wall::Wall(const QStringList& sources, Session& session, QObject* parent)
    : QObject(parent),
      session_(session),
      images_(this, static_cast<std::size_t>(sources.size()),
              [this](std::size_t tile, DisplayImage image) { receive(tile, std::move(image)); }) {
    pool_.setMaxThreadCount(2 * kMaxTiles);  // each source may block while it is opened, and while it is closed
    const QStringList titles = source_titles(sources);
    for (const QString& spec : sources) {
        const int number = static_cast<int>(tiles_.size());
        tiles_.push_back(std::make_unique<WallTile>(number, spec, titles[number]));
        connect(tiles_.back().get(), &WallTile::retryRequested, this, [this, number] { open(number); });
    }
    refresh_timer_.setInterval(kRefreshInterval);
    connect(&refresh_timer_, &QTimer::timeout, this, &Wall::refresh);
    refresh_timer_.start();
    settings_timer_.setSingleShot(true);
    settings_timer_.setInterval(0);
    connect(&settings_timer_, &QTimer::timeout, this, &Wall::update_settings);
    connect(session.detection(), &DetectionSettings::changed, &settings_timer_, qOverload<>(&QTimer::start));
    connect(session.display(), &DisplaySettings::changed, &settings_timer_, qOverload<>(&QTimer::start));
    connect(&session, &Session::seenChanged, this, &Wall::pause_tiles);
    for (const auto& tile : tiles_) open(tile->number());
}

Wall::~Wall() {
    for (const auto& tile : tiles_) {
        tile->begin_opening();  // cancels
        if (tile->opened().pipeline) tile->opened().pipeline->set_wake({});
    }
    pool_.waitForDone();
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
    settings.keep_raw = session_.display()->raw();
    settings.hiding.reset();
    settings.host_pixels = true;
    const int all = settings.detector.threads > 0 ? settings.detector.threads : cpu_cores();
    const auto opened = std::count_if(tiles_.begin(), tiles_.end(), [](const auto& tile) { return tile->active(); });
    settings.detector.threads = std::max(1, all / std::max(1, static_cast<int>(opened)));
    const bool hides = session_.display()->blur() || (has_sinks() && session_.setup().sinks_hide_faces);
    if (hides) settings.hiding = session_.hiding_beside(settings.detector);
    if (has_sinks()) settings.keep_rate = 0;  // outputs have the configured detection
    return settings;
}

void Wall::open(int number) {
    WallTile& tile = this->tile(number);
    const int attempt = tile.begin_opening();
    images_.clear(static_cast<std::size_t>(number));  // those of the previous attempt
    pool_.start([this, number, attempt, spec = tile.spec().toStdString(), stop = tile.stop_token(),
                 settings = settings(), playback = session_.transport()->options(),
                 &setup = std::as_const(session_.setup())] {
        try {
            std::unique_ptr<VideoSource> source = setup.open_source(spec, stop);
            OpenedSource opened;
            {
                const std::lock_guard lock(backend_mutex_);
                if (!backend_) backend_ = setup.make_backend(settings.detector);
                opened.choice = *backend_;
            }
            PipelineOptions options = playback;
            options.source_number = opened.source_number = number + 1;
            std::vector<std::shared_ptr<ResultSink>> sinks;
            if (setup.make_sinks) sinks = setup.make_sinks(source->info(), number + 1, false);
            opened.has_sinks = !sinks.empty();
            opened.pipeline = std::make_shared<Pipeline>(std::move(source), opened.choice.backend, settings, options);
            for (std::shared_ptr<ResultSink>& sink : sinks) opened.pipeline->add_sink(std::move(sink));
            post(this, [this, number, attempt, opened] {
                WallTile& opening = this->tile(number);
                if (attempt != opening.attempt()) return destroy(opened.pipeline);
                opening.set_opened(opened);
                backend_name_ = QString::fromStdString(opened.choice.backend->description());
                attach(opening);
                opened.pipeline->start();
                pause_tiles();
                update_settings();  // divides the threads again
            });
        } catch (const std::exception&) {
            post(this, [this, number, attempt, error = current_error()] {
                WallTile& opening = this->tile(number);
                if (attempt == opening.attempt()) fail(opening, error);
            });
        }
    });
}

// Shows the results of the tile's pipeline.
void Wall::attach(WallTile& tile) {
    const auto number = static_cast<std::size_t>(tile.number());
    Pipeline* pipeline = tile.opened().pipeline.get();
    pipeline->set_wake([this, number, pipeline] { images_.show(pipeline->latest(), number); });
}

// The tile opens the source again after a while.
void Wall::fail(WallTile& tile, const Error& error) {
    destroy(tile.fail(error));
    expect_again(tile);
}

void Wall::expect_again(const WallTile& tile) {
    if (session_.setup().expect_again) session_.setup().expect_again(tile.number() + 1);
}

void Wall::destroy(std::shared_ptr<Pipeline> pipeline) {
    if (!pipeline) return;
    pipeline->set_wake({});
    pool_.start([pipeline = std::move(pipeline)]() mutable { pipeline.reset(); });
}

void Wall::update_settings() {
    const PipelineSettings shared = settings();
    for (const auto& tile : tiles_) {
        if (!tile->active() || same(tile->opened().pipeline->settings(), shared)) continue;
        try {
            tile->opened().pipeline->update(shared);
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
        if (tile->active()) pause(*tile->opened().pipeline, rest);
    }
}

// --- images and figures

void Wall::receive(std::size_t number, DisplayImage image) {
    WallTile& tile = *tiles_[number];
    if (!tile.active() || image.image.isNull()) return;
    tile.set_image(std::move(image));
    emit imageShown();
}

void Wall::refresh() {
    for (const auto& tile : tiles_) {
        if (tile->active()) {
            Pipeline& pipeline = *tile->opened().pipeline;
            const PipelineState state = pipeline.state();
            if (state == PipelineState::failed) {
                fail(*tile,
                     pipeline.failure().value_or(Error(ErrorKind::internal, "the pipeline stopped unexpectedly")));
            } else if (state == PipelineState::ended && pipeline.source_info().live) {
                fail(*tile, Error(ErrorKind::input, "the stream has ended"));
            }
        }
        tile->refresh();
    }
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
    OpenedSource opened = tile(number).opened();
    tile(number).take_pipeline();
    pause_tiles();  // the others leave the machine to it
    opened.pipeline->set_wake({});
    session_.adopt(tile(number).spec(), opened);
    emit enlargedChanged();
}

void Wall::shrink() {
    if (enlarged_ < 0) return;
    WallTile& tile = this->tile(std::exchange(enlarged_, -1));
    const bool is_same = session_.source()->spec() == tile.spec();  // otherwise the user has opened another one
    const std::shared_ptr<Pipeline> back = session_.release();
    if (is_same && back && back->state() != PipelineState::failed) {
        tile.set_opened({back, *backend_, has_sinks(), tile.number() + 1});
        attach(tile);
        images_.show(back->latest(), static_cast<std::size_t>(tile.number()));
    } else {
        destroy(back);
        expect_again(tile);
        open(tile.number());
    }
    pause_tiles();
    update_settings();
    emit enlargedChanged();
}

}  // namespace throng::ui
