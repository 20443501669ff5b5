// Parses JSON of unknown origin, and writes it. nlohmann's copy and dump call themselves for each level, so that deep
// nesting would overflow the stack.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace throng {

// Maximum number of arrays and objects around a value. Far more than any file of this program has.
inline constexpr int kMaxJsonDepth = 64;

// The text is nested deeper than kMaxJsonDepth.
class JsonTooDeep final : public nlohmann::json::exception {
public:
    JsonTooDeep();
};

// Returns true if the text is nested deeper than kMaxJsonDepth. Invalid JSON is left to the parser, which stops there.
[[nodiscard]] bool is_too_deep(std::string_view json);

// Parses as Json::parse does; nesting that is too deep is an error like others: throws JsonTooDeep, or returns a
// discarded value unless allow_exceptions.
template <class Json>
[[nodiscard]] Json parse_json(std::string_view text, bool allow_exceptions = true) {
    const bool too_deep = is_too_deep(text);
    if (too_deep && allow_exceptions) throw JsonTooDeep();
    return too_deep ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, allow_exceptions);
}

// Returns the object of this name in an object; null if there is none, or if it is no object. Lines of detections with
// people and their faces have the object "faces", which is a list in lines of ground truth.
template <class Json>
[[nodiscard]] const Json* object_in(const Json& value, const char* name) {
    const auto found = value.find(name);
    return found != value.end() && found->is_object() ? &*found : nullptr;
}

// Returns the text of a value. Bytes that are not UTF-8, as in names of files, become the replacement character.
// indent: spaces per level; -1: on one line.
template <class Json>
[[nodiscard]] std::string json_text(const Json& value, int indent = -1) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// These functions are compiled once, in a hot source. Other members of a value are compiled where they are called.
extern template nlohmann::ordered_json parse_json(std::string_view text, bool allow_exceptions);
extern template std::string json_text(const nlohmann::ordered_json& value, int indent);

}  // namespace throng
