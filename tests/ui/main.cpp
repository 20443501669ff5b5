// Runs the tests of the window, without a display unless QT_QPA_PLATFORM selects one.
#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QStandardPaths>

#include "ui/language/language.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    // The desktop of whoever runs the tests must not open its dialogs.
    for (const char* name : {"XDG_CURRENT_DESKTOP", "QT_QPA_PLATFORMTHEME"}) qunsetenv(name);
    QStandardPaths::setTestModeEnabled(true);
    QGuiApplication application(argc, argv);
    throng::ui::use_core_locale();
    return RUN_ALL_TESTS();
}
