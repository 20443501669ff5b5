#include "ui/session/run.h"

#include <utility>

#include "core/video/formats.h"

namespace throng::ui {
namespace {

constexpr int kRefreshInterval = 125;  // milliseconds; figures that change faster are unreadable
const QString kDemo = QStringLiteral("crowd:faces=60,size=1920x1080,seed=1");

}  // namespace

Run::Run(SessionSetup setup, QObject* parent)
    : QObject(parent),
      setup_(std::move(setup)),
      transport_(setup_.playback),
      detection_(setup_.settings, setup_.detectors) {
    detection_.set_detector_chosen(setup_.detector_chosen);
    display_.set_tracks(setup_.draw_tracks);

    refresh_timer_.setInterval(kRefreshInterval);
    connect(&refresh_timer_, &QTimer::timeout, this, &Run::refresh);
    settings_timer_.setSingleShot(true);
    settings_timer_.setInterval(0);
    connect(&settings_timer_, &QTimer::timeout, this, &Run::apply_settings);
    connect(&detection_, &DetectionSettings::changed, this, &Run::request_update);
    connect(&display_, &DisplaySettings::changed, this, &Run::request_update);
    connect(&feed_, &FrameFeed::delivered, this, &Run::pull);
    connect(&feed_, &FrameFeed::pathChanged, this, &Run::update_pipeline);
    connect(&transport_, &Transport::commanded, this, &Run::refresh);
    connect(&transport_, &Transport::reopenRequested, this, [this] { open(source_.spec()); });
    connect(&controller_, &SourceController::openingChanged, this,
            [this] { source_.set_opening(controller_.opening()); });
    connect(&controller_, &SourceController::closing, this, &Run::reset);
    connect(&controller_, &SourceController::opened, this, &Run::start);
    connect(&controller_, &SourceController::failed, this, &Run::fail);
}

// --- the source

void Run::open(const QString& spec, bool stand_in) {
    if (spec.isEmpty()) return;
    PipelineSettings settings = requested_settings();
    settings.host_pixels = setup_.settings.host_pixels;  // until the view has chosen a path for frames on the device
    controller_.open({spec, settings, transport_.options(), stand_in});
}

void Run::openDemo() {
    open(kDemo);
}

void Run::open_stand_in() {
    open(kDemo, true);
}

void Run::detach() {
    for (RunListener* each : listeners_) each->attach(nullptr);
    feed_.attach(nullptr, nullptr);
    transport_.attach(nullptr);
}

// Removes everything that belongs to the previous source.
void Run::reset(const QString& next) {
    refresh_timer_.stop();
    detach();
    newest_.reset();
    rests_ = false;
    source_.set_spec(next);
    transport_.set_position(0);
    transport_.set_state(next.isEmpty() ? Transport::State::idle : Transport::State::opening);
    emit resultChanged();
    emit refreshed();
}

void Run::start() {
    if (setup_.make_observer) pipeline()->add_sink(setup_.make_observer());
    feed_.attach(pipeline(), controller_.source().choice.backend->make_gl_bridge());
    const bool repeats = names_animation(source_.spec().toStdString()) && pipeline()->source_info().frame_count != 1;
    transport_.attach(pipeline(), repeats);
    for (RunListener* each : listeners_) each->attach(pipeline());
    update_pipeline();  // settings changed while the source was being opened; outputs may need that faces are hidden
    pipeline()->start();
    emit opened(controller_.source());
    refresh_timer_.start();
    refresh();
}

OpenedSource Run::release() {
    if (pipeline()) {
        for (RunListener* each : listeners_) each->detach();
    }
    return controller_.release();
}

void Run::fail(const Error& error) {
    emit failed(error);
    if (!failure()) return;  // the previous source runs on
    transport_.set_state(Transport::State::failed);
    emit refreshed();
}

// --- polling

void Run::pull() {
    const bool first = !newest_;
    if (result() && result() != newest_) {
        newest_ = result();
        if (!newest_->carried) ++number_;
        const DetectionSet& kept = newest_->kept;
        if (!kept.detections.empty()) detection_.set_model_has_landmarks(!kept.landmarks.empty());
        transport_.set_position(newest_->frame.info().pts);
        const RunFrame now = frame();
        for (RunListener* each : listeners_) {
            if (!each->covered()) each->on_result(now);
        }
        if (needs() != now.needs) update_pipeline();
        emit resultChanged();
    }
    controller_.poll();
    if (!failure() && (state_on_screen() != transport_.current() || first)) refresh();
}

// The source ends with its last result: that is where the user believes the end, and marks it.
Transport::State Run::state_on_screen() const {
    const Transport::State state = transport_state(pipeline()->state());
    if (state != Transport::State::ended || pipeline()->latest() == result()) return state;
    return transport_.current();  // until the result has arrived
}

void Run::refresh() {
    if (!pipeline()) return;
    source_.set_info(pipeline()->source_info());
    const double fps = source_.info().fps;
    transport_.set_frame_time(fps > 0 ? 1 / fps : 0);
    // If a detector could not be created, the pipeline reverts to the previous one; revert the controls, too.
    if (!settings_timer_.isActive() && !settled()) {
        PipelineSettings previous = pipeline()->settings();
        previous.carry = detection_.values().carry;  // a comparison overrides both for a time
        previous.keep_rate = detection_.values().keep_rate;
        detection_.set_values(previous);
        emit reverted();
    }
    rest_or_play();
    if (transport_.current() != Transport::State::failed) transport_.set_state(state_on_screen());
    if (!pipeline()) return;  // the next file of a playlist is being opened
    if (seen_) {
        const RunFrame now = frame();
        for (RunListener* each : listeners_) {
            if (!each->covered()) each->on_refresh(now);
        }
    }
    emit refreshed();
}

RunFrame Run::frame() const {
    return {result(),
            *pipeline(),
            pipeline()->settings(),
            needs(),
            settled(),
            number_,
            transport_.playing() && !source_.still(),
            source_.seekable() ? source_.duration() : 0};
}

void Run::set_seen(bool seen) {
    if (seen == seen_) return;
    seen_ = seen;
    refresh();
    emit seenChanged();
}

// Pauses what nobody sees and nothing else needs, and continues it later.
void Run::rest_or_play() {
    if (seen_ || needs().results) {
        if (std::exchange(rests_, false)) pipeline()->pause(false);
    } else if (pipeline()->state() == PipelineState::running) {
        rests_ = true;
        pipeline()->pause(true);
    }
}

// --- control

PipelineNeeds Run::needs() const {
    const bool writes = controller_.source().has_sinks;
    PipelineNeeds needs;
    needs.results = writes || setup_.make_observer || setup_.measures;
    needs.fixed_sizes = needs.same_detector = writes;
    needs.hidden_faces = writes && setup_.sinks_hide_faces;
    needs.hides_by = setup_.hides_by;
    // Frames are copied to the host while somebody needs them there.
    needs.host_pixels = writes || !feed_.shows_device_frames();
    for (const RunListener* each : listeners_) each->add_needs(needs);
    needs.host_pixels = needs.host_pixels && setup_.settings.host_pixels;
    return needs;
}

PipelineSettings Run::requested_settings() const {
    PipelineSettings settings = detection_.values();
    for (const RunListener* each : listeners_) each->adjust(settings);
    return ui::requested_settings(settings, display_, needs());
}

bool Run::settled() const {
    return same_settings(pipeline()->settings(), requested_settings());
}

void Run::apply_settings() {
    if (transport_.current() == Transport::State::failed) {  // the previous settings may be the cause
        if (failure() && failure()->kind() != ErrorKind::input) open(source_.spec());
        return;
    }
    update_pipeline();
}

void Run::update_pipeline() {
    if (!pipeline() || settled()) return;
    try {
        pipeline()->update(requested_settings());
    } catch (const Error& error) {
        emit failed(error);
    }
}

}  // namespace throng::ui
