#include "ui/language/language.h"

#include <QCoreApplication>
#include <QFile>
#include <QLibraryInfo>
#include <QLocale>
#include <QXmlStreamReader>

#include "core/base/error.h"

namespace throng::ui {
namespace {

constexpr const char* kContext = "throng::ui";

// Lists the core's texts for lupdate.
[[maybe_unused]] constexpr const char* kCoreTexts[] = {
    QT_TR_NOOP("Haar cascade"),
    QT_TR_NOOP("LBP cascade"),
    QT_TR_NOOP("HOG people"),
    QT_TR_NOOP("CNN faces"),
    QT_TR_NOOP("Frontal faces from 20 pixels; fast on crowds"),
    QT_TR_NOOP("Frontal faces from 24 pixels; faster and less reliable than Haar"),
    QT_TR_NOOP("Standing or walking people, from 128 pixels in height (64 in an enlarged image)"),
    QT_TR_NOOP("Small, rotated and partly hidden faces from 10 pixels; the most accurate"),
    QT_TR_NOOP("Automatic"),
    QT_TR_NOOP("Minimum"),
    QT_TR_NOOP("Maximum"),
    QT_TR_NOOP("Fanless"),
    // of the C library
    QT_TR_NOOP("No such file or directory"),
    QT_TR_NOOP("Permission denied"),
    QT_TR_NOOP("Connection refused"),
    QT_TR_NOOP("Connection timed out"),
};

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

TsTranslator::TsTranslator(const QString& path, QObject* parent) : QTranslator(parent) {
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

QStringList preferred_languages(const std::string& language) {
    return language == "auto" ? QLocale::system().uiLanguages() : QStringList{QString::fromStdString(language)};
}

QString translation_file(const QStringList& languages) {
    for (QString language : languages) {
        language = language.replace(QLatin1Char('-'), QLatin1Char('_')).section(QLatin1Char('_'), 0, 0);
        if (language == QLatin1String("en")) break;
        const QString path = QStringLiteral(":/qt/qml/Throng/Ui/throng_%1.ts").arg(language);
        if (QFile::exists(path)) return path;
    }
    return {};
}

void install_language(const QStringList& languages) {
    const QString path = translation_file(languages);
    if (path.isEmpty()) return;
    QCoreApplication* application = QCoreApplication::instance();
    const QString language = path.section(QLatin1Char('_'), -1).section(QLatin1Char('.'), 0, 0);
    for (const QLatin1String part : {QLatin1String("qtbase_"), QLatin1String("qtdeclarative_")}) {
        auto* of_qt = new QTranslator(application);
        if (of_qt->load(part + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
            QCoreApplication::installTranslator(of_qt);
        }
    }
    QCoreApplication::installTranslator(new TsTranslator(path, application));
}

QString translated(std::string_view text) {
    return QCoreApplication::translate(kContext, std::string(text).c_str());
}

}  // namespace throng::ui
