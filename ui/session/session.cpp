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

}  // namespace

Session::Session(SessionSetup setup, QSettings& store, QObject* parent)
    : QObject(parent),
      setup_(std::move(setup)),
      transport_(setup_.playback),
      detection_(setup_.settings, setup_.detectors),
      default_detector_(setup_.try_network, setup_.settings.keep_rate, detection_, feedback_),
      captures_(setup_.make_recording, display_, alert_),
      clocks_(setup_.clocks),
      recent_(store),
      sections_(store),
      views_({setup_, detection_, display_, [this] { return median_ms(); }}, [this] { return pipeline() != nullptr; }) {
    detection_.set_detector_chosen(setup_.detector_chosen);
    display_.set_tracks(setup_.draw_tracks);
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
    connect(&views_, &Views::settingsChanged, &settings_timer_, qOverload<>(&QTimer::start));
    connect(&views_, &Views::opened, this, [this](View* view) {
        if (pipeline()) view->on_refresh(view_frame());
    });
    connect(&views_, &Views::playbackHeld, this, &Session::hold_playback);
    for (const auto& view : views_.list()) {
        connect(view.get(), &View::failed, &alert_, qOverload<const Error&>(&Alert::show));
        connect(view.get(), &View::notified, &alert_, qOverload<const QString&, const QString&>(&Alert::show));
    }
    connect(&detection_, &DetectionSettings::rejected, &alert_, qOverload<const Error&>(&Alert::show));
    connect(&detection_, &DetectionSettings::announced, this,
            [this](const QString& text) { pipeline() ? feedback_.say_with_result(text) : feedback_.say(text); });
    connect(captures_.recorder(), &Recorder::changed, this, &Session::update_pipeline);
    connect(&feed_, &FrameFeed::delivered, this, &Session::pull);
    connect(&feed_, &FrameFeed::pathChanged, this, &Session::update_pipeline);
    connect(&feed_, &FrameFeed::viewChanged, this, [this](const ImageView& view, const OverlayOptions& overlay) {
        for (const auto& each : views_.list()) each->set_image_view(view, overlay);
    });
    connect(&transport_, &Transport::commanded, this, &Session::refresh);
    connect(&transport_, &Transport::reopenRequested, this, [this] { open(source_.spec()); });
    connect(&transport_, &Transport::stateChanged, this, [this] {
        const bool over = transport_.current() == Transport::State::ended && !source_.still();
        if (over && playlist_.together()) playlist_.step(1);
    });
    connect(&playlist_, &Playlist::openRequested, this, qOverload<const QString&>(&Session::open));
    connect(&playlist_, &Playlist::failed, &alert_, qOverload<const Error&>(&Alert::show));
    connect(&controller_, &SourceController::openingChanged, this,
            [this] { source_.set_opening(controller_.opening()); });
    connect(&controller_, &SourceController::closing, this, &Session::reset);
    connect(&controller_, &SourceController::opened, this, &Session::start);
    connect(&controller_, &SourceController::failed, this, &Session::fail);
}

Session::~Session() {
    detach();
}

// --- the source

void Session::open(const QString& spec) {
    open(spec, false);
}

void Session::open(const QString& spec, bool stand_in) {
    if (spec.isEmpty()) return;
    if (alert_.is_error()) alert_.dismiss();
    PipelineSettings settings = requested_settings();
    settings.host_pixels = setup_.settings.host_pixels;  // until the view has chosen a path for frames on the device
    controller_.open({spec, settings, transport_.options(), stand_in});
}

void Session::detach() {
    captures_.attach(nullptr);
    for (const auto& view : views_.list()) view->attach(nullptr);
    feed_.attach(nullptr, nullptr);
    transport_.attach(nullptr);
}

// Removes everything that belongs to the previous source.
void Session::reset(const QString& next) {
    refresh_timer_.stop();
    memory_timer_.stop();
    detach();
    seen_.reset();
    rests_ = false;
    status_.clear();
    feedback_.clear();
    for (const auto& view : views_.list()) view->clear();
    history_.clear();
    stages_.clear();
    switches_.update({});
    backend_.set_memory(std::nullopt);
    sweep_.cancel();
    default_detector_.restart();
    source_.set_spec(next);
    transport_.set_position(0);
    transport_.set_state(next.isEmpty() ? Transport::State::idle : Transport::State::opening);
    emit resultChanged();
    emit refreshed();
}

void Session::start() {
    const BackendChoice& choice = controller_.source().choice;
    backend_.select(*choice.backend, choice.why);
    if (setup_.clocks.telemetry) {
        telemetry_sink_ = std::make_shared<TelemetrySink>(setup_.clocks.telemetry);
        pipeline()->add_sink(telemetry_sink_);
    }
    if (setup_.make_observer) pipeline()->add_sink(setup_.make_observer());
    feed_.attach(pipeline(), choice.backend->make_gl_bridge());
    const bool repeats = names_animation(source_.spec().toStdString()) && pipeline()->source_info().frame_count != 1;
    transport_.attach(pipeline(), repeats);
    captures_.attach(pipeline());
    for (const auto& view : views_.list()) view->attach(pipeline());
    update_pipeline();  // settings changed while the source was being opened; outputs may need that faces are hidden
    pipeline()->start();
    recent_.add(source_.spec());
    refresh_timer_.start();
    memory_timer_.start();
    query_memory();
    refresh();
}

OpenedSource Session::release() {
    if (pipeline()) {
        if (telemetry_sink_) pipeline()->remove_sink(telemetry_sink_);
        for (const auto& view : views_.list()) view->detach();
    }
    return controller_.release();
}

void Session::openDemo() {
    open(kDemo);
}

void Session::open_stand_in() {
    open(kDemo, true);
}

void Session::findCameras() {
    controller_.run([this] {
        std::vector<CameraInfo> found = setup_.list_cameras();
        post(this, [this, found = std::move(found)]() mutable { cameras_.update(std::move(found)); });
    });
}

void Session::findModels() {
    controller_.run([this] {
        std::vector<InstalledModel> found = usable_models();
        post(this, [this, found = std::move(found)] { detection_.set_installed_models(found); });
    });
}

void Session::fail(const Error& error) {
    alert_.show(error);
    if (!failure()) return;  // the previous source runs on
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
            choose_default_detector();
        }
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
    controller_.poll();
    if (!failure() && (state_on_screen() != transport_.current() || first)) refresh();
}

// The source ends with its last result: that is where the user believes the end, and marks it.
Transport::State Session::state_on_screen() const {
    const Transport::State state = transport_state(pipeline()->state());
    if (state != Transport::State::ended || pipeline()->latest() == result()) return state;
    return transport_.current();  // until the result has arrived
}

void Session::refresh() {
    if (!pipeline()) return;
    source_.set_info(pipeline()->source_info());
    const double fps = source_.info().fps;
    transport_.set_frame_time(fps > 0 ? 1 / fps : 0);
    status_.update(*pipeline(), feed_);
    backend_.update(pipeline()->backend_name(), pipeline()->backend_description());
    stages_.update(pipeline()->timings());
    // If a detector could not be created, the pipeline reverts to the previous one; revert the controls, too.
    if (!settings_timer_.isActive() && !settled()) {
        PipelineSettings reverted = pipeline()->settings();
        reverted.carry = detection_.values().carry;  // a comparison overrides both for a time
        reverted.keep_rate = detection_.values().keep_rate;
        detection_.set_values(reverted);
        feedback_.clear();  // the notice says why
    }
    switch_control_.update(pipeline()->switches());
    rest_or_play();
    if (transport_.current() != Transport::State::failed) transport_.set_state(state_on_screen());
    const ViewFrame frame = view_frame();
    for (const auto& view : views_.list()) {
        if (seen_by_user_ && !view->covered()) view->on_refresh(frame);
    }
    emit refreshed();
}

ViewFrame Session::view_frame() const {
    return {result(), pipeline()->settings(), history_.added(), transport_.playing() && !source_.still(),
            source_.seekable() ? source_.duration() : 0};
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
    if (!pipeline() || !pipeline()->given_up().empty()) return 0;
    for (const StageSummary& stage : pipeline()->timings()) {
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
    const bool needed = seen_by_user_ || controller_.source().has_sinks || setup_.make_observer || setup_.measures ||
                        captures_.recording() || views_.any(&View::needs_results) || sweep_.running();
    if (needed) {
        if (std::exchange(rests_, false)) pipeline()->pause(false);
    } else if (pipeline()->state() == PipelineState::running) {
        rests_ = true;
        pipeline()->pause(true);
    }
}

// Queries on the thread pool: the driver may take long.
void Session::query_memory() {
    controller_.run([this, pipeline = pipeline()] {
        const std::optional<DeviceMemory> memory = pipeline->device_memory();
        post(this, [this, memory, queried = pipeline.get()] {  // the last reference must not end here
            if (queried == this->pipeline().get()) backend_.set_memory(memory);
        });
    });
}

// --- control

PipelineSettings Session::requested_settings() const {
    const bool writes = controller_.source().has_sinks;
    PipelineSettings settings = detection_.values();
    for (const auto& view : views_.list()) view->adjust(settings);
    PipelineNeeds needs;
    needs.raw = views_.any(&View::needs_raw);
    needs.each_frame = views_.any(&View::measures);
    needs.fixed_sizes = needs.each_frame || writes || default_detector_.measuring();
    needs.hidden_faces = captures_.hides_faces() || (writes && setup_.sinks_hide_faces);
    // Frames are copied to the host while somebody needs them there.
    needs.host_pixels =
        setup_.settings.host_pixels && (writes || captures_.recording() || !feed_.shows_device_frames());
    needs.hides_by = setup_.hides_by;
    return ui::requested_settings(settings, display_, needs);
}

bool Session::settled() const {
    return same_settings(pipeline()->settings(), requested_settings());
}

// A comparison, a recording and a sweep need the same detector throughout, or slow it down.
void Session::choose_default_detector() {
    const bool busy = controller_.source().has_sinks || views_.any(&View::measures) || sweep_.running() ||
                      captures_.recorder()->recording();
    const bool is_settled = default_detector_.measuring() && settled();  // otherwise nobody asks
    if (default_detector_.add(*seen_, busy, is_settled)) update_pipeline();
}

void Session::apply_settings() {
    if (transport_.current() == Transport::State::failed) {  // the previous settings may be the cause
        if (failure() && failure()->kind() != ErrorKind::input) open(source_.spec());
        return;
    }
    update_pipeline();
}

void Session::update_pipeline() {
    if (!pipeline() || settled()) return;
    try {
        pipeline()->update(requested_settings());
    } catch (const Error& error) {
        alert_.show(error);
    }
}

}  // namespace throng::ui
