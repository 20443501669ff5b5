#include "ui/language/language.h"

#include <libintl.h>
#include <QCoreApplication>
#include <QFile>
#include <QLibraryInfo>
#include <QLocale>
#include <QXmlStreamReader>
#include <clocale>

#include "core/base/error.h"

namespace throng::ui {
namespace {

constexpr const char* kContext = "throng::ui";

// Names of keys, which Qt looks up in this context. Qt's own translations are rarely installed.
[[maybe_unused]] constexpr const char* kKeyNames[] = {
    QT_TRANSLATE_NOOP("QShortcut", "Ctrl"),  QT_TRANSLATE_NOOP("QShortcut", "Shift"),
    QT_TRANSLATE_NOOP("QShortcut", "Space"), QT_TRANSLATE_NOOP("QShortcut", "Home"),
    QT_TRANSLATE_NOOP("QShortcut", "Left"),  QT_TRANSLATE_NOOP("QShortcut", "Right"),
};

QByteArray key_of(const QByteArray& context, const QByteArray& source) {
    return context + '\n' + source;
}

}  // namespace

TsTranslator::TsTranslator(const QStringList& files, QObject* parent) : QTranslator(parent) {
    for (const QString& path : files) read(path);
}

void TsTranslator::read(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        throw Error(ErrorKind::internal, "cannot read the texts of the window", path.toStdString());
    }
    QXmlStreamReader xml(&file);
    QByteArray context, source;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        const auto name = xml.name();
        if (name == QLatin1String("name")) {
            context = xml.readElementText().toUtf8();
        } else if (name == QLatin1String("source")) {
            source = xml.readElementText().toUtf8();
        } else if (name == QLatin1String("translation")) {
            const QString text = xml.readElementText();
            if (!text.isEmpty()) texts_.insert(key_of(context, source), text);
        }
    }
    if (xml.hasError()) {
        throw Error(ErrorKind::internal, "cannot read the texts of the window: " + xml.errorString().toStdString(),
                    path.toStdString() + ":" + std::to_string(xml.lineNumber()));
    }
}

QString TsTranslator::translate(const char* context, const char* source, const char*, int) const {
    return texts_.value(key_of(context, source));
}

void use_core_locale() {
    ::bindtextdomain("libc", "/");  // where the library finds no translations
    std::setlocale(LC_NUMERIC, "C");
}

QStringList preferred_languages(const std::string& language) {
    return language == "auto" ? QLocale::system().uiLanguages() : QStringList{QString::fromStdString(language)};
}

QStringList translation_files(const QStringList& languages) {
    for (QString language : languages) {
        language = language.replace(QLatin1Char('-'), QLatin1Char('_')).section(QLatin1Char('_'), 0, 0);
        if (language == QLatin1String("en")) break;
        const QString path = QStringLiteral(":/qt/qml/Throng/Ui/%1_%2.ts");
        const QStringList files{path.arg(QStringLiteral("throng"), language),
                                path.arg(QStringLiteral("core"), language)};
        if (QFile::exists(files.front())) return files;
    }
    return {};
}

void install_language(const QStringList& languages) {
    const QStringList files = translation_files(languages);
    if (files.isEmpty()) {
        QLocale::setDefault(QLocale(QLocale::English));
        return;
    }
    QCoreApplication* application = QCoreApplication::instance();
    const QString language = files.front().section(QLatin1Char('_'), -1).section(QLatin1Char('.'), 0, 0);
    QLocale::setDefault(QLocale(language));
    for (const QLatin1String part : {QLatin1String("qtbase_"), QLatin1String("qtdeclarative_")}) {
        auto* of_qt = new QTranslator(application);
        if (of_qt->load(part + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
            QCoreApplication::installTranslator(of_qt);
        }
    }
    QCoreApplication::installTranslator(new TsTranslator(files, application));
}

QString fixed(double value, int decimals) {
    return QString::number(value, 'f', decimals).replace(QLatin1Char('.'), QLocale().decimalPoint());
}

QString shortest(double value, int digits) {
    return QString::number(value, 'g', digits).replace(QLatin1Char('.'), QLocale().decimalPoint());
}

QString translated(std::string_view text) {
    return QCoreApplication::translate(kContext, std::string(text).c_str());
}

QString translated_message(const Message& message) {
    if (message.empty()) return {};  // asked with every frame
    return QString::fromStdString(
        message.text([](const std::string& sentence) { return translated(sentence).toStdString(); }));
}

QString translated_sentence(const Message& message) {
    QString line = translated_message(message);
    if (!line.isEmpty()) line[0] = line[0].toUpper();
    return line;
}

}  // namespace throng::ui
