#include "ui/stand/stand.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QScreen>
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "ui/session/session.h"

namespace throng::ui {
namespace {

constexpr int kHoldKey = Qt::Key_H;
constexpr int kAlertMs = 15000;  // nobody may be there to close a message

bool begins_input(QEvent::Type type) {
    switch (type) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::TouchBegin:
        case QEvent::TabletPress:
        case QEvent::Wheel:
        case QEvent::ShortcutOverride:
        case QEvent::KeyPress: return true;
        default: return false;
    }
}

bool continues_input(QEvent::Type type) {
    switch (type) {
        case QEvent::MouseMove:
        case QEvent::MouseButtonRelease:
        case QEvent::TouchUpdate:
        case QEvent::TouchEnd:
        case QEvent::TouchCancel:
        case QEvent::TabletMove:
        case QEvent::TabletRelease:
        case QEvent::KeyRelease: return true;
        default: return false;
    }
}

bool ends_input(QEvent::Type type) {
    return continues_input(type) && type != QEvent::MouseMove && type != QEvent::TouchUpdate &&
           type != QEvent::TabletMove;
}

}  // namespace

QKeySequence parse_exit_key(const std::string& name) {
    const auto key = QKeySequence::fromString(QString::fromStdString(name), QKeySequence::PortableText);
    if (name.empty()) return key;
    constexpr Qt::Key kNone[] = {Qt::Key(0),    Qt::Key_unknown, Qt::Key_Control,
                                 Qt::Key_Shift, Qt::Key_Alt,     Qt::Key_Meta};
    if (key.count() != 1 || std::find(std::begin(kNone), std::end(kNone), key[0].key()) != std::end(kNone)) {
        throw Error(ErrorKind::usage, "not a key: " + name, Setting{"kiosk_exit"}, "use the form Ctrl+Alt+Q");
    }
    return key;
}

Stand::Stand(Session& session, StandOptions options, QObject* parent)
    : QObject(parent),
      session_(session),
      options_(std::move(options)),
      guard_(session, options_.pace),
      locked_(options_.kiosk) {
    if (options_.scenes) {
        attract_ = std::make_unique<Attract>(session, *options_.scenes, options_.languages);
        connect(attract_.get(), &Attract::runningChanged, this, [this] { hold(false); });
    }
    // The text of the scene says enough.
    connect(session.feedback(), &Feedback::changed, this, [this] {
        if (attract_ && attract_->running() && !session_.feedback()->text().isEmpty()) session_.feedback()->clear();
    });
    connect(&session, &Session::resultChanged, this, [this] {
        counter_.add(guard_.on_demo() ? nullptr : session_.result());  // drawn people are not visitors
        emit counted();
    });
    connect(session.source(), &Source::infoChanged, this, &Stand::update_privacy);
    connect(session.views(), &Views::coverChanged, this, [this] { hold(false); });
    update_privacy();

    alert_timer_.setSingleShot(true);
    alert_timer_.setInterval(kAlertMs);
    connect(&alert_timer_, &QTimer::timeout, session.alert(), &Alert::dismiss);
    connect(session.alert(), &Alert::changed, this, [this] {
        const Alert& alert = *session_.alert();
        if (!alert.visible()) return;
        alert_timer_.start();
        if (!alert.is_error()) return;
        logger().warn("{}: {}", alert.what().toStdString(), alert.where().toStdString());
        if (attract_ && attract_->running()) session_.alert()->dismiss();
    });
}

Stand::~Stand() = default;

void Stand::attach(QQuickWindow& window) {
    window_ = &window;
    window.installEventFilter(this);
    if (locked_) {
        // Queued: the window system reports one change after the other.
        connect(&window, &QWindow::visibilityChanged, this, &Stand::show_full_screen, Qt::QueuedConnection);
        connect(qGuiApp, &QGuiApplication::screenAdded, this, &Stand::move_to_screen, Qt::QueuedConnection);
        connect(qGuiApp, &QGuiApplication::primaryScreenChanged, this, &Stand::move_to_screen, Qt::QueuedConnection);
    }
    if (window.visibility() == QWindow::FullScreen) move_to_screen();
    if (attract_) attract_->start();
}

// A window manager may have changed the window.
void Stand::show_full_screen() {
    if (locked_ && window_ && window_->visibility() != QWindow::FullScreen) window_->showFullScreen();
}

// The screen was unplugged and is back, or is another one. Without a window manager, full screen sets no size.
void Stand::move_to_screen() {
    QScreen* screen = QGuiApplication::primaryScreen();
    if (!locked_ || !window_ || screen == nullptr) return;
    window_->setScreen(screen);
    window_->setGeometry(screen->geometry());
    show_full_screen();
}

bool Stand::stores_images() const {
    return session_.setup().sinks_store_images || session_.captures()->used();
}

void Stand::hold(bool held) {
    // The images of other views are not dropped at once when the switch is released.
    const bool can_reveal = !session_.views()->image_covered() && !options_.several_sources;
    session_.display()->reveal(held && can_reveal);
}

// Faces remain hidden until the source is known to be no camera.
void Stand::update_privacy() {
    const SourceInfo& info = session_.source()->info();
    session_.display()->set_hides_always(options_.kiosk && (options_.several_sources || info.width == 0 || info.live));
}

bool Stand::eventFilter(QObject* watched, QEvent* event) {
    if (watched != window_) return false;
    switch (event->type()) {
        case QEvent::Close:
            if (!locked_) return false;
            event->ignore();
            return true;
        case QEvent::FocusOut:
        case QEvent::WindowDeactivate:
        case QEvent::Leave:
        case QEvent::Hide: hold(false); return false;
        case QEvent::ShortcutOverride:
        case QEvent::KeyPress:
        case QEvent::KeyRelease:
            if (handle_key(static_cast<QKeyEvent&>(*event))) return true;
            break;
        default: break;
    }
    return attract_ && handle_input(*event);
}

bool Stand::handle_key(QKeyEvent& event) {
    const bool press = event.type() == QEvent::KeyPress;
    if (!options_.exit_key.isEmpty() && event.type() != QEvent::KeyRelease &&
        event.keyCombination() == options_.exit_key[0]) {
        event.accept();
        if (press) {
            locked_ = false;
            window_->close();
        }
        return true;
    }
    if (event.key() != kHoldKey || !session_.display()->hides_always() || (attract_ && attract_->running())) {
        return false;
    }
    event.accept();  // a ShortcutOverride that is accepted arrives as a KeyPress
    if (event.type() != QEvent::ShortcutOverride && !event.isAutoRepeat()) hold(press);
    if (attract_) attract_->rest();
    return true;
}

// Returns true for the gesture that ends attract mode: it shall not press a button that the visitor does not see.
bool Stand::handle_input(QEvent& event) {
    const QEvent::Type type = event.type();
    const bool begins = begins_input(type);
    if (!begins && !continues_input(type)) return false;
    if (attract_->running()) {
        if (!begins) return false;
        event.accept();
        if (type == QEvent::ShortcutOverride) return true;  // arrives as a KeyPress
        swallowing_ = type != QEvent::Wheel;
        attract_->stop();
        emit touched();
        return true;
    }
    attract_->rest();
    if (begins) {
        const bool is_key = type == QEvent::KeyPress || type == QEvent::ShortcutOverride;
        swallowing_ = swallowing_ && is_key && static_cast<QKeyEvent&>(event).isAutoRepeat();
        if (!swallowing_) emit touched();
    }
    if (!swallowing_) return false;
    if (ends_input(type)) swallowing_ = false;
    event.accept();
    return true;
}

}  // namespace throng::ui
