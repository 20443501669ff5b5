#include "ui/session/source_opener.h"

#include <utility>

#include "core/base/error.h"
#include "ui/base/post.h"

namespace throng::ui {
bool may_share_device(const QString& a, const QString& b) {
    const auto uses_device = [](const QString& spec) {
        return spec.contains(QLatin1String("camera:")) || spec.contains(QLatin1String("/dev/")) ||
               spec.contains(QLatin1String("gst:")) || spec.contains(QLatin1String("csi:"));
    };
    return a == b || (uses_device(a) && uses_device(b));
}

SourceOpener::SourceOpener(const SessionSetup& setup, QObject* parent) : QObject(parent), setup_(setup) {
    pool_.setMaxThreadCount(8);  // several threads may block on streams that do not answer
}

SourceOpener::~SourceOpener() {
    cancel();
    pool_.waitForDone();
}

void SourceOpener::open(OpenRequest request) {
    const int number = ++number_;
    stop_.request_stop();
    stop_ = std::stop_source();
    run([this, number, request = std::move(request), stop = stop_.get_token()]() mutable {
        work(number, request, stop);
    });
}

void SourceOpener::cancel() {
    ++number_;
    stop_.request_stop();
}

void SourceOpener::destroy(std::shared_ptr<Pipeline> pipeline) {
    if (!pipeline) return;
    pipeline->set_wake({});
    run([pipeline = std::move(pipeline)]() mutable { pipeline.reset(); });
}

void SourceOpener::work(int number, OpenRequest& request, const std::stop_token& stop) {
    try {
        {
            const std::lock_guard lock(engine_mutex_);  // another request may be closing the device
            request.closing.reset();
        }
        if (number != number_) return;
        std::unique_ptr<VideoSource> source = setup_.open_source(request.spec, stop);
        const std::lock_guard lock(engine_mutex_);
        if (number != number_) return;
        if (request.previous) {
            request.previous->set_wake({});
            request.previous->stop();
            post(this, [this, previous = request.previous.get()] { emit released(previous); });
        }
        const BackendChoice choice = setup_.make_backend(request.settings.detector);
        std::vector<std::shared_ptr<ResultSink>> sinks;
        const int source_number = request.playback.source_number;
        if (request.stand_in && setup_.expect_again) setup_.expect_again(source_number);
        if (!request.stand_in && setup_.make_sinks) {
            sinks = setup_.make_sinks(source->info(), source_number, !has_made_sinks_);
        }
        const bool has_sinks = !sinks.empty();
        auto pipeline =
            std::make_shared<Pipeline>(std::move(source), choice.backend, request.settings, request.playback);
        for (std::shared_ptr<ResultSink>& sink : sinks) pipeline->add_sink(std::move(sink));
        if (number != number_) return;  // the outputs are left to the newer request
        has_made_sinks_ = has_made_sinks_ || !request.stand_in;
        post(this, [this, number, opened_source = OpenedSource{std::move(pipeline), choice, has_sinks, source_number}] {
            if (number == number_) {
                emit opened(opened_source);
            } else {
                destroy(opened_source.pipeline);
            }
        });
    } catch (const std::exception&) {
        post(this, [this, number, error = current_error()] {
            if (number == number_) emit failed(error);
        });
    }
}

}  // namespace throng::ui
