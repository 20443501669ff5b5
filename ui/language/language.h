// Language of the window's texts. They are English in the code; a file of Qt Linguist (.ts) has another language.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>
#include <QStringList>
#include <QTranslator>
#include <string>
#include <string_view>

#include "core/base/message.h"

namespace throng::ui {

// Translates with .ts files, read as they are: builds need no lrelease. Plural forms are not supported.
class TsTranslator : public QTranslator {
    Q_OBJECT

public:
    // Throws Error(internal) if a file cannot be read or is no .ts file.
    explicit TsTranslator(const QStringList& files, QObject* parent = nullptr);

    // Returns a null string for a text without translation.
    [[nodiscard]] QString translate(const char* context, const char* source, const char* comment = nullptr,
                                    int n = -1) const override;
    [[nodiscard]] bool isEmpty() const override { return texts_.isEmpty(); }

private:
    void read(const QString& path);

    QHash<QByteArray, QString> texts_;  // by key_of() context and source
};

// Returns the languages to use, the preferred one first. "auto": those of the system.
[[nodiscard]] QStringList preferred_languages(const std::string& language);

// Returns the .ts files for the first of these languages that the program has, "de_DE" also takes "de": texts of the
// window, texts of the core. Empty: English.
[[nodiscard]] QStringList translation_files(const QStringList& languages);

// Sets the language of the application's texts: of the window, and of Qt itself where its translations are installed.
// Numbers are written as in that language. To be called before the QML is loaded.
void install_language(const QStringList& languages);

// Writes a number with so many decimals, as the language of the window does: "0.5", "0,5".
[[nodiscard]] QString fixed(double value, int decimals);
// Likewise with as many decimals as it needs, and so many significant digits at most.
[[nodiscard]] QString shortest(double value, int digits = 6);

// Makes the core independent of the system's locale, which the application has set: the texts of the C library remain
// English, as the messages that contain them and are translated as a whole, and numbers have a decimal point. To be
// called after the application is created.
void use_core_locale();

// Translates a text that the core defines: title or help of a detector, name of a clock profile.
[[nodiscard]] QString translated(std::string_view text);

// Words a message of the core in the language of the window. A sentence without translation remains English.
[[nodiscard]] QString translated_message(const Message& message);
// Likewise, with a capital: "cannot open the video" to "Cannot open the video".
[[nodiscard]] QString translated_sentence(const Message& message);

}  // namespace throng::ui
