// The window as the program sees it: one function that runs until the window is closed.
#pragma once

#include <functional>
#include <string>

#include "ui/session/session.h"

class QQmlEngine;

namespace throng::ui {

struct WindowOptions {
    SessionSetup session;
    std::string source;   // empty: the last one opened, else the demo crowd
    bool raw = true;      // show raw detections
    bool labels = false;  // show scores and hits
    bool blur = false;    // blur faces
    bool full_screen = false;
    bool kiosk = false;         // full screen that Esc does not leave, repeating its source
    std::string screenshot;     // write an image of the window here and end; empty: run until closed
    int screenshot_after = 30;  // results to wait for; fewer when the source ends before
    int width = 0;              // of the window, logical pixels; 0: as it was last
    int height = 0;
    std::function<bool()> interrupted;  // asked now and then; true closes the window
};

// Opens the window and runs it. Returns the exit status. Throws Error(unavailable) when there is no display; with a
// screenshot, the failure of the source, or Error(input) when the file cannot be written.
int run_window(int argc, char** argv, WindowOptions options);

// Makes the module Throng.Ui known to the engine; the address of its Main.qml. For run_window and tests.
[[nodiscard]] QUrl load_module(QQmlEngine& engine);

}  // namespace throng::ui
