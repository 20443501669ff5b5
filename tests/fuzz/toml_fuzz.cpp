// Any bytes as a configuration file are read and applied to a command, or rejected with a throng::Error.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/options/common.h"
#include "app/options/config_options.h"
#include "core/base/config.h"
#include "core/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace throng;
    CLI::App program("", "throng");
    CommandContext context;
    add_detect_command(program, context);
    add_common_options(program, context.common);
    program.parse(std::vector<std::string>{"clip.mp4", "detect"});
    try {
        apply_config(program, parse_config({reinterpret_cast<const char*>(data), size}, "fuzz.toml"));
    } catch (const Error&) {
    }
    return 0;
}
