// JSON of unknown origin.
#include "core/base/json_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

std::string nested(int levels, bool objects) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += objects ? "{\"[\\\"{\":" : "[";
    return text + "1" + std::string(static_cast<std::size_t>(levels), objects ? '}' : ']');
}

TEST(JsonText, RejectsDeepNesting) {
    for (const bool objects : {false, true}) {
        const std::string allowed = nested(kMaxJsonDepth, objects);
        EXPECT_EQ(parse_json<Json>(allowed).dump(), allowed);
        for (const int levels : {kMaxJsonDepth + 1, 200'000}) {
            const std::string deep = nested(levels, objects);
            EXPECT_THROW(static_cast<void>(parse_json<Json>(deep)), Json::exception);
            EXPECT_TRUE(parse_json<Json>(deep, false).is_discarded());
            std::istringstream stream(deep);
            EXPECT_THROW(static_cast<void>(parse_json<Json>(stream)), Json::exception);
        }
    }
    // Brackets of strings do not count, nor do lists side by side.
    const std::string wide =
        "[\"" + std::string(1000, '[') + "\\\"[\"," + nested(10, false) + "," + nested(10, true) + "]";
    EXPECT_EQ(parse_json<Json>(wide).dump(), wide);
    for (const char* invalid : {"", "[", "{\"", "\"\\", "]]]", "[1,]"}) {
        EXPECT_THROW(static_cast<void>(parse_json<Json>(invalid)), Json::parse_error) << invalid;
        EXPECT_TRUE(parse_json<Json>(invalid, false).is_discarded()) << invalid;
    }
}

TEST(JsonText, RejectsDeepCbor) {
    const auto cbor = [](std::size_t levels) {
        std::vector<std::uint8_t> bytes(levels, 0x81);  // a list of one element
        bytes.push_back(1);
        return bytes;
    };
    EXPECT_EQ(parse_cbor(cbor(kMaxJsonDepth)).dump(), nested(kMaxJsonDepth, false));
    EXPECT_THROW(static_cast<void>(parse_cbor(cbor(kMaxJsonDepth + 1))), Json::exception);
    EXPECT_THROW(static_cast<void>(parse_cbor(cbor(200'000))), Json::exception);
    EXPECT_THROW(static_cast<void>(parse_cbor({0x82, 1})), Json::exception) << "cut short";
}

}  // namespace
}  // namespace throng
