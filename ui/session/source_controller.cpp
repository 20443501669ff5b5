#include "ui/session/source_controller.h"

#include <malloc.h>

#include <utility>

#include "core/base/error.h"
#include "ui/base/post.h"

namespace throng::ui {
namespace {

// The frames of a large source were allocated between what remains in use: glibc would keep their memory for good.
void return_free_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace

bool may_share_device(const QString& a, const QString& b) {
    const auto uses_device = [](const QString& spec) {
        return spec.contains(QLatin1String("camera:")) || spec.contains(QLatin1String("/dev/")) ||
               spec.contains(QLatin1String("gst:")) || spec.contains(QLatin1String("csi:"));
    };
    return a == b || (uses_device(a) && uses_device(b));
}

SourceController::SourceController(const SessionSetup& setup, SourcePolicy policy, QObject* parent)
    : QObject(parent), setup_(setup), policy_(std::move(policy)), has_made_sinks_(policy_.one_of_several) {
    if (!policy_.make_backend) policy_.make_backend = setup.make_backend;
    connect(&retry_, &QTimer::timeout, this, &SourceController::retryDue);
    pool_.setMaxThreadCount(8);  // several threads may block on streams that do not answer
}

SourceController::~SourceController() {
    cancel();
    pool_.waitForDone();
}

void SourceController::open(OpenRequest request) {
    cancel();
    stop_ = std::stop_source();
    set_opening(request.spec);
    request.playback.source_number = policy_.source_number;
    std::shared_ptr<Pipeline> closing;
    if (!pipeline() || may_share_device(request.spec, source_.spec)) closing = take(request.spec).pipeline;
    run([this, number = number_.load(), request = std::move(request), previous = pipeline(),
         closing = std::move(closing),
         stop = stop_.get_token()]() mutable { work(number, request, std::move(previous), std::move(closing), stop); });
}

void SourceController::cancel() {
    ++number_;
    stop_.request_stop();
    retry_.stop();
    set_opening({});
}

void SourceController::complete() {
    ++number_;
    stop_.request_stop();
    if (pipeline()) pipeline()->stop();
    pool_.waitForDone();
}

void SourceController::adopt(OpenedSource source) {
    cancel();
    destroy(take(source.spec).pipeline);
    use(std::move(source));
}

OpenedSource SourceController::release() {
    cancel();
    return take({});
}

void SourceController::poll() {
    if (!pipeline() || failure_) return;
    const PipelineState state = pipeline()->state();
    if (state == PipelineState::failed) {
        fail(pipeline()->failure().value_or(Error(ErrorKind::internal, "the pipeline stopped unexpectedly")));
    } else if (policy_.one_of_several && state == PipelineState::ended && pipeline()->source_info().live) {
        fail(Error(ErrorKind::input, "the stream has ended"));
    }
}

void SourceController::expect_again() {
    if (setup_.expect_again) setup_.expect_again(policy_.source_number);
}

void SourceController::destroy(std::shared_ptr<Pipeline> pipeline) {
    if (!pipeline) return;
    pipeline->set_wake({});
    run([pipeline = std::move(pipeline)]() mutable {
        pipeline.reset();
        return_free_memory();
    });
}

void SourceController::set_opening(const QString& spec) {
    if (std::exchange(opening_, spec) != spec) emit openingChanged();
}

OpenedSource SourceController::take(const QString& next) {
    OpenedSource taken = std::exchange(source_, {});
    failure_.reset();
    emit closing(next);
    return taken;
}

void SourceController::use(OpenedSource source) {
    set_opening({});
    failure_.reset();
    policy_.source_number = source.source_number;
    source_ = std::move(source);
    emit opened();
}

// The previous source may run on.
void SourceController::fail(const Error& error) {
    set_opening({});
    const auto has_failed = [this] { return pipeline() && pipeline()->state() == PipelineState::failed; };
    if (policy_.one_of_several || (source_.has_sinks && has_failed())) expect_again();
    if (policy_.one_of_several) {
        close();
        retry_.start_next();
    }
    if (!pipeline() || has_failed()) failure_ = error;
    emit failed(error);
}

void SourceController::work(int number, OpenRequest& request, std::shared_ptr<Pipeline> previous,
                            std::shared_ptr<Pipeline> closing, const std::stop_token& stop) {
    try {
        {
            const std::lock_guard lock(engine_mutex_);  // another request may be closing the device
            closing.reset();
        }
        return_free_memory();
        if (number != number_) return;
        std::unique_ptr<VideoSource> source = setup_.open_source(request.spec.toStdString(), stop);
        const std::lock_guard lock(engine_mutex_);
        if (number != number_) return;
        if (previous) {
            previous->set_wake({});
            previous->stop();
            // A newer request may have begun meanwhile.
            post(this, [this, stopped = previous.get()] {
                if (stopped == pipeline().get()) destroy(take(opening_).pipeline);
            });
        }
        OpenedSource made{request.spec, nullptr, policy_.make_backend(request.settings.detector), false,
                          request.playback.source_number};
        std::vector<std::shared_ptr<ResultSink>> sinks;
        if (request.stand_in) {
            if (setup_.expect_again) setup_.expect_again(made.source_number);
        } else if (setup_.make_sinks) {
            sinks = setup_.make_sinks(source->info(), made.source_number, !has_made_sinks_);
        }
        made.has_sinks = !sinks.empty();
        made.pipeline =
            std::make_shared<Pipeline>(std::move(source), made.choice.backend, request.settings, request.playback);
        for (std::shared_ptr<ResultSink>& sink : sinks) made.pipeline->add_sink(std::move(sink));
        if (number != number_) return;  // the outputs are left to the newer request
        has_made_sinks_ = has_made_sinks_ || !request.stand_in;
        post(this, [this, number, made = std::move(made)] {
            if (number == number_) {
                use(made);
            } else {
                destroy(made.pipeline);
            }
        });
    } catch (const std::exception&) {
        post(this, [this, number, error = current_error()] {
            if (number == number_) fail(error);
        });
    }
}

}  // namespace throng::ui
