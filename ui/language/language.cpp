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
    // stages, whose names are those of the JSON output
    QT_TR_NOOP("Decode"),
    QT_TR_NOOP("Upload"),
    QT_TR_NOOP("Gray"),
    QT_TR_NOOP("Pyramid"),
    QT_TR_NOOP("Integral"),
    QT_TR_NOOP("Cascade"),
    QT_TR_NOOP("Gradient"),
    QT_TR_NOOP("Histogram"),
    QT_TR_NOOP("Normalize"),
    QT_TR_NOOP("Preprocess"),
    QT_TR_NOOP("Network"),
    QT_TR_NOOP("Boxes"),
    QT_TR_NOOP("NMS order"),
    QT_TR_NOOP("NMS map"),
    QT_TR_NOOP("NMS reduce"),
    QT_TR_NOOP("Download"),
    QT_TR_NOOP("Track"),
    QT_TR_NOOP("Total"),
    // rules and other names of the command line
    QT_TR_NOOP("one-pass"),
    QT_TR_NOOP("greedy"),
    QT_TR_NOOP("soft-linear"),
    QT_TR_NOOP("soft-gaussian"),
    QT_TR_NOOP("iou"),
    QT_TR_NOOP("suppressor"),
    QT_TR_NOOP("min"),
    QT_TR_NOOP("none"),
    QT_TR_NOOP("mean"),
    QT_TR_NOOP("weighted"),
    QT_TR_NOOP("fast"),
    QT_TR_NOOP("paper"),
    // switches of the detectors
    QT_TR_NOOP("Input"),
    QT_TR_NOOP("native: the frame at all scales that the sizes require; letterbox: once, at the model's input size"),
    QT_TR_NOOP("The frame at the scales for the requested face sizes, or once at the model's own input size."),
    QT_TR_NOOP("native"),
    QT_TR_NOOP("letterbox"),
    QT_TR_NOOP("Fused layers"),
    QT_TR_NOOP("Convolutions, pooling, sums and heads are fused: fewer maps are written to memory."),
    QT_TR_NOOP("CUDA graph"),
    QT_TR_NOOP("All layers are enqueued with one call."),
    QT_TR_NOOP("Overlapping launches"),
    QT_TR_NOOP("A kernel is set up while the previous one finishes."),
    QT_TR_NOOP("Shared launches"),
    QT_TR_NOOP("Frames of several sources on one GPU are processed in batches."),
    QT_TR_NOOP("Stages in segments"),
    QT_TR_NOOP("Remaining windows are collected in queues between segments of stages, so that no thread idles."),
    QT_TR_NOOP("Scales"),
    QT_TR_NOOP("All scales in one launch keep the device busy; one scale at a time leaves it nearly idle."),
    QT_TR_NOOP("together"),
    QT_TR_NOOP("streams"),
    QT_TR_NOOP("sequential"),
    QT_TR_NOOP("First useful scale"),
    QT_TR_NOOP("The pyramid starts at the smallest face size searched for."),
    QT_TR_NOOP("Features"),
    QT_TR_NOOP("The corners of a feature's rectangles are stored as offsets instead of computed for every window."),
    QT_TR_NOOP("offsets"),
    QT_TR_NOOP("geometry"),
    QT_TR_NOOP("Pairs in shared memory"),
    QT_TR_NOOP("A thread evaluates two neighboring windows at once, whose sums share the words of shared memory."),
    QT_TR_NOOP("One warp per pair"),
    QT_TR_NOOP("In the last stages, where few windows remain, 32 threads share two windows."),
    QT_TR_NOOP("Candidate mask"),
    QT_TR_NOOP("Only windows with enough skin color, or in a region of interest, are evaluated."),
    QT_TR_NOOP("off"),
    QT_TR_NOOP("skin"),
    QT_TR_NOOP("Stride"),
    QT_TR_NOOP("Only every n-th window is evaluated first, then all windows around those that pass."),
    QT_TR_NOOP("A frame's launches are replayed as one; the cascade then reports one time for all of them."),
    QT_TR_NOOP("Results per thread"),
    QT_TR_NOOP("A thread computes 4 pixels, 3 bins or 4 windows, so that each value read is used several times."),
    QT_TR_NOOP("several"),
    QT_TR_NOOP("one"),
    QT_TR_NOOP("Approximate arc tangent"),
    QT_TR_NOOP("A polynomial with an error of at most 0.0112 degrees replaces the library's function."),
    QT_TR_NOOP("polynomial"),
    QT_TR_NOOP("exact"),
    QT_TR_NOOP("Unrolled loops"),
    QT_TR_NOOP("Kernels are specialized for these cells, blocks and windows: constant weights, wide loads, no loop "
               "counters."),
    QT_TR_NOOP("on"),
    QT_TR_NOOP("All scales in one launch"),
    QT_TR_NOOP("Small levels alone leave the device nearly idle."),
    QT_TR_NOOP("apart"),
    QT_TR_NOOP("A frame's launches are replayed with one call; its stages then have one common time."),
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

void use_core_locale() {
    ::bindtextdomain("libc", "/");  // where the library finds no translations
    std::setlocale(LC_NUMERIC, "C");
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
