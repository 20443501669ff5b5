// Configuration files: TOML, read into a flat list of values with their line numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace throng {

struct ConfigEntry {
    enum class Type : std::uint8_t { text, number, boolean };

    std::string section;  // of "[section]"; empty for a top-level key
    std::string key;
    Type type = Type::text;           // of all values
    std::vector<std::string> values;  // one value, or those of an array; booleans are "true" and "false"
    int line = 0;                     // from 1
};

struct ConfigFile {
    std::string name;                  // for messages
    std::vector<ConfigEntry> entries;  // in the order of the lines

    // Returns the location of an entry for Error's `where`: "default.toml:12: theta".
    [[nodiscard]] std::string location_of(const ConfigEntry& entry) const;
};

// Throws Error(usage) with line and key for invalid TOML and for values that no option can have: dates, tables inside a
// section, arrays of mixed types, nesting beyond kMaxTomlDepth.
[[nodiscard]] ConfigFile parse_config(std::string_view text, std::string name);

// Throws Error(input) if the file cannot be read, otherwise as parse_config does.
[[nodiscard]] ConfigFile read_config(const std::string& path);

// Returns $XDG_CONFIG_HOME/throng/config.toml, or ~/.config/throng/config.toml if XDG_CONFIG_HOME is not set. Empty if
// HOME is not set either, or if there is no such file.
[[nodiscard]] std::string default_config_path();

}  // namespace throng
