#include "ui/session/session.h"

#include <utility>

#include "ui/counts/counts_view.h"

namespace throng::ui {

Session::Session(SessionSetup options, QSettings& store, QObject* parent)
    : Run(std::move(options), parent),
      status_(*feed()),
      default_detector_(setup().try_network, setup().settings.keep_rate, *detection(), feedback_),
      captures_(setup().make_recording, *display(), alert_),
      clocks_(setup().clocks),
      recent_(store),
      cameras_(setup().list_cameras),
      sections_(store),
      views_({setup(), *detection(), *display(),
              [this] { return status_.given_up().isEmpty() ? stages_.total_ms() : 0; }},  // else of larger sizes
             [this] { return pipeline() != nullptr; }) {
    const std::initializer_list<RunListener*> listeners = {&status_,   &backend_,       &history_,          &stages_,
                                                           &clocks_,   &sweep_,         &default_detector_, &feedback_,
                                                           &captures_, &switch_control_};
    for (RunListener* each : listeners) add(*each);
    for (const auto& view : views_.list()) {
        add(*view);
        connect(view.get(), &View::failed, &alert_, qOverload<const Error&>(&Alert::show));
        connect(view.get(), &View::notified, &alert_, qOverload<const QString&, const QString&>(&Alert::show));
        connect(feed(), &FrameFeed::viewChanged, view.get(), &View::set_image_view);
    }
    connect(&views_, &Views::settingsChanged, this, &Session::request_update);
    connect(&views_, &Views::opened, this, [this](View* view) {
        if (pipeline()) view->on_refresh(frame());
    });
    connect(&views_, &Views::playbackHeld, transport(), &Transport::hold);
    connect(captures_.recorder(), &Recorder::changed, this, &Session::update_pipeline);

    connect(this, &Run::opened, &backend_, [this](const OpenedSource& opened) {
        backend_.select(*opened.choice.backend, opened.choice.why);
        recent_.add(opened.spec);
    });
    connect(this, &Run::failed, &alert_, qOverload<const Error&>(&Alert::show));
    connect(source(), &Source::openingChanged, &alert_, [this] {
        if (!source()->opening().isEmpty() && alert_.is_error()) alert_.dismiss();
    });
    connect(this, &Run::reverted, &feedback_, &Feedback::clear);  // the notice says why
    connect(detection(), &DetectionSettings::rejected, &alert_, qOverload<const Error&>(&Alert::show));
    connect(detection(), &DetectionSettings::announced, &feedback_,
            [this](const QString& text) { pipeline() ? feedback_.say_with_result(text) : feedback_.say(text); });
    connect(transport(), &Transport::stateChanged, &playlist_, [this] {
        const bool over = transport()->current() == Transport::State::ended && !source()->still();
        if (over && playlist_.together()) playlist_.step(1);
    });
    connect(&playlist_, &Playlist::openRequested, this, [this](const QString& spec) { open(spec); });
    connect(&playlist_, &Playlist::failed, &alert_, qOverload<const Error&>(&Alert::show));
    detection()->findModels();
}

Session::~Session() {
    captures_.recorder()->disconnect(this);  // it stops while the other parts are destroyed
}

void Session::complete() {
    Run::complete();  // closes a recording that goes on
    captures_.wait_written();
    view<CountsView>()->wait_saved();
}

}  // namespace throng::ui
