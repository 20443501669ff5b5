// Any words as a command line (one word per line) are parsed or rejected with a message.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "app/options/common.h"
#include "core/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace throng;
    CLI::App program("", "throng");
    CommandContext context;
    add_view_command(program, context);
    add_detect_command(program, context);
    add_info_command(program, context);
    add_common_options(program, context.common);

    std::vector<std::string> words;
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    for (std::string line; std::getline(lines, line);) words.push_back(line);
    try {
        words = with_default_command(program, std::move(words));
        std::reverse(words.begin(), words.end());
        program.parse(words);
    } catch (const CLI::ParseError& error) {
        static_cast<void>(usage_error(program, error));
    } catch (const Error&) {
    }
    return 0;
}
