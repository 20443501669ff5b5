#include "ui/session/session.h"

#include <utility>

#include "core/clocks/telemetry_sink.h"
#include "core/video/image_file.h"
#include "ui/base/post.h"
#include "ui/session/capture_files.h"

namespace throng::ui {
namespace {

constexpr int kRefreshInterval = 125;  // milliseconds; figures that change faster are unreadable
constexpr int kMemoryInterval = 1000;
const QString kDemo = QStringLiteral("crowd:faces=60,size=1920x1080,seed=1");

Error as_error(const std::exception& exception) {
    if (const auto* error = dynamic_cast<const Error*>(&exception)) return *error;
    return Error(ErrorKind::internal, exception.what());
}

bool same(const PipelineSettings& a, const PipelineSettings& b) {
    return a.detector == b.detector && a.nms == b.nms && a.keep_raw == b.keep_raw && a.host_pixels == b.host_pixels;
}

}  // namespace

Session::Session(SessionSetup setup, QSettings& store, QObject* parent)
    : QObject(parent),
      store_(store),
      setup_(std::move(setup)),
      detection_(setup_.settings, setup_.detectors),
      recent_(store),
      recorder_(setup_.make_recording),
      clocks_(setup_.clocks) {
    pool_.setMaxThreadCount(8);  // several threads may block on streams that do not answer
    setup_.playback.real_time = true;

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
    connect(&detection_, &DetectionSettings::rejected, this, [this](const Error& why) { alert_.show(why); });
    connect(&recorder_, &Recorder::changed, this, &Session::update_pipeline);
    connect(&recorder_, &Recorder::written, this,
            [this](const QString& path) { alert_.show(tr("Recording saved"), path); });
    connect(&recorder_, &Recorder::failed, this, [this](const Error& error) { alert_.show(error); });
    connect(&clocks_, &Clocks::changed, this, &Session::handle_clock_change);
    connect(&sweep_, &Sweep::finished, this, [this] {
        swept_ = true;
        if (previous_loop_) set_loop(*std::exchange(previous_loop_, std::nullopt));
    });
}

Session::~Session() {
    if (pipeline_) pipeline_->set_wake({});
    ++run_;  // drops the result of an open that is still in progress
    open_stop_.request_stop();
    recorder_.stop();
    pipeline_.reset();
    pool_.waitForDone();
}

double Session::position() const {
    return result_ ? result_->frame.info().pts : 0;
}

QString Session::source_patterns() {
    QString patterns = QStringLiteral("*.mp4 *.mkv *.mov *.avi *.webm *.m4v *.ts *.gif");
    for (const std::string_view extension : image_extensions()) {
        patterns +=
            QStringLiteral(" *") + QString::fromUtf8(extension.data(), static_cast<qsizetype>(extension.size()));
    }
    return patterns;
}

QString Session::state() const {
    if (opening_) return QStringLiteral("opening");
    switch (state_) {
        case PipelineState::idle: return QStringLiteral("idle");
        case PipelineState::running: return QStringLiteral("running");
        case PipelineState::paused: return QStringLiteral("paused");
        case PipelineState::ended: return QStringLiteral("ended");
        case PipelineState::failed: return QStringLiteral("failed");
    }
    return {};
}

int Session::faces() const {
    return result_ ? static_cast<int>(result_->kept.detections.size()) : 0;
}
int Session::raw_count() const {
    return result_ ? static_cast<int>(result_->raw_count) : 0;
}
int Session::overflow() const {
    return result_ ? static_cast<int>(result_->overflow) : 0;
}

double Session::latency() const {
    return latency_.summary().p50;
}

// --- opening

void Session::open(const QString& spec) {
    if (spec.isEmpty()) return;
    const int run = ++run_;
    open_stop_.request_stop();
    open_stop_ = std::stop_source();
    source_ = spec;
    opening_ = true;
    failure_.reset();
    state_ = PipelineState::idle;
    info_ = {};
    counters_ = {};
    notice_.clear();
    result_.reset();
    on_screen_.reset();
    gl_bridge_.reset();
    shows_device_frames_ = false;
    has_sinks_ = false;
    latency_.clear();
    history_.clear();
    stages_.clear();
    switches_.update({});
    memory_.reset();
    sweep_.cancel();
    refresh_timer_.stop();
    memory_timer_.stop();
    recorder_.stop();
    if (alert_.is_error()) alert_.dismiss();

    std::shared_ptr<Pipeline> previous = std::exchange(pipeline_, nullptr);
    if (previous) previous->set_wake({});
    pool_.start([this, run, previous = std::move(previous), stop = open_stop_.get_token(),
                 request = OpenRequest{spec.toStdString(), requested_settings(), setup_.playback}]() mutable {
        open_in_background(run, request, stop, std::move(previous));
    });
    emit sourceChanged();
    emit resultChanged();
    emit statusChanged();
}

void Session::open_in_background(int run, const OpenRequest& request, const std::stop_token& stop,
                                 std::shared_ptr<Pipeline> previous) {
    try {
        {
            const std::lock_guard lock(engine_mutex_);
            previous.reset();  // before the next source is opened: it may be the same camera
        }
        if (run != run_) return;
        std::unique_ptr<VideoSource> source = setup_.open_source(request.spec, stop);
        const std::lock_guard lock(engine_mutex_);
        if (run != run_) return;
        const BackendChoice choice = setup_.make_backend(request.settings.detector);
        std::vector<std::shared_ptr<ResultSink>> sinks;
        if (run == 1 && setup_.make_sinks) sinks = setup_.make_sinks(source->info());
        const bool has_sinks = !sinks.empty();
        auto pipeline =
            std::make_shared<Pipeline>(std::move(source), choice.backend, request.settings, request.playback);
        for (std::shared_ptr<ResultSink>& sink : sinks) pipeline->add_sink(std::move(sink));
        if (setup_.clocks.telemetry) pipeline->add_sink(std::make_shared<TelemetrySink>(setup_.clocks.telemetry));
        post(this, [this, run, opened = Opened{std::move(pipeline), choice, has_sinks}] {
            if (run == run_) start(opened);
        });
    } catch (const std::exception& exception) {
        post(this, [this, run, error = as_error(exception)] {
            if (run == run_) fail(error);
        });
    }
}

void Session::start(const Opened& opened) {
    const BackendChoice& choice = opened.choice;
    pipeline_ = opened.pipeline;
    gl_bridge_ = choice.backend->make_gl_bridge();
    has_sinks_ = opened.has_sinks;
    opening_ = false;
    backend_ = QString::fromStdString(choice.backend->name());
    backend_description_ = QString::fromStdString(choice.backend->description());
    backend_reason_ = QString::fromStdString(choice.why);
    if (backend_reason_ == backend_ + QStringLiteral(": ") + backend_description_)
        backend_reason_.clear();  // repeats name and description
    pipeline_->set_wake([this] { wake(); });
    pipeline_->set_loop(loop());
    pipeline_->set_speed(speed());
    pipeline_->start();
    recent_.add(source_);
    apply_settings();  // settings changed while the source was being opened
    refresh_timer_.start();
    memory_timer_.start();
    query_memory();
    refresh();
}

void Session::openUrl(const QUrl& url) {
    open(url.isLocalFile() ? url.toLocalFile() : url.toString());
}

void Session::openDemo() {
    open(kDemo);
}

void Session::findCameras() {
    pool_.start([this] {
        std::vector<CameraInfo> found = setup_.list_cameras();
        post(this, [this, found = std::move(found)]() mutable { cameras_.update(std::move(found)); });
    });
}

void Session::findModels() {
    pool_.start([this] {
        std::vector<ModelFile> found = list_models();
        post(this, [this, found = std::move(found)]() mutable { detection_.set_installed_models(std::move(found)); });
    });
}

void Session::fail(const Error& error) {
    opening_ = false;
    failure_ = error;
    alert_.show(error);
    set_state(PipelineState::failed);
    emit failed();
}

// --- polling

void Session::wake() {
    if (wake_pending_.exchange(true)) return;
    post(this, [this] { pull(); });
}

void Session::pull() {
    wake_pending_ = false;
    if (!pipeline_) return;
    const bool first = !result_;
    if (auto newest = pipeline_->latest(); newest && newest != result_) {
        result_ = std::move(newest);
        history_.add(*result_);
        stages_.add(result_->timings);
        sweep_.add(*result_);
        emit resultChanged();
    }
    const PipelineState state = pipeline_->state();
    if (state == PipelineState::failed && state_ != PipelineState::failed) {
        fail(pipeline_->failure().value_or(Error(ErrorKind::internal, "the pipeline stopped unexpectedly")));
    } else if (state != state_ || first) {
        refresh();
    }
}

void Session::refresh() {
    if (!pipeline_) return;
    counters_ = pipeline_->counters();
    info_ = pipeline_->source_info();
    if (const QString name = QString::fromStdString(pipeline_->backend_name()); name != backend_ && !name.isEmpty()) {
        backend_ = name;  // the fallback replaced a failed backend; the notice gives the reason
        backend_reason_.clear();
    }
    if (const std::string text = pipeline_->backend_description(); !text.empty()) {
        backend_description_ = QString::fromStdString(text);
    }
    notice_ = QString::fromStdString(pipeline_->notice());
    stages_.update(pipeline_->timings());
    // If a detector could not be created, the pipeline reverts to the previous one; revert the controls, too.
    if (const PipelineSettings now = pipeline_->settings();
        !settings_timer_.isActive() && !same(now, requested_settings())) {
        detection_.set_values(now);
    }
    update_switches();
    if (state_ != PipelineState::failed) state_ = pipeline_->state();
    emit statusChanged();
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
    pool_.start([this, pipeline = pipeline_, run = run_.load()] {
        const std::optional<DeviceMemory> memory = pipeline->device_memory();
        post(this, [this, memory, run] {
            if (run == run_) memory_ = memory;
        });
    });
}

void Session::set_state(PipelineState state) {
    state_ = state;
    emit statusChanged();
}

void Session::record_presented(const std::shared_ptr<const FrameResult>& result) {
    if (!result || result == on_screen_.lock()) return;
    on_screen_ = result;
    if (state_ != PipelineState::running) return;
    const auto since = std::chrono::steady_clock::now() - result->frame.info().captured;
    latency_.add(std::chrono::duration<double, std::milli>(since).count());
}

// --- control

PipelineSettings Session::requested_settings() const {
    PipelineSettings settings = detection_.values();
    settings.keep_raw = display_.raw();
    const bool host_needed = has_sinks_ || recorder_.recording() || display_.blur();
    settings.host_pixels = setup_.settings.host_pixels && (host_needed || !shows_device_frames_);
    return settings;
}

void Session::apply_settings() {
    if (state_ == PipelineState::failed) {  // the previous settings may be the cause
        if (failure_ && failure_->kind() != ErrorKind::input) open(source_);
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

void Session::set_shows_device_frames(bool on) {
    shows_device_frames_ = on;
    update_pipeline();
}

void Session::togglePlay() {
    if (!pipeline_ || state_ == PipelineState::failed) {
        if (!opening_) open(source_);
    } else if (pipeline_->state() == PipelineState::ended) {
        pipeline_->pause(false);
        seek(0);
    } else {
        pipeline_->pause(pipeline_->state() == PipelineState::running);
    }
    refresh();
}

void Session::step() {
    if (!pipeline_) return;
    pipeline_->step();
    refresh();
}

void Session::seek(double seconds) {
    if (pipeline_) pipeline_->seek(std::max(0.0, seconds));
}

void Session::set_loop(bool loop) {
    if (this->loop() == loop) return;
    setup_.playback.loop = loop;
    if (pipeline_) pipeline_->set_loop(loop);
    emit playbackChanged();
}

void Session::set_speed(double speed) {
    if (this->speed() == speed || !(speed > 0)) return;
    setup_.playback.speed = speed;
    if (pipeline_) pipeline_->set_speed(speed);
    emit playbackChanged();
}

void Session::setSwitch(const QString& id, const QString& choice) {
    for (const DetectorSwitch& each : switches_.switches()) {
        if (each.id != id.toStdString() || each.chosen == choice.toStdString()) continue;
        stages_.set_baseline(
            QStringLiteral("%1: %2").arg(QString::fromStdString(each.title), QString::fromStdString(each.chosen)));
        detection_.set_switch(id, choice);
        break;
    }
    if (pipeline_) update_switches();
}

void Session::resetSwitches() {
    stages_.set_baseline(tr("previous optimizations"));
    detection_.reset_switches();
    if (pipeline_) update_switches();
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
    if (!playing()) {
        alert_.show(Error(ErrorKind::usage, "a clock sweep needs a running video", "",
                          "open a video or a camera, or start playback"));
        return;
    }
    sweep_.start();
    if (!sweep_.running()) return;
    stages_.clearBaseline();  // it was measured at another clock
    previous_loop_ = loop();
    set_loop(true);
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
    QString title = before;
    for (const ResolvedProfile& entry : clocks_.status().profiles) {
        if (entry.profile.id == before.toStdString()) title = QString::fromStdString(entry.profile.name);
    }
    stages_.set_baseline(tr("GPU clock: %1").arg(title));
}

bool Session::isSectionOpen(const QString& key) const {
    return store_.value(QStringLiteral("sections/") + key, true).toBool();
}

void Session::setSectionOpen(const QString& key, bool open) {
    store_.setValue(QStringLiteral("sections/") + key, open);
}

void Session::record() {
    if (recorder_.recording()) {
        recorder_.stop();
    } else if (pipeline_) {
        recorder_.start(pipeline_, info_, display_);
    }
}

void Session::saveScreenshot() {
    if (!result_) return;
    const QString path = capture_path(CaptureKind::image);
    pool_.start([this, path, shot = screenshot_request(result_, display_)] {
        try {
            write_screenshot(shot, path);
            post(this, [this, path] { alert_.show(tr("Screenshot saved"), path); });
        } catch (const Error& error) {
            post(this, [this, error] { alert_.show(error); });
        }
    });
}

}  // namespace throng::ui
