// Attract mode: shows the scenes of a script in a loop until a visitor gives input, and again after a time without input.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <QVariantMap>

#include "core/pipeline/pipeline_settings.h"
#include "ui/scenes/scene_actions.h"
#include "ui/scenes/scene_script.h"

namespace throng::ui {

class Session;

// Lives on the window's thread.
class Attract : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("belongs to the stand")
    Q_PROPERTY(bool running READ running NOTIFY runningChanged)
    Q_PROPERTY(QString text READ text NOTIFY sceneChanged)
    Q_PROPERTY(QString hint READ hint CONSTANT)
    Q_PROPERTY(bool panel READ panel NOTIFY sceneChanged)
    Q_PROPERTY(bool sweep READ sweep NOTIFY sceneChanged)
    Q_PROPERTY(double progress READ progress NOTIFY progressChanged)

public:
    // The settings in force now are the known state, which each scene begins with. The session must outlive the object.
    Attract(Session& session, SceneScript script, QStringList languages, QObject* parent = nullptr);

    void start();  // with the first scene
    void stop();   // returns to the known state and starts again after a time without input
    void rest();   // a visitor is there: the rest begins again

    [[nodiscard]] bool running() const { return scene_ != nullptr; }
    [[nodiscard]] QString name() const { return scene_ != nullptr ? scene_->name : QString(); }
    [[nodiscard]] QString text() const;  // of the scene; empty while not running
    [[nodiscard]] QString hint() const { return text_in(script_.hint, languages_); }
    [[nodiscard]] double progress() const { return progress_; }  // of the scene, 0 to 1
    // Actions that QML applies.
    [[nodiscard]] bool panel() const { return shows("panel"); }
    [[nodiscard]] bool sweep() const { return shows("matrix-sweep"); }

signals:
    void runningChanged();
    void sceneChanged();
    void progressChanged();
    void reset();  // the view returns to its known state, too: zoom, panel, open menus

private:
    void advance();
    void enter(const Scene* scene);
    void tick();
    void apply(const QVariantMap& values, bool detection_changed);
    void apply_again();
    [[nodiscard]] QVariantMap values() const;  // in force: those of the scene, and the known state
    [[nodiscard]] bool possible(const Scene& scene) const;
    [[nodiscard]] bool shows(const char* action) const;

    Session& session_;
    const SceneScript script_;
    const QStringList languages_;
    // The known state.
    PipelineSettings detection_;
    QVariantMap values_;
    double speed_;
    bool loop_;
    int stage_level_;

    const Scene* scene_ = nullptr;  // null: not running
    std::size_t next_ = 0;          // index of the scene to try next
    bool detection_changed_ = false;
    bool has_result_ = false;  // of the open source
    double progress_ = 0;
    QElapsedTimer elapsed_;  // since the scene began
    QTimer tick_;
    QTimer rest_;
};

}  // namespace throng::ui
