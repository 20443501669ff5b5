// Any bytes as a configuration file are read and applied to a command, or rejected with a throng::Error.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/options/common.h"
#include "app/options/config_options.h"
#include "core/base/config.h"
#include "core/base/error.h"
#include "tests/fuzz/input.h"

namespace {

struct Parser {
    CLI::App program{"", "throng"};
    throng::CommandContext context;

    Parser() {
        throng::add_detect_command(program, context);
        throng::add_common_options(program, context.common);
    }
};

}  // namespace

TH_FUZZ(toml) {
    using namespace throng;
    static Parser parser;  // parse() clears what the call before it left; making one takes far longer
    parser.program.parse(std::vector<std::string>{"clip.mp4", "detect"});
    try {
        apply_config(parser.program, parse_config({reinterpret_cast<const char*>(data), size}, "fuzz.toml"));
    } catch (const Error&) {
    }
    return 0;
}
