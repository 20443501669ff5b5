// Configuration files: TOML, read into a flat list of values that remember their line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace throng {

struct ConfigEntry {
    enum class Type : std::uint8_t { text, number, boolean };

    std::string section;  // of "[section]"; empty on top
    std::string key;
    Type type = Type::text;           // of all values
    std::vector<std::string> values;  // one, or those of an array; booleans are "true" and "false"
    int line = 0;                     // from 1
};

struct ConfigFile {
    std::string name;                  // for messages
    std::vector<ConfigEntry> entries;  // in the order of the lines

    // "default.toml:12: theta", for Error's where.
    [[nodiscard]] std::string place(const ConfigEntry& entry) const;
};

// Throws Error(usage), naming line and key, for what is not TOML and for values that no option can have: dates, tables
// below a section, arrays of mixed types, nesting beyond kMaxTomlDepth.
[[nodiscard]] ConfigFile parse_config(std::string_view text, std::string name);

// Throws Error(input) when the file cannot be read, else as parse_config.
[[nodiscard]] ConfigFile read_config(const std::string& path);

// $XDG_CONFIG_HOME/throng/config.toml, else ~/.config/throng/config.toml; empty where neither is set or no file is
// there.
[[nodiscard]] std::string default_config_path();

}  // namespace throng
