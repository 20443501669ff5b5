#include "ui/session/session.h"

#include <utility>

#include "core/base/extension.h"
#include "core/base/log.h"
#include "core/clocks/telemetry_sink.h"
#include "core/model/cnn_plan.h"
#include "core/model/onnx_reader.h"
#include "ui/base/post.h"
#include "ui/language/language.h"
#include "ui/models/shortcut_model.h"

namespace throng::ui {
namespace {

constexpr int kRefreshInterval = 125;  // milliseconds; figures that change faster are unreadable
constexpr int kMemoryInterval = 1000;
constexpr int kDecisionMs = 6000;  // for a message of two sentences
const QString kDemo = QStringLiteral("crowd:faces=60,size=1920x1080,seed=1");

bool same(const PipelineSettings& a, const PipelineSettings& b) {
    return a.detector == b.detector && a.nms == b.nms && a.tracking == b.tracking && a.carry == b.carry &&
           a.keep_rate == b.keep_rate && a.hiding == b.hiding && a.keep_raw == b.keep_raw &&
           a.host_pixels == b.host_pixels;
}

// Returns the models that the detectors can use, without networks for another task. Reads the files of the networks.
std::vector<InstalledModel> usable_models() {
    std::vector<InstalledModel> models;
    for (ModelFile& file : list_models()) {
        std::optional<float> threshold;
        try {
            if (lower_extension(file.path) == ".onnx")
                threshold = cnn_score_threshold({}, read_onnx(file.path).head.family);
        } catch (const Error& error) {
            spdlog::debug("{}", error.what());
            continue;
        }
        models.push_back({std::move(file), threshold});
    }
    return models;
}

}  // namespace

Session::Session(SessionSetup setup, QSettings& store, QObject* parent)
    : QObject(parent),
      setup_(std::move(setup)),
      transport_(setup_.playback),
      detection_(setup_.settings, setup_.detectors),
      trial_(setup_.try_network),
      captures_(setup_.make_recording, display_, setup_.draw_tracks, alert_),
      counts_(setup_.count_file, setup_.count_plan),
      compare_([this](const DetectorParams& detector) { return setup_.make_backend(detector).backend; },
               setup_.playback.fallback, setup_.settings, setup_.detectors),
      race_(setup_.race_suppression, setup_.race_detector),
      clocks_(setup_.clocks),
      recent_(store),
      sections_(store) {
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
    connect(&detection_, &DetectionSettings::changed, &compare_,
            [this] { compare_.second()->set_sizes_of_kinds(detection_.values().detector); });
    connect(&display_, &DisplaySettings::changed, &settings_timer_, qOverload<>(&QTimer::start));
    connect(&display_, &DisplaySettings::changed, &replay_, [this] {
        // A face that is shown only while a switch is held is not stored.
        replay_.set_hides_faces(display_.blur() || display_.hides_always());
    });
    connect(&matrix_, &MatrixView::openChanged, &settings_timer_, qOverload<>(&QTimer::start));
    connect(&counts_, &CountsView::countingChanged, &settings_timer_, qOverload<>(&QTimer::start));
    connect(&counts_, &CountsView::failed, &alert_, qOverload<const Error&>(&Alert::show));
    connect(&counts_, &CountsView::notified, &alert_, qOverload<const QString&, const QString&>(&Alert::show));
    connect(&matrix_, &MatrixView::openChanged, this, [this] {
        if (matrix_.open() && race_.open()) toggleRace();  // both take the same side of the image
    });
    connect(&compare_, &CompareView::openChanged, &settings_timer_, qOverload<>(&QTimer::start));
    connect(&race_, &RaceView::openChanged, &settings_timer_, qOverload<>(&QTimer::start));
    for (DetectionSettings* settings : {&detection_, compare_.second()}) {
        connect(settings, &DetectionSettings::rejected, this, [this](const Error& why) { alert_.show(why); });
    }
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
    connect(&opener_, &SourceOpener::opened, this, &Session::start);
    connect(&opener_, &SourceOpener::failed, this, &Session::fail);
    connect(&clocks_, &Clocks::changed, this, &Session::handle_clock_change);
    connect(&sweep_, &Sweep::finished, this, [this] {
        swept_ = true;
        if (previous_loop_) transport_.set_loop(*std::exchange(previous_loop_, std::nullopt));
    });
}

Session::~Session() {
    captures_.attach(nullptr);
    counts_.attach(nullptr);
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
    opener_.open({spec.toStdString(), settings, transport_.options(), pipeline_, std::move(closing), stand_in});
}

// Removes everything that belongs to the previous source and returns its pipeline.
std::shared_ptr<Pipeline> Session::reset(const QString& spec) {
    refresh_timer_.stop();
    memory_timer_.stop();
    captures_.attach(nullptr);
    counts_.attach(nullptr);
    feed_.attach(nullptr, nullptr);
    transport_.attach(nullptr);
    std::shared_ptr<Pipeline> previous = std::exchange(pipeline_, nullptr);
    seen_.reset();
    failure_.reset();
    rests_ = false;
    has_sinks_ = false;
    status_.clear();
    feedback_.clear();
    matrix_.clear();
    stage_map_.clear();
    compare_.clear();
    race_.clear();
    history_.clear();
    replay_.clear();
    stages_.clear();
    switches_.update({});
    backend_.set_memory(std::nullopt);
    sweep_.cancel();
    trial_.restart();
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
    backend_.select(*opened.choice.backend, opened.choice.why);
    if (setup_.clocks.telemetry) {
        telemetry_sink_ = std::make_shared<TelemetrySink>(setup_.clocks.telemetry);
        pipeline_->add_sink(telemetry_sink_);
    }
    if (setup_.make_observer) pipeline_->add_sink(setup_.make_observer());
    feed_.attach(pipeline_, opened.choice.backend->make_gl_bridge());
    transport_.attach(pipeline_);
    captures_.attach(pipeline_);
    counts_.attach(pipeline_);
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
        counts_.detach();
    }
    std::shared_ptr<Pipeline> pipeline = reset({});
    transport_.set_state(Transport::State::idle);
    return pipeline;
}

void Session::openUrl(const QUrl& url) {
    open(url.isLocalFile() ? url.toLocalFile() : url.toString());
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
        post(this, [this, found = std::move(found)] {
            detection_.set_installed_models(found);
            compare_.second()->set_installed_models(found);
        });
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
            replay_.add(seen_, history_.added());
            stages_.add(seen_->timings);
            sweep_.add(*seen_);
        }
        if (!seen_->carried) try_network();
        if (feedback_.awaits_result() && same(pipeline_->settings(), requested_settings())) feedback_.add(*seen_);
        const DetectionSet& kept = seen_->kept;
        if (!kept.detections.empty()) detection_.set_model_has_landmarks(!kept.landmarks.empty());
        counts_.set_frame_size(seen_->frame.width(), seen_->frame.height());
        transport_.set_position(seen_->frame.info().pts);
        compare_.show(seen_, pipeline_->settings());
        offer_to_race();
        emit resultChanged();
    }
    const PipelineState state = pipeline_->state();
    if (state == PipelineState::failed && transport_.current() != Transport::State::failed) {
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
    if (const QString given_up = translated_message(pipeline_->given_up()); given_up != given_up_) {
        given_up_ = given_up;
        if (!given_up.isEmpty()) feedback_.say(tr("This machine is too slow: %1").arg(given_up));
    }
    counts_.refresh();
    backend_.update(pipeline_->backend_name(), pipeline_->backend_description());
    stages_.update(pipeline_->timings());
    // If a detector could not be created, the pipeline reverts to the previous one; revert the controls, too.
    if (const PipelineSettings now = pipeline_->settings();
        !settings_timer_.isActive() && !same(now, requested_settings())) {
        PipelineSettings reverted = now;
        reverted.carry = detection_.values().carry;  // a comparison overrides both for a time
        reverted.keep_rate = detection_.values().keep_rate;
        detection_.set_values(reverted);
        feedback_.clear();  // the notice says why
    }
    update_switches();
    // At this rate, since the matrix of a frame takes longer than its detection on a GPU.
    if (matrix_.open() && pipeline_->settings().keep_raw) matrix_.show(result(), pipeline_->settings().nms);
    stage_map_.show(result(), pipeline_->settings().detector);
    replay_.refresh();
    rest_or_play();
    if (transport_.current() != Transport::State::failed) transport_.set_state(state_on_screen());
    offer_to_race();
    emit refreshed();
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
                        captures_.recording() || counts_.counting() || sweep_.running();
    if (needed) {
        if (std::exchange(rests_, false)) pipeline_->pause(false);
    } else if (pipeline_->state() == PipelineState::running) {
        rests_ = true;
        pipeline_->pause(true);
    }
}

// Shows the requested values: the detector applies them with its next frame.
void Session::update_switches() {
    std::vector<DetectorSwitch> now = pipeline_->switches();
    const std::map<std::string, std::string>& requested = detection_.values().detector.switches;
    for (DetectorSwitch& each : now) {
        const auto found = requested.find(each.id);
        if (found != requested.end()) {
            each.chosen = found->second;
        } else if (!each.choices.empty()) {
            each.chosen = each.choices.front();
        }
    }
    switches_.update(std::move(now));
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
    settings.keep_raw = display_.raw() || matrix_.open() || race_.open();
    if (counts_.counting()) settings.tracking = tracker_params(settings.detector.kind);
    // These compare detections with the configured settings: no boxes of an earlier frame and no larger sizes.
    if (compare_.open() || race_.open()) {
        settings.carry = false;
        settings.keep_rate = 0;
    }
    if (has_sinks_) settings.keep_rate = 0;  // outputs have the configured detection
    if (trial_.measuring()) settings.keep_rate = 0;
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

// After a detected frame: starts, continues or ends the trial of a network. On a still image the network is used
// without a decision: there is nothing to keep up with.
void Session::try_network() {
    // These need the same detector throughout, or slow it down.
    const bool busy =
        has_sinks_ || compare_.open() || race_.open() || sweep_.running() || captures_.recorder()->recording();
    if (trial_.due()) {
        if (detection_.detector_chosen()) trial_.end();
        if (busy || !trial_.due() || !detection_.has_network()) return;
        trial_.start();
        before_trial_ = detection_.values();
        detection_.try_network();
        trial_settings_ = detection_.values();
        return;
    }
    if (!trial_.measuring()) return;
    const PipelineSettings& now = detection_.values();
    if (now.detector != trial_settings_.detector || now.nms != trial_settings_.nms) {
        trial_.end();  // the user has changed them, or the network cannot run
        update_pipeline();
        return;
    }
    if (busy) trial_.restart();
    if (busy || !same(pipeline_->settings(), requested_settings())) return;
    const std::optional<double> ms = trial_.add(*seen_);
    if (!ms) return;
    trial_.end();
    const QString tried = detection_.title();
    const QString time = QString::number(*ms, 'f', *ms < 9.95 ? 1 : 0);
    const QString key = shortcut_keys(QStringLiteral("detector"));
    if (const double rate = setup_.settings.keep_rate; rate <= 0 || *ms * rate <= 1000) {
        detection_.make_default();
        feedback_.say(tr("%1: %2 ms per frame; using it. Key %3 changes it").arg(tried, time, key), kDecisionMs);
    } else {
        detection_.set_values(before_trial_);
        feedback_.say(tr("%1: %2 ms per frame, too slow here; using %3. Key %4 changes it")
                          .arg(tried, time, detection_.title(), key),
                      kDecisionMs);
    }
    update_pipeline();
}

void Session::apply_settings() {
    if (transport_.current() == Transport::State::failed) {  // the previous settings may be the cause
        if (failure_ && failure_->kind() != ErrorKind::input) open(source_.spec());
        return;
    }
    update_pipeline();
}

void Session::update_pipeline() {
    if (!pipeline_ || same(pipeline_->settings(), requested_settings())) return;
    try {
        pipeline_->update(requested_settings());
    } catch (const Error& error) {
        alert_.show(error);
    }
}

void Session::setSwitch(const QString& id, const QString& choice) {
    for (const DetectorSwitch& each : switches_.switches()) {
        if (each.id != id.toStdString() || each.chosen == choice.toStdString()) continue;
        const auto state = [&each](const std::string& chosen) {
            return QStringLiteral("%1: %2").arg(translated(each.title), translated(chosen));
        };
        stages_.set_baseline(state(each.chosen));
        detection_.set_switch(id, choice);
        if (pipeline_) feedback_.say_with_result(state(choice.toStdString()));
        break;
    }
    if (pipeline_) update_switches();
}

void Session::resetSwitches() {
    stages_.set_baseline(tr("previous optimizations"));
    detection_.reset_switches();
    if (pipeline_) update_switches();
}

void Session::toggleCompare() {
    if (compare_.open()) {
        compare_.stop();
        return;
    }
    if (!pipeline_) return;
    double alone_ms = 0;
    for (const StageSummary& stage : pipeline_->timings()) {
        const bool comparable = pipeline_->given_up().empty();  // otherwise it is the time of larger sizes
        if (stage.name == stage::kTotal && comparable) alone_ms = stage.ms.p50;
    }
    compare_.start(detection_.values(), alone_ms);
    compare_.show(result(), pipeline_->settings());
}

// Also at every refresh, since playback may have been paused after the result.
void Session::offer_to_race() {
    if (!transport_.playing() && pipeline_->settings().keep_raw) race_.offer(result(), pipeline_->settings());
}

void Session::toggleRace() {
    if (!race_.open() && !pipeline_) return;
    race_.set_open(!race_.open());
    if (race_.open()) matrix_.set_open(false);
    if (!race_.open()) {
        if (std::exchange(race_paused_, false) && !transport_.playing()) transport_.toggle();
        return;
    }
    race_paused_ = transport_.playing() && !source_.still();
    if (race_paused_) transport_.toggle();
}

void Session::startOrStopSweep() {
    if (sweep_.running()) {
        sweep_.cancel();
        return;
    }
    if (!sweep_.possible()) {
        alert_.show(Error(ErrorKind::unavailable, "a clock sweep needs at least two clock profiles", "",
                          clocks_.summary().toStdString()));
        return;
    }
    if (!transport_.playing()) {
        alert_.show(Error(ErrorKind::usage, "a clock sweep needs a running video", "",
                          "open a video or a camera, or start playback"));
        return;
    }
    sweep_.start();
    if (!sweep_.running()) return;
    stages_.clearBaseline();  // it was measured at another clock
    previous_loop_ = transport_.loop();
    transport_.set_loop(true);
}

// Sets a baseline when the clock profile changes, so that the bars show the effect.
void Session::handle_clock_change() {
    const std::string& recovered = clocks_.status().recovered;
    if (!recovered.empty() && !std::exchange(recovery_reported_, true)) {
        alert_.show(tr("The clocks were restored"), QString::fromStdString(recovered));
    }
    if (clocks_.status().phase == ClockPhase::applying) return;
    const QString now = clocks_.chosen();
    const QString before = std::exchange(previous_clock_, now);
    if (sweep_.running() || std::exchange(swept_, false)) return;
    if (before == now || before.isEmpty() || now.isEmpty()) return;
    if (backend_.name() == QStringLiteral("cpu")) {  // the GPU clock has no effect on these times
        stages_.clearBaseline();
        return;
    }
    stages_.set_baseline(tr("GPU clock: %1").arg(clocks_.nameOf(before)));
}

}  // namespace throng::ui
