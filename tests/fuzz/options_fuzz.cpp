// Any words as a command line (one word per line) are parsed or rejected with a message.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/options/common.h"
#include "core/base/error.h"
#include "tests/fuzz/input.h"

namespace {

struct Parser {
    CLI::App program;
    throng::CommandContext context;

    Parser() { throng::add_command_line(program, context); }
};

}  // namespace

TH_FUZZ(options) {
    using namespace throng;
    static Parser parser;  // parse() clears what the call before it left; making one takes far longer

    std::vector<std::string> words;
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    for (std::string line; std::getline(lines, line);) words.push_back(line);
    try {
        words = with_default_command(parser.program, std::move(words));
        std::reverse(words.begin(), words.end());
        parser.program.parse(words);
    } catch (const CLI::Success&) {  // --help, --version
    } catch (const CLI::ParseError& error) {
        static_cast<void>(usage_error(parser.program, error));
    } catch (const Error&) {
    }
    return 0;
}
