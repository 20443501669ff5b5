// Formats --help: choices as a|b|c, defaults in brackets.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace throng {

class HelpFormatter final : public CLI::Formatter {
public:
    HelpFormatter() { column_width(36); }
    std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace throng
