// JSON of unknown origin.
#include "core/base/json_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST(JsonText, RejectsDeepCbor) {
    const auto cbor = [](std::size_t levels) {
        std::vector<std::uint8_t> bytes(levels, 0x81);  // a list of one element
        bytes.push_back(1);
        return bytes;
    };
    EXPECT_EQ(parse_cbor(cbor(kMaxJsonDepth)).dump(), nested_json(kMaxJsonDepth, false));
    EXPECT_THROW(static_cast<void>(parse_cbor(cbor(kMaxJsonDepth + 1))), nlohmann::ordered_json::exception);
    EXPECT_THROW(static_cast<void>(parse_cbor(cbor(200'000))), nlohmann::ordered_json::exception);
    EXPECT_THROW(static_cast<void>(parse_cbor({0x82, 1})), nlohmann::ordered_json::exception) << "cut short";
}

}  // namespace
}  // namespace throng
