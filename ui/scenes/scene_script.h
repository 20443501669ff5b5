// Script of the scenes that the window shows when idle: what each scene sets, for how long, and its text.
#pragma once

#include <QString>
#include <QVariantMap>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace throng::ui {

// A text in several languages, by language code: "en", "de", "pt_BR".
using Texts = std::map<QString, QString>;

struct Scene {
    QString name;
    double seconds = 0;
    Texts text;
    QVariantMap show;  // values of scene_actions(), by name
};

struct SceneScript {
    double rest = 60;  // seconds without input until the scenes begin again
    Texts hint;        // small text below that of the scene; may be empty
    std::vector<Scene> scenes;
};

// Throws Error(usage) with line and key for invalid TOML, unknown keys and actions, and values out of range.
[[nodiscard]] SceneScript parse_scenes(std::string_view text, const std::string& name);

// "default" is the script built into the program. Throws Error(input) if the file cannot be read, Error(interrupted)
// after a stop request, otherwise as parse_scenes does.
[[nodiscard]] SceneScript read_scenes(const std::string& path, const std::stop_token& stop = {});

// Returns the text in the first of these languages that it has ("de_DE" also takes "de"), otherwise the English one,
// otherwise any. Empty only if there are no texts.
[[nodiscard]] QString text_in(const Texts& texts, const QStringList& languages);

}  // namespace throng::ui
