#include "ui/scenes/scene_script.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <QFile>
#include <QStringList>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/suggest.h"
#include "core/base/toml_depth.h"
#include "ui/scenes/scene_actions.h"

namespace throng::ui {
namespace {

constexpr std::uint64_t kMaxFile = 1 << 20;
constexpr qsizetype kMaxText = 160;  // characters; more do not fit the screen in large type
constexpr std::size_t kMaxScenes = 100;

// Reads the tables of one script; all errors name file, line and key.
class Reader {
public:
    explicit Reader(std::string name) : name_(std::move(name)) {}

    [[nodiscard]] SceneScript read(std::string_view text) {
        const toml::table root = parse_toml(text, name_);
        SceneScript script;
        for (const auto& [key, node] : root) {
            if (key == "rest") {
                script.rest = number(node, "rest", 1, 86400);
            } else if (key == "hint") {
                script.hint = texts(node, "hint");
            } else if (key == "scene") {
                script.scenes = scenes(node);
            } else {
                reject_key(node, key.str(), "", {"rest", "hint", "scene"});
            }
        }
        if (script.scenes.empty()) {
            throw Error(ErrorKind::usage, "has no scenes", name_ + ":1: scene", "add a section [[scene]]");
        }
        return script;
    }

private:
    [[noreturn]] void reject(const toml::node& node, std::string_view key, std::string problem,
                             std::string advice = {}) const {
        throw Error(ErrorKind::usage, std::move(problem),
                    fmt::format("{}:{}: {}", name_, node.source().begin.line, key), std::move(advice));
    }

    [[noreturn]] void reject_key(const toml::node& node, std::string_view key, std::string_view above,
                                 const std::vector<std::string>& known) const {
        const std::string closest = closest_name(key, known);
        reject(node, above.empty() ? std::string(key) : fmt::format("{}.{}", above, key), "unknown key",
               closest.empty() ? fmt::format("use one of: {}", fmt::join(known, ", "))
                               : fmt::format("did you mean {}?", closest));
    }

    [[nodiscard]] double number(const toml::node& node, std::string_view key, double min, double max) const {
        const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
        if (!value || !(*value >= min && *value <= max)) {
            reject(node, key, fmt::format("must be a number from {} to {}", min, max));
        }
        return *value;
    }

    [[nodiscard]] QString text(const toml::node& node, std::string_view key) const {
        const std::optional<std::string> value = node.value<std::string>();
        if (!value) reject(node, key, "must be a string");
        const QString line = QString::fromStdString(*value).simplified();
        if (line.isEmpty()) reject(node, key, "is empty");
        if (line.size() > kMaxText) {
            reject(node, key, fmt::format("has {} characters, more than {}", line.size(), kMaxText),
                   "shorten the text: it is shown in large type");
        }
        return line;
    }

    [[nodiscard]] Texts texts(const toml::node& node, const std::string& key) const {
        const toml::table* table = node.as_table();
        if (table == nullptr || table->empty()) {
            reject(node, key, "must hold one text per language", fmt::format("write {}.en = \"…\"", key));
        }
        Texts found;
        for (const auto& [language, value] : *table) {
            found[QString::fromUtf8(language.data(), static_cast<qsizetype>(language.length()))] =
                text(value, fmt::format("{}.{}", key, language.str()));
        }
        return found;
    }

    [[nodiscard]] std::vector<Scene> scenes(const toml::node& node) const {
        const toml::array* array = node.as_array();
        if (array == nullptr || array->empty() || !array->is_homogeneous(toml::node_type::table)) {
            reject(node, "scene", "must be a list of sections", "write [[scene]]");
        }
        if (array->size() > kMaxScenes) {
            reject(node, "scene", fmt::format("has {} scenes, more than {}", array->size(), kMaxScenes));
        }
        std::vector<Scene> found;
        for (const toml::node& element : *array) found.push_back(scene(*element.as_table()));
        return found;
    }

    [[nodiscard]] Scene scene(const toml::table& table) const {
        Scene scene;
        for (const auto& [key, node] : table) {
            if (key == "name") {
                scene.name = text(node, "scene.name");
            } else if (key == "seconds") {
                scene.seconds = number(node, "scene.seconds", 0.2, 3600);
            } else if (key == "text") {
                scene.text = texts(node, "scene.text");
            } else if (key == "show") {
                scene.show = show(node);
            } else {
                reject_key(node, key.str(), "scene", {"name", "seconds", "text", "show"});
            }
        }
        if (scene.seconds == 0) reject(table, "scene.seconds", "is missing", "write the duration: seconds = 8");
        if (scene.text.empty()) reject(table, "scene.text", "is missing", "write text.en = \"…\"");
        return scene;
    }

    [[nodiscard]] QVariantMap show(const toml::node& node) const {
        const toml::table* table = node.as_table();
        if (table == nullptr) reject(node, "scene.show", "must be a table", "write show.raw = true");
        QVariantMap values;
        for (const auto& [key, value] : *table) {
            const QString name = QString::fromUtf8(key.data(), static_cast<qsizetype>(key.length()));
            const SceneAction* action = find_scene_action(name);
            if (action == nullptr) {
                std::vector<std::string> known;
                for (const SceneAction& each : scene_actions()) known.emplace_back(each.name);
                reject_key(value, key.str(), "scene.show", known);
            }
            values[name] = value_of(*action, value, fmt::format("scene.show.{}", key.str()));
        }
        return values;
    }

    [[nodiscard]] QVariant value_of(const SceneAction& action, const toml::node& node, const std::string& key) const {
        switch (action.type) {
            case SceneAction::Type::boolean: {
                const bool* value = node.is_boolean() ? &node.as_boolean()->get() : nullptr;
                if (value == nullptr) reject(node, key, "must be true or false");
                return *value;
            }
            case SceneAction::Type::number: return number(node, key, action.min, action.max);
            case SceneAction::Type::text: break;
        }
        const QString value = text(node, key);
        if (action.choices != nullptr && !action.choices().contains(value)) {
            reject(node, key, fmt::format("\"{}\" is not a valid value", value.toStdString()),
                   "use one of: " + action.choices().join(QStringLiteral(", ")).toStdString());
        }
        return value;
    }

    std::string name_;
};

}  // namespace

SceneScript parse_scenes(std::string_view text, const std::string& name) {
    return Reader(name).read(text);
}

SceneScript read_scenes(const std::string& path, const std::stop_token& stop) {
    if (path == "default") {
        QFile file(QStringLiteral(":/qt/qml/Throng/Ui/scenes.toml"));
        if (!file.open(QIODevice::ReadOnly)) throw Error(ErrorKind::internal, "the program's own scenes are missing");
        return parse_scenes(file.readAll().toStdString(), "scenes.toml");
    }
    ReadOptions options;
    options.stop = stop;
    options.what = "script of scenes";
    options.max_bytes = kMaxFile;
    try {
        return parse_scenes(read_file(path, options), path);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
        throw Error(ErrorKind::input, error.problem(), path,
                    "check the path, or give \"default\" for the program's own scenes");
    }
}

QString text_in(const Texts& texts, const QStringList& languages) {
    if (texts.empty()) return {};
    for (QString language : languages) {
        language.replace(u'-', u'_');
        for (const QString& name : {language, language.section(u'_', 0, 0)}) {
            if (const auto found = texts.find(name); found != texts.end()) return found->second;
        }
    }
    const auto english = texts.find(QStringLiteral("en"));
    return (english != texts.end() ? english : texts.begin())->second;
}

}  // namespace throng::ui
