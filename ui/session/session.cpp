#include "ui/session/session.h"

#include <utility>

#include "core/clocks/telemetry_sink.h"
#include "core/video/formats.h"
#include "ui/base/post.h"
#include "ui/language/language.h"
#include "ui/session/usable_models.h"

namespace throng::ui {
namespace {

constexpr int kRefreshInterval = 125;  // milliseconds; figures that change faster are unreadable
constexpr int kMemoryInterval = 1000;
const QString kDemo = QStringLiteral("crowd:faces=60,size=1920x1080,seed=1");

bool same(const PipelineSettings& a, const PipelineSettings& b) {
    return a.detector == b.detector && a.nms == b.nms && a.min_confidence == b.min_confidence &&
           a.tracking == b.tracking && a.carry == b.carry && a.keep_rate == b.keep_rate && a.hiding == b.hiding &&
           a.keep_raw == b.keep_raw && a.host_pixels == b.host_pixels;
}

}  // namespace

Session::Session(SessionSetup setup, QSettings& store, QObject* parent)
    : QObject(parent),
      setup_(std::move(setup)),
      transport_(setup_.playback),
      detection_(setup_.settings, setup_.detectors),
      default_detector_(setup_.try_network, setup_.settings.keep_rate, detection_, feedback_),
      captures_(setup_.make_recording, display_, setup_.draw_tracks, alert_),
      clocks_(setup_.clocks),
      recent_(store),
      sections_(store),
      views_({setup_, detection_, display_, [this] { return median_ms(); }}, [this] { return pipeline_ != nullptr; }) {
    detection_.set_detector_chosen(setup_.detector_chosen);
    findModels();

    refresh_timer_.setInterval(kRefreshInterval);
    connect(&refresh_timer_, &QTimer::timeout, this, &Session::refresh);
    memory_timer_.setInterval(kMemoryInterval);
    connect(&memory_timer_, &QTimer::timeout, this, &Session::query_memory);
    settings_timer_.setSingleShot(true);
    settings_timer_.setInterval(0);
    connect(&settings_timer_, &QTimer::timeout, this, &Session::apply_settings);
    connect(&detection_, &DetectionSettings::changed, &settings_timer_, qOverload<>(&QTimer::start));
    connect(&display_, &DisplaySettings::changed, &settings_timer_, qOverload<>(&QTimer::start));
    // A face that is shown only while a switch is held is not stored.
    connect(&display_, &DisplaySettings::changed, this,
            [this] { timeline_.set_hides_faces(display_.blur() || display_.hides_always()); });
    connect(&views_, &Views::settingsChanged, &settings_timer_, qOverload<>(&QTimer::start));
    connect(&views_, &Views::opened, this, [this](View* view) {
        if (pipeline_) view->on_refresh(view_frame());
    });
    connect(&views_, &Views::playbackHeld, this, &Session::hold_playback);
    for (const auto& view : views_.list()) {
        connect(view.get(), &View::failed, &alert_, qOverload<const Error&>(&Alert::show));
        connect(view.get(), &View::notified, &alert_, qOverload<const QString&, const QString&>(&Alert::show));
    }
    connect(&detection_, &DetectionSettings::rejected, &alert_, qOverload<const Error&>(&Alert::show));
    connect(&detection_, &DetectionSettings::announced, this,
            [this](const QString& text) { pipeline_ ? feedback_.say_with_result(text) : feedback_.say(text); });
    connect(captures_.recorder(), &Recorder::changed, this, &Session::update_pipeline);
    connect(&feed_, &FrameFeed::delivered, this, &Session::pull);
    connect(&feed_, &FrameFeed::pathChanged, this, &Session::update_pipeline);
    connect(&transport_, &Transport::commanded, this, &Session::refresh);
    connect(&transport_, &Transport::reopenRequested, this, [this] { open(source_.spec()); });
    connect(&opener_, &SourceOpener::released, this, [this](const Pipeline* previous) {
        if (previous == pipeline_.get()) opener_.destroy(reset(opening_));
    });
    connect(&transport_, &Transport::stateChanged, this, [this] {
        const bool over = transport_.current() == Transport::State::ended && !source_.still();
        if (over && playlist_.together()) playlist_.step(1);
    });
    connect(&playlist_, &Playlist::openRequested, this, qOverload<const QString&>(&Session::open));
    connect(&playlist_, &Playlist::failed, &alert_, qOverload<const Error&>(&Alert::show));
    connect(&opener_, &SourceOpener::opened, this, &Session::start);
    connect(&opener_, &SourceOpener::failed, this, &Session::fail);
}

Session::~Session() {
    captures_.attach(nullptr);
    for (const auto& view : views_.list()) view->attach(nullptr);
    feed_.attach(nullptr, nullptr);
    transport_.attach(nullptr);
    pipeline_.reset();
}

// --- opening

void Session::open(const QString& spec) {
    open(spec, false);
}

void Session::open(const QString& spec, bool stand_in) {
    if (spec.isEmpty()) return;
    opening_ = spec;
    source_.set_opening(spec);
    if (alert_.is_error()) alert_.dismiss();
    std::shared_ptr<Pipeline> closing;
    if (!pipeline_ || may_share_device(spec, source_.spec())) closing = reset(spec);
    PipelineSettings settings = requested_settings();
    settings.host_pixels = setup_.settings.host_pixels;  // until the view has chosen a path for frames on the device
    PipelineOptions playback = transport_.options();
    playback.source_number = source_number_;
    opener_.open({spec.toStdString(), settings, playback, pipeline_, std::move(closing), stand_in});
}

// Removes everything that belongs to the previous source and returns its pipeline.
std::shared_ptr<Pipeline> Session::reset(const QString& spec) {
    refresh_timer_.stop();
    memory_timer_.stop();
    captures_.attach(nullptr);
    for (const auto& view : views_.list()) view->attach(nullptr);
    feed_.attach(nullptr, nullptr);
    transport_.attach(nullptr);
    std::shared_ptr<Pipeline> previous = std::exchange(pipeline_, nullptr);
    seen_.reset();
    failure_.reset();
    rests_ = false;
    has_sinks_ = false;
    status_.clear();
    feedback_.clear();
    for (const auto& view : views_.list()) view->clear();
    history_.clear();
    timeline_.clear();
    stages_.clear();
    switches_.update({});
    backend_.set_memory(std::nullopt);
    sweep_.cancel();
    default_detector_.restart();
    source_.set_spec(spec);
    transport_.set_position(0);
    transport_.set_state(Transport::State::opening);
    emit resultChanged();
    emit refreshed();
    return previous;
}

void Session::start(const OpenedSource& opened) {
    opening_.clear();
    source_.set_opening({});
    pipeline_ = opened.pipeline;
    has_sinks_ = opened.has_sinks;
    source_number_ = opened.source_number;
    backend_.select(*opened.choice.backend, opened.choice.why);
    if (setup_.clocks.telemetry) {
        telemetry_sink_ = std::make_shared<TelemetrySink>(setup_.clocks.telemetry);
        pipeline_->add_sink(telemetry_sink_);
    }
    if (setup_.make_observer) pipeline_->add_sink(setup_.make_observer());
    feed_.attach(pipeline_, opened.choice.backend->make_gl_bridge());
    const bool repeats = names_animation(source_.spec().toStdString()) && pipeline_->source_info().frame_count != 1;
    transport_.attach(pipeline_, repeats);
    captures_.attach(pipeline_);
    for (const auto& view : views_.list()) view->attach(pipeline_);
    update_pipeline();  // settings changed while the source was being opened; outputs may need that faces are hidden
    pipeline_->start();
    recent_.add(source_.spec());
    refresh_timer_.start();
    memory_timer_.start();
    query_memory();
    refresh();
}

void Session::adopt(const QString& spec, const OpenedSource& opened) {
    opener_.cancel();
    opener_.destroy(reset(spec));
    start(opened);
}

std::shared_ptr<Pipeline> Session::release() {
    opener_.cancel();
    opening_.clear();
    source_.set_opening({});
    if (pipeline_) {
        if (telemetry_sink_) pipeline_->remove_sink(telemetry_sink_);
        for (const auto& view : views_.list()) view->detach();
    }
    std::shared_ptr<Pipeline> pipeline = reset({});
    transport_.set_state(Transport::State::idle);
    return pipeline;
}

void Session::openDemo() {
    open(kDemo);
}

void Session::open_stand_in() {
    open(kDemo, true);
}

void Session::findCameras() {
    opener_.run([this] {
        std::vector<CameraInfo> found = setup_.list_cameras();
        post(this, [this, found = std::move(found)]() mutable { cameras_.update(std::move(found)); });
    });
}

void Session::findModels() {
    opener_.run([this] {
        std::vector<InstalledModel> found = usable_models();
        post(this, [this, found = std::move(found)] { detection_.set_installed_models(found); });
    });
}

void Session::fail(const Error& error) {
    opening_.clear();
    source_.set_opening({});
    alert_.show(error);
    if (pipeline_ && pipeline_->state() != PipelineState::failed) return;  // the previous source runs on
    failure_ = error;
    transport_.set_state(Transport::State::failed);
    emit refreshed();
}

// --- polling

void Session::pull() {
    const bool first = !seen_;
    if (result() && result() != seen_) {
        seen_ = result();
        if (!seen_->carried) {  // otherwise its times are those of a frame before
            history_.add(*seen_);
            stages_.add(seen_->timings);
            sweep_.add(*seen_);
            if (source_.seekable()) timeline_.add(seen_, source_.duration());
        }
        if (!seen_->carried) choose_default_detector();
        if (feedback_.awaits_result() && settled()) feedback_.add(*seen_);
        const DetectionSet& kept = seen_->kept;
        if (!kept.detections.empty()) detection_.set_model_has_landmarks(!kept.landmarks.empty());
        transport_.set_position(seen_->frame.info().pts);
        const ViewFrame frame = view_frame();
        for (const auto& view : views_.list()) {
            if (!view->covered()) view->on_result(frame);
        }
        emit resultChanged();
    }
    const PipelineState state = pipeline_->state();
    if (state == PipelineState::failed && transport_.current() != Transport::State::failed) {
        // Otherwise the demo has failed, which stands in for a source that is expected already.
        if (has_sinks_ && setup_.expect_again) setup_.expect_again(source_number_);
        fail(pipeline_->failure().value_or(Error(ErrorKind::internal, "the pipeline stopped unexpectedly")));
    } else if (state_on_screen() != transport_.current() || first) {
        refresh();
    }
}

// The source ends with its last result: that is where the user believes the end, and marks it.
Transport::State Session::state_on_screen() const {
    const Transport::State state = transport_state(pipeline_->state());
    if (state != Transport::State::ended || pipeline_->latest() == result()) return state;
    return transport_.current();  // until the result has arrived
}

void Session::refresh() {
    if (!pipeline_) return;
    source_.set_info(pipeline_->source_info());
    const double fps = source_.info().fps;
    transport_.set_frame_time(fps > 0 ? 1 / fps : 0);
    status_.update(*pipeline_, result().get());
    backend_.update(pipeline_->backend_name(), pipeline_->backend_description());
    stages_.update(pipeline_->timings());
    // If a detector could not be created, the pipeline reverts to the previous one; revert the controls, too.
    if (!settings_timer_.isActive() && !settled()) {
        PipelineSettings reverted = pipeline_->settings();
        reverted.carry = detection_.values().carry;  // a comparison overrides both for a time
        reverted.keep_rate = detection_.values().keep_rate;
        detection_.set_values(reverted);
        feedback_.clear();  // the notice says why
    }
    switch_control_.update(pipeline_->switches());
    rest_or_play();
    if (transport_.current() != Transport::State::failed) transport_.set_state(state_on_screen());
    const ViewFrame frame = view_frame();
    for (const auto& view : views_.list()) {
        if (seen_by_user_ && !view->covered()) view->on_refresh(frame);
    }
    emit refreshed();
}

ViewFrame Session::view_frame() const {
    return {result(), pipeline_->settings(), history_.added(), transport_.playing() && !source_.still()};
}

// Also continues what it has paused.
void Session::hold_playback(bool held) {
    if (held) {
        playback_held_ = transport_.playing() && !source_.still();
        if (playback_held_) transport_.toggle();
    } else if (std::exchange(playback_held_, false) && !transport_.playing()) {
        transport_.toggle();
    }
}

double Session::median_ms() const {
    // Otherwise it is the time of larger sizes.
    if (!pipeline_ || !pipeline_->given_up().empty()) return 0;
    for (const StageSummary& stage : pipeline_->timings()) {
        if (stage.name == stage::kTotal) return stage.ms.p50;
    }
    return 0;
}

void Session::set_seen(bool seen) {
    if (seen == seen_by_user_) return;
    seen_by_user_ = seen;
    refresh();
    emit seenChanged();
}

// Pauses what nobody sees and nothing else needs, and continues it later.
void Session::rest_or_play() {
    const bool needed = seen_by_user_ || has_sinks_ || setup_.make_observer || setup_.measures ||
                        captures_.recording() || views_.any(&View::needs_results) || sweep_.running();
    if (needed) {
        if (std::exchange(rests_, false)) pipeline_->pause(false);
    } else if (pipeline_->state() == PipelineState::running) {
        rests_ = true;
        pipeline_->pause(true);
    }
}

// Queries on the thread pool: the driver may take long.
void Session::query_memory() {
    opener_.run([this, pipeline = pipeline_] {
        const std::optional<DeviceMemory> memory = pipeline->device_memory();
        post(this, [this, memory, queried = pipeline.get()] {  // the last reference must not end here
            if (queried == pipeline_.get()) backend_.set_memory(memory);
        });
    });
}

// --- control

PipelineSettings Session::requested_settings() const {
    PipelineSettings settings = detection_.values();
    settings.keep_raw = display_.raw() || views_.any(&View::needs_raw);
    for (const auto& view : views_.list()) view->adjust(settings);
    // These need detections with the configured settings: no boxes of an earlier frame and no larger sizes.
    if (views_.any(&View::measures)) {
        settings.carry = false;
        settings.keep_rate = 0;
    }
    if (has_sinks_) settings.keep_rate = 0;  // outputs have the configured detection
    if (default_detector_.measuring()) settings.keep_rate = 0;
    // While faces are revealed for a moment, what must be hidden is still looked for.
    const bool hides_on_screen = display_.blur() || display_.hides_always();
    const bool hides_faces = hides_on_screen || captures_.hides_faces() || (has_sinks_ && setup_.sinks_hide_faces);
    settings.hiding.reset();
    if (hides_faces) settings.hiding = hiding_beside(settings.detector);
    // Frames are copied to the host while somebody needs them there.
    const bool host_needed = has_sinks_ || captures_.recording();
    settings.host_pixels = setup_.settings.host_pixels && (host_needed || !feed_.shows_device_frames());
    return settings;
}

HidingParams Session::hiding_beside(const DetectorParams& shown) const {
    if (!display_.hides_always()) return hiding_params(shown.kind);
    HidingParams params = strict_hiding_params(setup_.hides_by);
    params.search->detector.threads = shown.threads;
    return params;
}

bool Session::settled() const {
    return same(pipeline_->settings(), requested_settings());
}

// A comparison, a recording and a sweep need the same detector throughout, or slow it down.
void Session::choose_default_detector() {
    const bool busy =
        has_sinks_ || views_.any(&View::measures) || sweep_.running() || captures_.recorder()->recording();
    const bool is_settled = default_detector_.measuring() && settled();  // otherwise nobody asks
    if (default_detector_.add(*seen_, busy, is_settled)) update_pipeline();
}

void Session::apply_settings() {
    if (transport_.current() == Transport::State::failed) {  // the previous settings may be the cause
        if (failure_ && failure_->kind() != ErrorKind::input) open(source_.spec());
        return;
    }
    update_pipeline();
}

void Session::update_pipeline() {
    if (!pipeline_ || settled()) return;
    try {
        pipeline_->update(requested_settings());
    } catch (const Error& error) {
        alert_.show(error);
    }
}

}  // namespace throng::ui
