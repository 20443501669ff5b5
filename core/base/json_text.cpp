#include "core/base/json_text.h"

#include <cstddef>

namespace throng {
namespace {

// Reads events of a parser and ends it where the nesting becomes too deep.
struct DepthLimit {
    int depth = 0;
    bool too_deep = false;

    bool begin() {
        too_deep = ++depth > kMaxJsonDepth;
        return !too_deep;
    }
    bool end() {
        --depth;
        return true;
    }
    // NOLINTBEGIN(readability-convert-member-functions-to-static): the interface of nlohmann
    bool null() { return true; }
    bool boolean(bool) { return true; }
    bool number_integer(nlohmann::json::number_integer_t) { return true; }
    bool number_unsigned(nlohmann::json::number_unsigned_t) { return true; }
    bool number_float(nlohmann::json::number_float_t, const nlohmann::json::string_t&) { return true; }
    bool string(nlohmann::json::string_t&) { return true; }
    bool binary(nlohmann::json::binary_t&) { return true; }
    bool key(nlohmann::json::string_t&) { return true; }
    bool start_object(std::size_t) { return begin(); }
    bool end_object() { return end(); }
    bool start_array(std::size_t) { return begin(); }
    bool end_array() { return end(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) { return false; }
    // NOLINTEND(readability-convert-member-functions-to-static)
};

}  // namespace

JsonTooDeep::JsonTooDeep() : exception(0, "the JSON is nested too deeply") {}

bool is_too_deep(std::string_view json) {
    int depth = 0;
    for (std::size_t at = 0; at < json.size(); ++at) {
        switch (json[at]) {
            case '[':
            case '{':
                if (++depth > kMaxJsonDepth) return true;
                break;
            case ']':
            case '}': --depth; break;
            case '"':
                for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
                break;
            default: break;
        }
    }
    return false;
}

nlohmann::json parse_cbor(const std::vector<std::uint8_t>& bytes) {
    DepthLimit limit;
    static_cast<void>(nlohmann::json::sax_parse(bytes, &limit, nlohmann::json::input_format_t::cbor));
    if (limit.too_deep) throw JsonTooDeep();
    return nlohmann::json::from_cbor(bytes);
}

}  // namespace throng
