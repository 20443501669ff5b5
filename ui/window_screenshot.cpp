#include "ui/window_screenshot.h"

#include <QCoreApplication>

#include "ui/session/capture_files.h"

namespace throng::ui {
namespace {

constexpr int kSettleMs = 400;  // delay from the last result to the image: figures and plot are up to date then

}  // namespace

WindowScreenshot::WindowScreenshot(QQuickWindow& window, Session& session, Wall* wall, QString path, int results)
    : window_(window), session_(session), wall_(wall), path_(std::move(path)), results_left_(std::max(1, results)) {
    settle_.setSingleShot(true);
    settle_.setInterval(kSettleMs);
    connect(&settle_, &QTimer::timeout, this, &WindowScreenshot::take);
    if (wall != nullptr) {
        connect(wall, &Wall::imageShown, this, [this] {
            --results_left_;
            check_done();
        });
        connect(wall, &Wall::refreshed, this, &WindowScreenshot::check_done);
        return;
    }
    connect(&session, &Session::resultChanged, this, [this] {
        if (session_.result()) --results_left_;
        check_done();
    });
    connect(session.transport(), &Transport::stateChanged, this, &WindowScreenshot::check_done);
}

void WindowScreenshot::check_done() {
    if (wall_ != nullptr) {
        bool finished = true;
        for (int number = 0; number < wall_->num_tiles(); ++number) {
            const QString state = wall_->tile(number).state();
            finished = finished && (state == QStringLiteral("failed") || state == QStringLiteral("ended"));
        }
        if ((results_left_ <= 0 || finished) && !settle_.isActive()) settle_.start();
        return;
    }
    const Transport::State state = session_.transport()->current();
    const bool finished = state == Transport::State::failed || (state == Transport::State::ended && session_.result());
    if ((results_left_ <= 0 || finished) && !settle_.isActive()) settle_.start();
}

void WindowScreenshot::take() {
    image_ = window_.grabWindow();
    QCoreApplication::exit();  // quit() asks the window, which a kiosk does not close
}

void WindowScreenshot::finish() {
    if (session_.failure()) throw Error(*session_.failure());
    if (image_.isNull()) throw Error(ErrorKind::internal, "the window was closed before its image was taken");
    write_png(image_, path_);
}

}  // namespace throng::ui
