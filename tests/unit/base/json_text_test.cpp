// JSON of unknown origin.
#include "core/base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace throng {
namespace {

std::string nested_json(int levels, bool objects) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += objects ? "{\"[\\\"{\":" : "[";
    return text + "1" + std::string(static_cast<std::size_t>(levels), objects ? '}' : ']');
}

TEST(JsonText, RejectsDeepNesting) {
    for (const bool objects : {false, true}) {
        const std::string allowed = nested_json(kMaxJsonDepth, objects);
        EXPECT_EQ(parse_json<nlohmann::ordered_json>(allowed).dump(), allowed);
        for (const int levels : {kMaxJsonDepth + 1, 200'000}) {
            const std::string deep = nested_json(levels, objects);
            EXPECT_THROW(static_cast<void>(parse_json<nlohmann::ordered_json>(deep)),
                         nlohmann::ordered_json::exception);
            EXPECT_TRUE(parse_json<nlohmann::ordered_json>(deep, false).is_discarded());
        }
    }
    // Brackets of strings do not count, nor do lists side by side.
    const std::string wide =
        "[\"" + std::string(1000, '[') + "\\\"[\"," + nested_json(10, false) + "," + nested_json(10, true) + "]";
    EXPECT_EQ(parse_json<nlohmann::ordered_json>(wide).dump(), wide);
    for (const char* invalid : {"", "[", "{\"", "\"\\", "]]]", "[1,]"}) {
        EXPECT_THROW(static_cast<void>(parse_json<nlohmann::ordered_json>(invalid)),
                     nlohmann::ordered_json::parse_error)
            << invalid;
        EXPECT_TRUE(parse_json<nlohmann::ordered_json>(invalid, false).is_discarded()) << invalid;
    }
}

}  // namespace
}  // namespace throng
