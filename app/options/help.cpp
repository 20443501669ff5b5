#include "app/options/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace throng {

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
    // CLI11 returns "NAME:{a,b}": the name, then the choices, which replace it.
    const std::string full = option->get_type_name();
    const std::size_t colon = full.find(":{");
    std::string type = full.substr(0, colon);
    if (colon != std::string::npos) {
        type = full.substr(colon + 2, full.find('}', colon) - colon - 2);
        std::replace(type.begin(), type.end(), ',', '|');
    }
    std::string text = type.empty() ? std::string() : " " + type;
    if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
    if (option->get_expected_max() >= CLI::detail::expected_max_vector_size) text += " ...";
    return text;
}

}  // namespace throng
