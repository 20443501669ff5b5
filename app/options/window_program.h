// The program with the window, throng-window, is a module next to the others (core/base/shared_library.h): `throng` itself
// needs no Qt. It has the same command line.
#pragma once

#include <string>

#include "app/options/command.h"
#include "core/base/message.h"

namespace throng {

inline constexpr const char* kWindowProgram = "throng-window";

// Continues this process as the program with the window, which runs the same command line. No other thread may run.
// Signals that come meanwhile reach it (exit_on_signals). Throws Error(unavailable) with this place and advice if it is not
// installed.
[[noreturn]] void become_window_program(const CommonOptions& common, const Message& where, const Message& advice);

}  // namespace throng
