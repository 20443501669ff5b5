// Messages of the core with values in them, in the language of the window.
#pragma once

#include <QString>
#include <string>

namespace throng::ui {

// Translates what the core composes: "image 640x480", "same 12 boxes; …". Parts that are separated by "; " and values
// that are texts themselves are translated one by one. A message that is not listed remains English.
// For the window's thread.
[[nodiscard]] QString translated_message(const QString& message);
[[nodiscard]] inline QString translated_message(const std::string& message) {
    return translated_message(QString::fromStdString(message));
}

}  // namespace throng::ui
