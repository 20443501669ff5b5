// Entry point of the UI: one function that runs until the window is closed.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "ui/session/session.h"

class QQmlEngine;
class QQuickWindow;

namespace throng::ui {

struct WindowOptions {
    SessionSetup session;
    // Empty: the last one opened, or the demo crowd if there is none. Several: a wall, of up to Wall::kMaxTiles.
    std::vector<std::string> sources;
    bool labels = false;             // show scores and hits
    bool blur = false;               // blur faces
    bool remember = false;           // start with the overlay of the last run, and save its changes
    bool remember_detector = false;  // likewise, the detector
    bool full_screen = false;
    bool kiosk = false;             // full screen that only kiosk_exit and signals leave; loops the source
    std::string kiosk_exit;         // key that ends the kiosk: "Ctrl+Alt+Q"; empty: none
    std::string scenes;             // script of attract mode: a file or "default"; empty: none
    std::string language = "auto";  // of the texts: a code as "de"; "auto": of the system
    std::string screenshot;         // write an image of the window to this file and exit; empty: run until closed
    int screenshot_after = 30;      // results to wait for; fewer if the source ends earlier
    int width = 0;                  // of the window, logical pixels; 0: the size of the last run
    int height = 0;
    std::function<bool()> interrupted;  // polled every 100 ms; true closes the window
    std::stop_token stop;               // ends the wait for the script of scenes
};

// Opens the window and runs its event loop. Returns the exit status. Throws Error(unavailable) if there is no display.
// Throws as read_scenes and parse_exit_key do, before the window opens.
// With a screenshot, also throws the error of the source, or Error(input) if the file cannot be written.
int run_window(int argc, char** argv, WindowOptions options);

// Registers the module Throng.Ui with the engine and returns the URL of its Main.qml. For run_window and tests.
[[nodiscard]] QUrl load_module(QQmlEngine& engine);

// Gives the window its first size: that of the options, or of the last run, or its own. The last two are limited to the
// screen.
void set_first_size(QQuickWindow& window, const WindowOptions& options, const QSettings& store);

// Names the application, sets the style of its dialogs, and sends Qt's messages to the program's log. To be called
// before the application is created.
void set_up_application();

}  // namespace throng::ui
