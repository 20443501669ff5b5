// The window at a trade show: attract mode, hidden faces, a locked kiosk, and what keeps it running without a person.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QKeySequence>
#include <QObject>
#include <QPointer>
#include <QQuickWindow>
#include <QTimer>
#include <QWindow>
#include <memory>
#include <optional>
#include <string>

#include "ui/scenes/attract.h"
#include "ui/scenes/scene_script.h"
#include "ui/stand/face_counter.h"
#include "ui/stand/source_guard.h"

namespace throng::ui {

class Session;

struct StandOptions {
    bool kiosk = false;                 // full screen that only exit_key and signals end; hides faces of a camera
    bool several_sources = false;       // a wall: some may be cameras
    QKeySequence exit_key;              // empty: no key ends the kiosk
    std::optional<SceneScript> scenes;  // attract mode
    QStringList languages;              // of the texts of scenes, the preferred one first
    SourceGuard::Pace pace;
};

// Returns the key of "Ctrl+Alt+Q"; an empty one for an empty name. Throws Error(usage) if it is not one key.
[[nodiscard]] QKeySequence parse_exit_key(const std::string& name);

// Lives on the window's thread.
class Stand : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(throng::ui::Attract* attract READ attract CONSTANT)
    Q_PROPERTY(double faces READ faces NOTIFY counted)
    Q_PROPERTY(bool storesImages READ stores_images NOTIFY counted)

public:
    // The session must outlive the object. Its settings at this time are the known state.
    Stand(Session& session, StandOptions options, QObject* parent = nullptr);
    ~Stand() override;

    // Watches the events of the window, and starts attract mode if there is a script.
    void attach(QQuickWindow& window);

    [[nodiscard]] Attract* attract() { return attract_.get(); }                           // null without a script
    [[nodiscard]] double faces() const { return static_cast<double>(counter_.faces()); }  // since the start
    [[nodiscard]] bool stores_images() const;  // the program has written images or writes them

    // Shows the faces of a camera while a switch is held.
    Q_INVOKABLE void hold(bool held);

    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    void counted();
    void touched();  // a visitor uses the window

private:
    bool handle_key(class QKeyEvent& event);
    bool handle_input(QEvent& event);
    void update_privacy();
    void show_full_screen();
    void move_to_screen();

    Session& session_;
    StandOptions options_;
    std::unique_ptr<Attract> attract_;
    FaceCounter counter_;
    SourceGuard guard_;
    QPointer<QWindow> window_;  // no QQuickWindow any more when its destructor sends the last events
    QTimer alert_timer_;
    bool locked_;
    bool swallowing_ = false;  // the gesture that ended attract mode
};

}  // namespace throng::ui
