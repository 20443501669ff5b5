// Checks what the window needs before Qt aborts the program for the lack of it: a display, and OpenGL to draw on it.
#pragma once

#include <string>

namespace throng::ui {

// Returns an empty string if Qt will find a display, otherwise the reason: "DISPLAY and WAYLAND_DISPLAY are not set".
// Evaluates the environment as Qt does, the installed platform plugins, and a connection to the display server's
// socket.
[[nodiscard]] std::string display_unavailable_reason();

// Selects Qt's software renderer, with a warning, if OpenGL is unavailable on the display. To be called after the
// application is created and before its first window. Leaves a renderer that the environment selects.
void select_renderer();

}  // namespace throng::ui
