// Names of any bytes as text.
#include "core/base/text_encoding.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tests/support/random.h"

namespace throng {
namespace {

TEST(NameAsText, KeepsUtf8) {
    for (const char* name :
         {"", "a b.png", "\xC3\xA4", "\xE7\x85\xA7", "\xF0\x9F\x98\x80", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"}) {
        EXPECT_TRUE(is_utf8(name)) << name;
        EXPECT_EQ(name_as_text(name), name);
    }
    EXPECT_EQ(name_as_text("a\xFF.png"),
              "a\xEF\xBF\xBD"
              "ff.png");
    EXPECT_EQ(name_as_text("\xC3"),
              "\xEF\xBF\xBD"
              "c3");
    // Longer than needed, a surrogate, beyond Unicode.
    for (const char* name : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x80", "\x80"}) {
        EXPECT_FALSE(is_utf8(name)) << name;
    }
}

// The oracle is the JSON library, which writes UTF-8 only.
TEST(NameAsText, IsDifferentForDifferentNames) {
    std::mt19937_64 engine(test::seed(2323));
    // Bytes that make up U+FFFD, and some that do not.
    constexpr std::string_view kBytes =
        "\xEF\xBF\xBD\xFF\x80\xC3\xA4"
        "be";
    std::map<std::string, std::string> names;  // by text
    for (int round = 0; round < 20'000; ++round) {
        std::string name;
        for (auto left = engine() % 5; left > 0; --left) name += kBytes[engine() % kBytes.size()];
        const std::string text = name_as_text(name);
        const auto [known, is_new] = names.emplace(text, name);
        EXPECT_TRUE(is_new || known->second == name) << text;
        EXPECT_NO_THROW(static_cast<void>(nlohmann::json(text).dump()));
        bool valid = true;
        try {
            static_cast<void>(nlohmann::json(name).dump());
        } catch (const nlohmann::json::type_error&) {
            valid = false;
        }
        EXPECT_EQ(is_utf8(name), valid) << text;
    }
}

}  // namespace
}  // namespace throng
