// Whether a window can be opened at all. Qt itself ends the program when it cannot.
#pragma once

#include <string>

namespace throng::ui {

// Empty when Qt will find a display, else why not: "DISPLAY and WAYLAND_DISPLAY are not set". Looks at the environment
// as Qt does, at the plug-ins that are installed, and whether the display server answers on its socket.
[[nodiscard]] std::string display_unavailable_reason();

}  // namespace throng::ui
