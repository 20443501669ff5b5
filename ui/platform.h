// Checks for a usable display before Qt starts: without one, Qt aborts the program.
#pragma once

#include <string>

namespace throng::ui {

// Returns an empty string if Qt will find a display, otherwise the reason: "DISPLAY and WAYLAND_DISPLAY are not set".
// Evaluates the environment as Qt does, the installed platform plugins, and a connection to the display server's
// socket.
[[nodiscard]] std::string display_unavailable_reason();

}  // namespace throng::ui
