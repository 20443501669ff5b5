#include "app/commands/detect_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include "app/commands/detect_archive.h"
#include "app/options/interrupt.h"
#include "app/options/report.h"
#include "app/options/standard_output.h"
#include "core/base/json_text.h"
#include "core/base/log.h"
#include "core/base/output_file.h"
#include "core/base/resources.h"
#include "core/base/secrets.h"
#include "core/base/sleep.h"
#include "core/detect/detector_kinds.h"
#include "core/model/model_finder.h"
#include "core/video/url.h"

namespace throng {
namespace {

using Clock = std::chrono::steady_clock;

// NVDEC needs several streams to be fully used. On the CPU, more concurrent sources only share the cores.
constexpr std::size_t kStreamsOfGpu = 8;
constexpr std::size_t kMaxStreamsOfCpu = 4;
constexpr std::size_t kMaxRows = 32;  // maximum length of the table of sources
constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr auto kPollIntervalOfSeveral = std::chrono::milliseconds(5);
constexpr std::chrono::milliseconds kNoTimeout = std::chrono::hours(24);  // an opening has a time limit of its own

}  // namespace

bool hangs(const PipelineCounters& before, const PipelineCounters& now, bool live) {
    const bool frames_wait = live ? now.decoded > before.decoded : now.decoded > now.detected + now.dropped;
    return frames_wait && now.detected == before.detected;
}

DetectRun::DetectRun(DetectArguments arguments, const CommonOptions& common)
    : arguments_(std::move(arguments)), common_(common), files_(std::make_shared<RunFiles>(common)) {
    settings_ = pipeline_settings(arguments_.detection.params());
    settings_.keep_raw = arguments_.output.raw;
    const bool counts_files = arguments_.archive.requested() && !arguments_.output.count.empty();
    if (arguments_.output.need_tracks() || counts_files) settings_.tracking = tracker_params(settings_.detector.kind);
    if (arguments_.output.hides_faces()) settings_.hiding = hiding_params(settings_.detector.kind);
    if (arguments_.output.hides_files()) settings_.hiding->plan.delay = kFileDelay;
    check_settings(settings_);
    if (arguments_.archive.requested()) return;
    reject_archive_options(arguments_.archive, {"add %1", Setting{"out", "DIR"}});
    if (arguments_.sources.empty() && !arguments_.output.http.requested()) {
        throw Error(ErrorKind::usage, "SOURCE is required", {}, "see throng detect --help");
    }
    if (arguments_.sources.empty()) check_without_source();
    for (const std::string& source : arguments_.sources) files_->add_source(source);
    files_->add_model(settings_.detector);
    add_clock_files(*files_, arguments_.clocks);
    add_outputs(*files_, arguments_.output, arguments_.sources.size());
}

int DetectRun::run() {
    if (arguments_.archive.requested()) return run_detect_archive(arguments_, settings_, common_);
    const InterruptGuard interrupts;
    service_ = make_service(arguments_.output.http, server_images(arguments_.output), settings_, common_,
                            arguments_.clocks.root, arguments_.sources.empty());
    if (arguments_.sources.empty()) return answer_questions();
    idle_backends_.push_back(make_backend(common_, &settings_.detector));
    const BackendChoice& first = idle_backends_.back();
    backend_ = first.backend->kind();
    backend_why_ = first.why.text();
    model_name_ = model_name(settings_.detector);  // the file may be removed before the end
    logger().debug("backend {}, {}", first.why.text(), first.backend->description());
    outputs_ = OutputFiles(arguments_.output, arguments_.sources.size(), files_, service_);
    settings_.host_pixels = outputs_.want_pixels();
    clocks_.emplace(arguments_.clocks, common_);
    if (auto sink = clocks_->sink()) clock_sink_ = std::make_shared<SharedSink::Shared>(std::move(sink));

    sources_.emplace(
        arguments_.sources, [this](std::size_t number, const std::stop_token& stop) { return open(number, stop); },
        InterruptGuard::token());
    const Clock::time_point start = Clock::now();
    for (start_sources(); !active_.empty(); start_sources()) watch();
    notify_service_manager("STOPPING=1");
    progress_.reset();
    const auto finish = [this](auto& output, auto close) {
        try {
            (output.*close)();
        } catch (const Error& error) {
            report(error);
        }
    };
    finish(*clocks_, &ClockRun::finish);
    finish(outputs_, &OutputFiles::close);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    write_summary(seconds);
    print_totals(seconds);
    return InterruptGuard::requested() ? exit_status(ErrorKind::interrupted) : status_;
}

void DetectRun::check_without_source() const {
    const OutputOptions& output = arguments_.output;
    std::vector<std::string_view> given = output.given();
    for (const auto& [name, is_given] : {std::pair{"count", !output.count.empty()},
                                         {"raw", output.raw},
                                         {"track", output.track},
                                         {"blur", output.blur},
                                         {"show_faces", output.show_faces},
                                         {"telemetry", !arguments_.clocks.telemetry.empty()}}) {
        if (is_given) given.emplace_back(name);
    }
    for (const std::string_view name : given) {
        if (name != "http") throw Error(ErrorKind::usage, "has no effect without a SOURCE", Setting{name});
    }
}

// Without a source: until a signal. The detector is ready.
int DetectRun::answer_questions() {
    clocks_.emplace(arguments_.clocks, common_);
    notify_service_manager("READY=1\nSTATUS=Answers questions about images");
    const std::chrono::duration<double> pause = period_.count() > 0 ? period_ / 4.0 : std::chrono::hours(1);
    while (sleep_for(pause, InterruptGuard::token())) notify_service_manager("WATCHDOG=1");
    notify_service_manager("STOPPING=1");
    return exit_status(ErrorKind::interrupted);
}

void DetectRun::report(const Error& error) {
    if (progress_) progress_->finish();
    // An output that several sources share fails in each of them, and once more when it is closed.
    if (reported_.insert(error.what()).second) print_error(error);
    if (status_ == 0) status_ = exit_status(error.kind());
}

std::size_t DetectRun::files_at_once() const {
    if (arguments_.streams > 0) return static_cast<std::size_t>(arguments_.streams);
    if (backend_ != BackendKind::cpu && !device_lost_) return kStreamsOfGpu;
    return std::min(static_cast<std::size_t>(cpu_cores()), kMaxStreamsOfCpu);
}

// Those that are opened early are files whose turn has not come, and are not missed.
void DetectRun::expect_sources(std::size_t count) {
    if (!service_) return;
    const std::size_t end = std::min(sources_->next() + count, arguments_.sources.size());
    for (std::size_t i = sources_->next(); i < end; ++i) {
        service_->expect(static_cast<int>(i) + 1, arguments_.sources[i]);
    }
}

// All live sources run concurrently, because they have no end to wait for.
void DetectRun::start_sources() {
    const auto files = [this] {
        return static_cast<std::size_t>(
            std::count_if(active_.begin(), active_.end(), [](const Active& active) { return !active.live; }));
    };
    const std::size_t before = active_.size();
    while (can_continue_ && sources_->has_next() && !InterruptGuard::requested()) {
        const std::size_t at_once = files_at_once();
        const std::size_t free = at_once - std::min(files(), at_once);
        expect_sources(free);
        sources_->open(free, std::max<std::size_t>(at_once / 2, 1));
        if (free == 0 || !sources_->wait(active_.empty() ? kNoTimeout : std::chrono::milliseconds(0))) break;
        start_source();
    }
    if (active_.size() != before) share_threads();
    if (progress_ || active_.empty()) return;
    const bool several = arguments_.sources.size() > 1;
    const Active& only = active_.front();
    progress_.emplace(common_, several ? fmt::format("{} sources", arguments_.sources.size()) : only.label,
                      several ? std::nullopt : only.frames);
}

BackendChoice DetectRun::acquire_backend() {
    if (!idle_backends_.empty()) {
        BackendChoice choice = std::move(idle_backends_.back());
        idle_backends_.pop_back();
        return choice;
    }
    // Each source has its own CUDA stream on the same device.
    CommonOptions common = common_;
    common.backend = device_lost_ ? BackendKind::cpu : backend_;
    return make_backend(common, device_lost_ ? &settings_.detector : nullptr);
}

std::unique_ptr<VideoSource> DetectRun::open(std::size_t number, const std::stop_token& stop) const {
    SourceOptions options = arguments_.source.source;
    options.in_strips = !outputs_.want_pixels() && !arguments_.output.http.requested();
    set_device(options, common_.device, backend_ != BackendKind::cpu && !device_lost_);
    return open_source(arguments_.sources[number], options, stop);
}

void DetectRun::start_source() {
    const std::size_t number = sources_->next();
    std::unique_ptr<VideoSource> source;
    try {
        source = sources_->take();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::interrupted) report(error);
        return;
    }
    try {
        make_pipeline(number, std::move(source)).start();
    } catch (const Error& error) {
        report(error);
        leave_out_rest();
    }
}

// After an error that the next source would hit, too.
void DetectRun::leave_out_rest() {
    can_continue_ = false;
    sources_->close();
    if (!service_) return;
    for (std::size_t i = sources_->next(); i < arguments_.sources.size(); ++i) {
        service_->forget(static_cast<int>(i) + 1);
    }
}

Pipeline& DetectRun::make_pipeline(std::size_t number, std::unique_ptr<VideoSource> source) {
    Active active;
    active.number = number;
    active.backend = acquire_backend();
    const SourceInfo info = source->info();
    active.live = info.live;
    active.label = label_of(info.name, number);
    if (info.frame_count && *info.frame_count > 0) active.frames = static_cast<std::uint64_t>(*info.frame_count);
    if (arguments_.source.frames > 0) {
        const auto limit = static_cast<std::uint64_t>(arguments_.source.frames);
        active.frames = active.frames ? std::min(*active.frames, limit) : limit;
    }

    PipelineOptions options;
    options.max_frames = arguments_.source.frames;
    options.shared_permits = shared_permits_;
    options.source_number = static_cast<int>(number) + 1;
    options.fallback = make_fallback(common_, settings_.detector, active.backend.backend.get());
    PipelineSettings settings = settings_;
    if (settings.hiding && !active.live) settings.hiding->plan.delay = kFileDelay;
    active.pipeline = std::make_unique<Pipeline>(std::move(source), active.backend.backend, settings, options);
    Pipeline& pipeline = *active.pipeline;
    for (auto& sink : outputs_.sinks_for(number, info)) pipeline.add_sink(sink);
    active.totals = std::make_shared<SourceTotals>(info.name, options.source_number);
    totals_.push_back(active.totals);
    pipeline.add_sink(active.totals);
    pipeline.add_sink(std::make_shared<SharedSink>(summary_sink_));
    if (clock_sink_) pipeline.add_sink(std::make_shared<SharedSink>(clock_sink_));
    active_.push_back(std::move(active));
    return pipeline;
}

// Sources on the CPU divide its threads among them.
void DetectRun::share_threads() {
    std::vector<Pipeline*> on_cpu;
    for (Active& active : active_) {
        if (active.pipeline->backend_kind() == BackendKind::cpu) on_cpu.push_back(active.pipeline.get());
    }
    if (on_cpu.empty() || arguments_.sources.size() == 1) return;
    const int all = settings_.detector.threads > 0 ? settings_.detector.threads : cpu_cores();
    for (Pipeline* pipeline : on_cpu) {
        PipelineSettings settings = pipeline->settings();
        const int share = std::max(1, all / static_cast<int>(on_cpu.size()));
        if (settings.detector.threads == share) continue;
        settings.detector.threads = share;
        pipeline->update(settings);
    }
}

void DetectRun::watch() {
    const bool several = active_.size() > 1 || sources_->has_next();
    active_.front().pipeline->wait_for(several ? kPollIntervalOfSeveral : kPollInterval);
    report_alive();
    const std::uint64_t done = summary_->frames();
    for (auto active = active_.begin(); active != active_.end();) {
        const PipelineState state = active->pipeline->state();
        const bool over = state == PipelineState::ended || state == PipelineState::failed;
        log_notice(*active);
        if (over || InterruptGuard::requested()) {
            finish(*active);
            active = active_.erase(active);
        } else {
            ++active;
        }
    }
    if (active_.empty() || !progress_) return;
    const std::shared_ptr<const FrameResult> latest = active_.front().pipeline->latest();
    progress_->update(done, latest ? fmt::format("{} {}", latest->kept.detections.size(),
                                                 detector_kind(settings_.detector.kind).finds)
                                   : std::string());
}

void DetectRun::report_alive() {
    if (!ready_ && summary_->frames() > 0) {
        ready_ = true;
        notify_service_manager(fmt::format("READY=1\nSTATUS=Sources: {}", active_.size()));
    }
    if (period_.count() == 0 || Clock::now() < next_report_) return;
    next_report_ = Clock::now() + period_ / 4;
    bool one_hangs = false;
    for (Active& active : active_) {
        const PipelineCounters now = active.pipeline->counters();
        one_hangs |= hangs(std::exchange(active.reported, now), now, active.live);
    }
    if (!one_hangs) notify_service_manager("WATCHDOG=1");
}

// Returns the name of the file, or the whole address, because two cameras may differ in the host only.
std::string DetectRun::label_of(const std::string& name, std::size_t number) const {
    const auto short_name = [](const std::string& whole) {
        const std::string file = std::filesystem::path(whole).filename().string();
        return file.empty() || !url_scheme(whole).empty() ? whole : file;
    };
    const std::string label = short_name(name);
    const auto same = std::count_if(arguments_.sources.begin(), arguments_.sources.end(), [&](const std::string& spec) {
        return short_name(mask_credentials(spec)) == label;
    });
    return same > 1 ? fmt::format("{} (source {})", label, number + 1) : label;
}

void DetectRun::log_notice(Active& active) {
    std::string notice = active.pipeline->notice().text();
    if (notice != active.logged && active.live && !notice.empty()) {
        if (progress_) progress_->finish();
        logger().warn("{}: {}", active.label, notice);
    }
    active.logged = std::move(notice);
}

// Results of the readable part are still written. The exit status shows that the source is incomplete.
void DetectRun::report_incomplete(Active& active) {
    const std::string missing = active.pipeline->incomplete();
    if (missing.empty()) return;
    if (progress_) progress_->finish();
    logger().warn("{}: incomplete: {}", active.label, missing);
    active.totals->set_incomplete(missing);
    if (status_ == 0) status_ = exit_status(ErrorKind::input);
}

void DetectRun::finish(Active& active) {
    Pipeline& pipeline = *active.pipeline;
    pipeline.stop();
    const PipelineCounters counters = pipeline.counters();
    summary_->add(counters);
    active.totals->set_dropped(counters.dropped);
    active.totals->set_details(pipeline.source_info().details.text());
    const bool left_device = pipeline.backend_kind() != active.backend.backend->kind();
    const std::optional<Error> failure = pipeline.failure();
    if (failure) {
        report(*failure);
        if (failure->kind() != ErrorKind::input || outputs_.failed()) leave_out_rest();
    } else if (counters.decoded == 0 && !InterruptGuard::requested()) {
        report(Error(ErrorKind::input, "contains no frames", arguments_.sources[active.number]));
    }
    // An output may fail because its input is incomplete.
    const bool by_input = !failure || failure->kind() == ErrorKind::input;
    if (by_input && !InterruptGuard::requested()) report_incomplete(active);
    active.pipeline.reset();
    if (left_device) {
        sources_->close();    // opened for the device
        device_lost_ = true;  // lost to this process: further sources start on the CPU
        idle_backends_.clear();
    } else if (!failure && !(device_lost_ && active.backend.backend->kind() != BackendKind::cpu)) {
        idle_backends_.push_back(std::move(active.backend));
    }
}

void DetectRun::write_summary(double seconds) {
    if (arguments_.output.summary.empty() || summary_->frames() == 0) return;
    nlohmann::ordered_json json = summary_->json(seconds);
    json["detector"] = detector_kind(settings_.detector.kind).name;
    json["model"] = model_name_;
    json["backend"] = name_of(kBackendNames, backend_);
    json["sources"] = SourceTotals::json(totals_);
    json["interrupted"] = InterruptGuard::requested();
    try {
        write_file(arguments_.output.summary, json_text(json, 2) + "\n", InterruptGuard::token());
    } catch (const Error& error) {
        report(error);
    }
}

void DetectRun::print_totals(double seconds) const {
    if (common_.quiet || summary_->frames() == 0) return;
    std::string text;
    if (totals_.size() > 1 && totals_.size() <= kMaxRows) text += SourceTotals::table(totals_).text() + "\n";
    text += summary_->text(seconds, detector_kind(settings_.detector.kind).finds);
    text += fmt::format("detector {}\n", describe_detector(settings_.detector.kind, model_name_));
    text +=
        fmt::format("backend {}{}\n", backend_why_, device_lost_ ? ", lost during the run; continued on the CPU" : "");
    if (files_->write_standard_output()) {
        std::fputs(text.c_str(), stderr);
    } else {
        standard_output::write(text);
    }
}

}  // namespace throng
