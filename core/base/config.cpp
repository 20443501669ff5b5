#include "core/base/config.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/toml_depth.h"

namespace throng {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxConfig = 1 << 20;

int line_of(const toml::node& node) {
    return static_cast<int>(node.source().begin.line);
}

[[noreturn]] void reject(const std::string& name, int line, const std::string& key, const std::string& problem,
                         const std::string& advice = {}) {
    throw Error(ErrorKind::usage, problem, fmt::format("{}:{}: {}", name, line, key), advice);
}

struct Value {
    ConfigEntry::Type type;
    std::string text;
};

std::optional<Value> scalar(const toml::node& node) {
    using Type = ConfigEntry::Type;
    if (const auto* text = node.as_string()) return Value{Type::text, text->get()};
    if (const auto* integer = node.as_integer()) return Value{Type::number, std::to_string(integer->get())};
    if (const auto* number = node.as_floating_point()) return Value{Type::number, fmt::format("{}", number->get())};
    if (const auto* boolean = node.as_boolean()) return Value{Type::boolean, boolean->get() ? "true" : "false"};
    return std::nullopt;
}

void append(ConfigFile& file, const std::string& section, const std::string& key, const toml::node& node) {
    ConfigEntry entry;
    entry.section = section;
    entry.key = key;
    entry.line = line_of(node);
    const auto add = [&](const toml::node& element) {
        const std::optional<Value> value = scalar(element);
        if (!value) reject(file.name, line_of(element), key, "must be a string, a number, true or false");
        if (!entry.values.empty() && value->type != entry.type) {
            reject(file.name, line_of(element), key, "mixes values of different types");
        }
        entry.type = value->type;
        entry.values.push_back(value->text);
    };
    if (const toml::array* array = node.as_array()) {
        if (array->empty()) reject(file.name, entry.line, key, "is an empty list");
        for (const toml::node& element : *array) add(element);
    } else {
        add(node);
    }
    file.entries.push_back(std::move(entry));
}

}  // namespace

std::string ConfigFile::location_of(const ConfigEntry& entry) const {
    const std::string key = entry.section.empty() ? entry.key : entry.section + "." + entry.key;
    return fmt::format("{}:{}: {}", name, entry.line, key);
}

ConfigFile parse_config(std::string_view text, std::string name) {
    ConfigFile file;
    file.name = std::move(name);
    const toml::table root = parse_toml(text, file.name);
    for (const auto& [key, node] : root) {
        const std::string section(key.str());
        const toml::table* table = node.as_table();
        if (table == nullptr) {
            append(file, {}, section, node);
            continue;
        }
        for (const auto& [inner_key, inner] : *table) {
            if (inner.is_table()) {
                reject(file.name, line_of(inner), section + "." + std::string(inner_key.str()),
                       "is a section inside a section");
            }
            append(file, section, std::string(inner_key.str()), inner);
        }
    }
    std::stable_sort(file.entries.begin(), file.entries.end(),
                     [](const ConfigEntry& a, const ConfigEntry& b) { return a.line < b.line; });
    return file;
}

ConfigFile read_config(const std::string& path) {
    ReadOptions options;
    options.what = "configuration";
    options.max_bytes = kMaxConfig;
    return parse_config(read_file(path, options), path);
}

std::string default_config_path() {
    fs::path folder;
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0') {
        folder = config;
    } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
        folder = fs::path(home) / ".config";
    } else {
        return {};
    }
    const fs::path path = folder / "throng" / "config.toml";
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) ? path.string() : std::string();
}

}  // namespace throng
