// Readers of JSON and TOML on the suites of JSONTestSuite and toml-test, if they are beside the checkout, and on cases of
// our own, which everybody has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/config.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "tests/support/test_data.h"

namespace throng {
namespace {

namespace fs = std::filesystem;
using SuiteJson = nlohmann::json;

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_below(const fs::path& folder, const std::string& extension) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == extension) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

bool is_json(const std::string& text) {
    return !parse_json<SuiteJson>(text, false).is_discarded();
}

TEST(Suites, JsonIsReadOrRejected) {
    const std::map<std::string, bool> cases = {
        {"[1, -0, 1e5, 0.5, \"\\u00e9\\n\", null, true, {\"a\": {}}]", true},
        {" \t\n{\"a\": 1, \"a\": 2} ", true},
        {"\"\\ud83d\\ude00\"", true},
        {"[1,]", false},
        {"{\"a\": 1,}", false},
        {"[01]", false},
        {"[.5]", false},
        {"[1.]", false},
        {"[+1]", false},
        {"[NaN]", false},
        {"['a']", false},
        {"{a: 1}", false},
        {"[1] // comment", false},
        {"[1][2]", false},
        {"\"\t\"", false},
        {"\"\\x41\"", false},
        {"\"\xff\"", false},
        {"[\"a", false},
        {"", false},
    };
    for (const auto& [text, valid] : cases) EXPECT_EQ(is_json(text), valid) << text;

    const auto suite = test::foreign_dir("json-test-suite");
    if (!suite) return;
    int files = 0;
    for (const fs::path& path : files_below(*suite, ".json")) {
        const std::string name = path.filename().string();
        const bool valid = is_json(bytes_of(path));
        // i_: either. What is nested more deeply than kMaxJsonDepth is rejected.
        if (!name.starts_with("i_")) {
            EXPECT_EQ(valid, name.starts_with("y_")) << name;
        }
        ++files;
    }
    EXPECT_GT(files, 100);
}

// What parse_config() has to return for a file, from the JSON of toml-test: each value is {"type": "integer", "value":
// "1"}. False: no option can have such a value.
bool flatten(const SuiteJson& value, ConfigEntry& entry) {
    const auto is_scalar = [](const SuiteJson& node) {
        return node.is_object() && node.size() == 2 && node.contains("type") && node.contains("value") &&
               node["type"].is_string();
    };
    if (value.is_array()) {
        for (const SuiteJson& element : value) {
            if (!is_scalar(element) || !flatten(element, entry)) return false;
        }
        return !value.empty();
    }
    if (!is_scalar(value)) return false;
    const std::string type = value["type"];
    std::string text = value["value"];
    ConfigEntry::Type read = ConfigEntry::Type::text;
    if (type == "bool") {
        read = ConfigEntry::Type::boolean;
    } else if (type == "integer" || type == "float") {
        read = ConfigEntry::Type::number;
    } else if (type != "string") {
        return false;
    }
    if (!entry.values.empty() && entry.type != read) return false;
    entry.type = read;
    entry.values.push_back(std::move(text));
    return true;
}

// Returns false if the file has what no configuration may have.
bool expected_entries(const SuiteJson& root, std::map<std::string, ConfigEntry>& entries) {
    const auto add = [&](const std::string& section, const std::string& key, const SuiteJson& value) {
        ConfigEntry entry;
        if (!flatten(value, entry)) return false;
        return entries.emplace(section + '\0' + key, std::move(entry)).second;
    };
    for (const auto& [key, value] : root.items()) {
        ConfigEntry probe;
        if (flatten(value, probe)) {
            if (!add({}, key, value)) return false;
        } else if (value.is_object() && !(value.contains("type") && value["type"].is_string())) {
            for (const auto& [inner, element] : value.items()) {
                if (!add(key, inner, element)) return false;
            }
        } else {
            return false;
        }
    }
    return true;
}

bool same_value(const std::string& read, const std::string& expected, ConfigEntry::Type type) {
    if (type != ConfigEntry::Type::number) return read == expected;
    const double a = std::strtod(read.c_str(), nullptr);
    const double b = std::strtod(expected.c_str(), nullptr);
    return a == b || (a != a && b != b);
}

TEST(Suites, TomlIsReadOrRejected) {
    const auto rejected = [](const std::string& text) {
        try {
            static_cast<void>(parse_config(text, "suite.toml"));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            EXPECT_TRUE(error.where().text().starts_with("suite.toml")) << error.what();
            return true;
        }
        return false;
    };
    for (const char* invalid :
         {"a = ", "= 1", "a = 1 b = 2", "a = 01", "a = 1__0", "a = .5", "a = \"b", "a = 'b", "a = tru", "[a",
          "a = 1\na = 2", "[a]\n[a]\n", "a = \"\\q\"", "a = 1979-05-27T25:00:00Z", "a.b = 1\na = 2", "\xff = 1",
          "a = [1, 2", "a = {b = 1,}"}) {
        EXPECT_TRUE(rejected(invalid)) << invalid;
    }

    const auto suite = test::foreign_dir("toml-test");
    if (!suite) return;
    int invalid = 0;
    for (const fs::path& path : files_below(*suite / "invalid", ".toml")) {
        EXPECT_TRUE(rejected(bytes_of(path))) << path;
        ++invalid;
    }
    EXPECT_GT(invalid, 100);
    int read = 0;
    int other = 0;
    for (const fs::path& path : files_below(*suite / "valid", ".toml")) {
        SCOPED_TRACE(path);
        const SuiteJson truth = SuiteJson::parse(bytes_of(fs::path(path).replace_extension(".json")), nullptr, false);
        std::map<std::string, ConfigEntry> expected;
        // Of TOML 1.1, without expectation, or with dates or tables in sections: read, or a message.
        const bool newer = path.string().find("spec-1.1") != std::string::npos;
        if (newer || truth.is_discarded() || !expected_entries(truth, expected)) {
            static_cast<void>(rejected(bytes_of(path)));
            ++other;
            continue;
        }
        ConfigFile file;
        EXPECT_NO_THROW(file = parse_config(bytes_of(path), path.string()));
        EXPECT_EQ(file.entries.size(), expected.size());
        for (const ConfigEntry& entry : file.entries) {
            const auto found = expected.find(entry.section + '\0' + entry.key);
            ASSERT_NE(found, expected.end()) << entry.section << "." << entry.key;
            ASSERT_EQ(entry.type, found->second.type) << entry.key;
            ASSERT_EQ(entry.values.size(), found->second.values.size()) << entry.key;
            for (std::size_t i = 0; i < entry.values.size(); ++i) {
                EXPECT_TRUE(same_value(entry.values[i], found->second.values[i], entry.type))
                    << entry.values[i] << " instead of " << found->second.values[i];
            }
        }
        ++read;
    }
    EXPECT_GT(read, 20);
    EXPECT_GT(other, 10);
}

}  // namespace
}  // namespace throng
