// Options of commands that read frames.
#pragma once

#include <cstdint>

#include "app/options/cli_fwd.h"
#include "core/video/source.h"

namespace throng {

struct SourceArguments {
    SourceOptions source;
    std::int64_t frames = 0;  // --frames; 0: all
};

// Adds --decoder, --frames, --open-timeout, --read-timeout and --reconnects.
void add_source_options(CLI::App& command, SourceArguments& arguments);

// Returns the forms of SOURCE, for the help text.
[[nodiscard]] const char* source_forms();

}  // namespace throng
