#include "core/base/json_text.h"

#include <cstddef>

namespace throng {

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

template nlohmann::ordered_json parse_json(std::string_view text, bool allow_exceptions);
template std::string json_text(const nlohmann::ordered_json& value, int indent);

}  // namespace throng
