#include "ui/review/review_window.h"

#include <QGuiApplication>
#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QTimer>
#include <utility>

#include "core/base/error.h"
#include "ui/language/language.h"
#include "ui/platform.h"
#include "ui/review/review.h"
#include "ui/window.h"

namespace throng::ui {

int run_review(ReviewOptions options) {
    if (const std::string reason = display_unavailable_reason(); !reason.empty()) {
        throw Error(ErrorKind::unavailable, "cannot open a window: no display", reason, options.without_display);
    }
    std::string name = "throng";
    char* arguments[] = {name.data(), nullptr};
    int count = 1;
    set_up_application();
    const QGuiApplication application(count, arguments);
    use_core_locale();
    select_renderer();
    install_language(preferred_languages("auto"));
    const std::function<bool()> interrupted = std::exchange(options.interrupted, nullptr);
    Review review(std::move(options));
    QQmlApplicationEngine engine;
    engine.setInitialProperties({{QStringLiteral("review"), QVariant::fromValue(&review)}});
    engine.load(load_module(engine).resolved(QUrl(QStringLiteral("ReviewWindow.qml"))));
    if (engine.rootObjects().isEmpty()) throw Error(ErrorKind::internal, "cannot load the window's QML");
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &application, [&] {
        if (interrupted && interrupted()) QGuiApplication::exit();
    });
    timer.start(100);
    return QGuiApplication::exec();
}

}  // namespace throng::ui
