#include "app/options/values.h"

#include "core/base/value_text.h"

namespace throng {

CLI::Validator finite_range(double low, double high) {
    return CLI::Validator([=](const std::string& text) { return check_real(text, low, high).text(); }, "");
}

CLI::Validator one_of(const std::vector<std::string>& choices) {
    // The help text, the manual pages and the completions read the choices from the description.
    return CLI::Validator([=](const std::string& text) { return check_choice(text, choices).text(); },
                          "{" + CLI::detail::join(choices, ",") + "}");
}

std::vector<std::string> split_list(const std::string& option, const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t comma = text.find(',', begin);
        parts.push_back(text.substr(begin, comma - begin));
        if (parts.back().empty()) {
            throw CLI::ValidationError(option, Message("has an empty element in \"%1\"", text).text());
        }
        if (comma == std::string::npos) return parts;
        begin = comma + 1;
    }
}

}  // namespace throng
