// Language of the window's texts. They are English in the code; a file of Qt Linguist (.ts) has another language.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>
#include <QStringList>
#include <QTranslator>
#include <string>
#include <string_view>

namespace throng::ui {

// Translates with a .ts file, read as it is: builds need no lrelease. Plural forms are not supported.
class TsTranslator : public QTranslator {
    Q_OBJECT

public:
    // Throws Error(internal) if the file cannot be read or is no .ts file.
    explicit TsTranslator(const QString& path, QObject* parent = nullptr);

    // Returns a null string for a text without translation.
    [[nodiscard]] QString translate(const char* context, const char* source, const char* comment = nullptr,
                                    int n = -1) const override;
    [[nodiscard]] bool isEmpty() const override { return texts_.isEmpty(); }

private:
    QHash<QByteArray, QString> texts_;  // by key_of() context and source
};

// Returns the languages to use, the preferred one first. "auto": those of the system.
[[nodiscard]] QStringList preferred_languages(const std::string& language);

// Returns the .ts file for the first of these languages that the program has, "de_DE" also takes "de". Empty: English.
[[nodiscard]] QString translation_file(const QStringList& languages);

// Sets the language of the application's texts: of the window, and of Qt itself where its translations are installed.
// To be called before the QML is loaded.
void install_language(const QStringList& languages);

// Makes the core independent of the system's locale, which the application has set: the texts of the C library remain
// English, as the messages that contain them and are translated as a whole, and numbers have a decimal point. To be
// called after the application is created.
void use_core_locale();

// Translates a text that the core defines: title or help of a detector, name of a clock profile.
[[nodiscard]] QString translated(std::string_view text);

}  // namespace throng::ui
