#include "ui/window.h"

#include <malloc.h>

#include <QFileInfo>
#include <QGuiApplication>
#include <QIcon>
#include <QImageWriter>
#include <QLibraryInfo>
#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QScreen>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <QVersionNumber>
#include <cstdlib>
#include <utility>

#include "core/base/log.h"
#include "core/base/service_manager.h"
#include "ui/files/thumbnails.h"
#include "ui/language/language.h"
#include "ui/platform.h"
#include "ui/settings/saved_settings.h"
#include "ui/stand/stand.h"
#include "ui/stand/watchdog.h"
#include "ui/video/frame_cost.h"
#include "ui/video/video_item.h"
#include "ui/wall/wall.h"
#include "ui/window_screenshot.h"

// Defined by the module's generated code, which the linker would leave out of a static library otherwise.
void qml_register_types_Throng_Ui();  // NOLINT(readability-identifier-naming): Qt generates the name

namespace throng::ui {
namespace {

const QString kSizeKey = QStringLiteral("window/size");
constexpr QSize kWindowFrame(8, 40);  // what a window manager draws around a window: known after it is shown

// Qt ends the program from within its event loop if the connection to the display breaks, while all threads run.
// Completes the outputs before, and ends it without destroying what these threads use. Qt's message comes before the
// drivers end theirs; without it, exit() is the sign: nothing else calls it during the event loop.
class DisplayGuard {
public:
    // complete: called on the thread that ends the program.
    explicit DisplayGuard(std::function<void()> complete) {
        thread_local const AtExit at_exit;
        complete_ = std::move(complete);
    }
    ~DisplayGuard() { complete_ = nullptr; }
    DisplayGuard(const DisplayGuard&) = delete;
    DisplayGuard& operator=(const DisplayGuard&) = delete;

    // To be called with each message of Qt.
    static void check(const QString& message) {
        const bool wayland = message.startsWith(QStringLiteral("The Wayland connection"));
        if (!wayland && !message.startsWith(QStringLiteral("The X11 connection broke"))) return;
        // Qt waits for the next compositor then.
        const bool reconnects = wayland && message.contains(QStringLiteral("broke")) &&
                                QLibraryInfo::version() >= QVersionNumber(6, 6) &&
                                qEnvironmentVariableIsSet("QT_WAYLAND_RECONNECT");
        if (!reconnects) complete_outputs();
    }

private:
    // exit() destroys the objects of its thread first: what other threads use is still there.
    struct AtExit {
        ~AtExit() { complete_outputs(); }
    };
    static void complete_outputs() {
        const std::function<void()> complete = std::exchange(complete_, nullptr);
        if (!complete) return;
        logger().error("the connection to the display broke: the outputs are completed, and the window is closed");
        try {
            complete();
        } catch (...) {
            logger().error("{}", current_error().what());
        }
        std::_Exit(exit_status(ErrorKind::unavailable));
    }

    inline static std::function<void()> complete_;  // null: there is no event loop, or it is being called
};

// Writes Qt's messages to the program's log.
void forward_message(QtMsgType type, const QMessageLogContext&, const QString& message) {
    const std::string text = message.toStdString();
    switch (type) {
        case QtDebugMsg: logger().debug("Qt: {}", text); break;
        case QtInfoMsg: logger().info("Qt: {}", text); break;
        case QtWarningMsg: logger().warn("Qt: {}", text); break;
        case QtCriticalMsg:
        case QtFatalMsg: logger().error("Qt: {}", text); break;
    }
    DisplayGuard::check(message);
}

// Returns the user's settings. Given a folder, returns a copy in it: what visitors of a kiosk do ends with the program.
std::unique_ptr<QSettings> open_store(const QString& copy_folder) {
    auto store = std::make_unique<QSettings>();
    if (copy_folder.isEmpty()) return store;
    auto copy = std::make_unique<QSettings>(copy_folder + QStringLiteral("/settings.ini"), QSettings::IniFormat);
    for (const QString& key : store->allKeys()) copy->setValue(key, store->value(key));
    return copy;
}

// Images are allocated and freed on several threads. With glibc's default of eight arenas per core, free memory that no
// other thread can use accumulates over hours. Two arenas bound it; the threads allocate little per frame.
void limit_fragmentation() {
#ifdef M_ARENA_MAX
    constexpr int kMaxArenas = 2;
    mallopt(M_ARENA_MAX, kMaxArenas);
#endif
}

}  // namespace

QUrl load_module(QQmlEngine& engine) {
    qml_register_types_Throng_Ui();
    engine.addImageProvider(QLatin1String(Thumbnails::kName), new Thumbnails);  // owned by the engine
    engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    return QUrl(QStringLiteral("qrc:/qt/qml/Throng/Ui/Main.qml"));
}

void set_up_application() {
    qInstallMessageHandler(forward_message);
    QGuiApplication::setApplicationName(QStringLiteral("throng"));
    QGuiApplication::setOrganizationName(QStringLiteral("throng"));
    QGuiApplication::setDesktopFileName(QStringLiteral("throng"));
    QQuickStyle::setStyle(QStringLiteral("Basic"));  // otherwise it depends on the desktop
}

void set_first_size(QQuickWindow& window, const WindowOptions& options, const QSettings& store) {
    if (options.width > 0 && options.height > 0) return window.resize(options.width, options.height);
    if (store.contains(kSizeKey)) window.resize(store.value(kSizeKey).toSize());
    if (!options.screenshot.empty() || window.screen() == nullptr) return;  // a screenshot has the same size everywhere
    const QSize free = window.screen()->availableSize() - kWindowFrame;
    window.resize(window.size().boundedTo(free));
}

int run_window(int argc, char** argv, WindowOptions options) {
    limit_fragmentation();
    StandOptions stand_options;
    stand_options.kiosk = options.kiosk;
    stand_options.several_sources = options.sources.size() > 1;
    stand_options.exit_key = parse_exit_key(options.kiosk_exit);
    if (!options.scenes.empty()) stand_options.scenes = read_scenes(options.scenes, options.stop);
    if (const std::string reason = display_unavailable_reason(); !reason.empty()) {
        throw Error(ErrorKind::unavailable, "cannot open a window: no display", reason,
                    "run it in a desktop session, or use `throng detect SOURCE`, which needs no display");
    }
    set_up_application();
    const bool measures = qEnvironmentVariableIsSet("THRONG_UI_STATISTICS");
    MeasuredApplication application(argc, argv, measures);
    use_core_locale();
    select_renderer();
    stand_options.languages = preferred_languages(options.language);
    install_language(stand_options.languages);

    std::optional<QTemporaryDir> kiosk_folder;
    if (options.kiosk) kiosk_folder.emplace();
    const std::unique_ptr<QSettings> opened = open_store(kiosk_folder ? kiosk_folder->path() : QString());
    QSettings& store = *opened;
    if (options.kiosk) options.session.playback.loop = true;
    Session session(std::move(options.session), store);
    SavedSettings saved(store, *session.display(), *session.detection());
    if (options.remember) saved.restore_display();
    if (options.remember_detector) saved.restore_detector();
    if (options.labels) session.display()->set_labels(true);
    if (options.blur) session.display()->set_blur(true);
    if (options.remember) saved.watch();
    std::optional<Stand> stand;
    if (options.kiosk || stand_options.scenes) stand.emplace(session, std::move(stand_options));

    std::unique_ptr<Wall> wall;
    if (options.sources.size() > 1) {
        QStringList specs;
        for (const std::string& spec : options.sources) specs += QString::fromStdString(spec);
        wall = std::make_unique<Wall>(specs, session);
    }
    QQmlApplicationEngine engine;
    engine.setInitialProperties({{QStringLiteral("session"), QVariant::fromValue(&session)},
                                 {QStringLiteral("wall"), QVariant::fromValue(wall.get())},
                                 {QStringLiteral("kiosk"), options.kiosk},
                                 {QStringLiteral("stand"), QVariant::fromValue(stand ? &*stand : nullptr)}});
    engine.load(load_module(engine));
    if (engine.rootObjects().isEmpty()) throw Error(ErrorKind::internal, "cannot load the window's QML");
    auto* window = qobject_cast<QQuickWindow*>(engine.rootObjects().first());

    const bool plain = !options.full_screen && !options.kiosk;
    set_first_size(*window, options, store);
    plain ? window->show() : window->showFullScreen();

    const Watchdog watchdog(*window, watchdog_period());
    if (stand) stand->attach(*window);

    std::optional<FrameCost> cost;
    if (measures) cost.emplace(*window, application);
    std::optional<WindowScreenshot> screenshot;
    if (!options.screenshot.empty()) {
        screenshot.emplace(*window, session, wall.get(), QString::fromStdString(options.screenshot),
                           options.screenshot_after);
    }

    QTimer interrupt_timer;
    QObject::connect(&interrupt_timer, &QTimer::timeout, &application, [&options] {
        if (options.interrupted && options.interrupted()) QGuiApplication::exit();  // a kiosk closes no window
    });
    interrupt_timer.start(100);

    if (!wall) {
        const QString source =
            options.sources.empty() ? session.recent()->newest() : QString::fromStdString(options.sources.front());
        source.isEmpty() ? session.openDemo() : session.open(source);
    }
    const DisplayGuard guard([&] {
        session.complete();
        for (int number = 0; wall && number < wall->num_tiles(); ++number) wall->tile(number).controller().complete();
        kiosk_folder ? void(kiosk_folder->remove()) : store.sync();
    });
    const int status = QGuiApplication::exec();
    if (plain && window->visibility() == QWindow::Windowed) store.setValue(kSizeKey, window->size());
    if (cost) cost->report();
    if (!screenshot || (options.interrupted && options.interrupted())) return status;
    screenshot->finish();
    return status;
}

}  // namespace throng::ui
