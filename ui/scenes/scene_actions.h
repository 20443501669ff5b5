// Defines what a scene can set, by name: every view that has a name for scenes in the table of views, and more.
#pragma once

#include <QString>
#include <QStringList>
#include <QVariant>
#include <functional>
#include <span>

namespace throng::ui {

class Session;

struct SceneAction {
    enum class Type { boolean, number, text };

    const char* name;
    Type type;
    // Part of PipelineSettings: the configured settings are restored as a whole.
    bool of_detection = false;
    // Values of a text; null: not known before the program runs.
    QStringList (*choices)() = nullptr;
    double min = 0, max = 0;  // of a number
    // The value in force, which later scenes return to. Null: off unless a scene sets it.
    std::function<QVariant(Session&)> read{};
    // Null: QML applies the action (StandLayer.qml).
    std::function<void(Session&, const QVariant&)> apply{};
    // Scenes with a value that is impossible on this machine are skipped. Null: always possible.
    bool (*possible)(Session&, const QVariant&) = nullptr;
};

[[nodiscard]] std::span<const SceneAction> scene_actions();

// Returns null for an unknown name.
[[nodiscard]] const SceneAction* find_scene_action(const QString& name);

}  // namespace throng::ui
