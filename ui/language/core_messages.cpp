#include "ui/language/core_messages.h"

#include <QRegularExpression>
#include <QStringList>
#include <vector>

#include "ui/language/language.h"

namespace throng::ui {
namespace {

// The first pattern that matches is used: longer ones first.
constexpr const char* kPatterns[] = {
    QT_TR_NOOP("faces"),
    QT_TR_NOOP("people"),
    QT_TR_NOOP("%1 from %2 instead of %3 px, scale factor %4 instead of %5"),
    QT_TR_NOOP("%1 from %2 instead of %3 px"),
    QT_TR_NOOP("drawn crowd of %1, %2"),
    QT_TR_NOOP("image %1"),
    QT_TR_NOOP("%1 images"),
    QT_TR_NOOP("%1 image"),
    QT_TR_NOOP("2x2 of %1"),
    QT_TR_NOOP("Throng, %1 (%2)"),
    QT_TR_NOOP("Plain loop, %1 (CPU)"),
    QT_TR_NOOP("OpenCV NMSBoxes, greedy (CPU)"),
    QT_TR_NOOP("The paper's kernels, one-pass (GPU)"),
    QT_TR_NOOP("same %1 boxes"),
    QT_TR_NOOP("%1 boxes, %2 of %3 in common"),
    QT_TR_NOOP("%1 boxes"),
    QT_TR_NOOP("another order of equal scores, none of 0 or less, always the IoU"),
    QT_TR_NOOP("%1 as one-pass, which keeps fewer"),
    QT_TR_NOOP("has no soft rules"),
    QT_TR_NOOP("has the greedy rule only"),
    QT_TR_NOOP("quadratic: not run for more than %1 detections"),
    QT_TR_NOOP("not run for more than %1 detections: their matrix is too large"),
    QT_TR_NOOP("need a GPU"),
    QT_TR_NOOP("same %1 raw detections"),
    QT_TR_NOOP("%1 raw detections instead of %2"),
    QT_TR_NOOP("%1 as set (%2)"),
    QT_TR_NOOP("%1 off: %2"),
    QT_TR_NOOP("also"),
    QT_TR_NOOP("switched"),
    QT_TR_NOOP("on one thread"),
    QT_TR_NOOP("Optimizations off, one after the other"),
    QT_TR_NOOP("this detector has none to switch off"),
    QT_TR_NOOP("only the detectors on a GPU have switches"),
    QT_TR_NOOP("this machine has no GPU clock to control"),
    QT_TR_NOOP("the GPU's clock steps are not available yet"),
    QT_TR_NOOP("file not found"),
    QT_TR_NOOP("check the path"),
    QT_TR_NOOP("no such camera"),
    QT_TR_NOOP("cannot be read"),
    QT_TR_NOOP("check the file's permissions"),
    QT_TR_NOOP("the folder contains no images"),
    QT_TR_NOOP("the file is empty"),
    QT_TR_NOOP("the file is damaged"),
    QT_TR_NOOP("the file is damaged or cut short"),
    QT_TR_NOOP("not an image in a supported format"),
    QT_TR_NOOP("the input contains no video"),
    QT_TR_NOOP("the file cannot be read any further"),
    QT_TR_NOOP("no frame can be decoded"),
    QT_TR_NOOP("cannot be reached: %1"),
    QT_TR_NOOP("no data for %1"),
    QT_TR_NOOP("reconnecting, attempt %1"),
    QT_TR_NOOP("reconnected, waiting for a frame"),
    QT_TR_NOOP("the video cannot be decoded: %1"),
};

struct Pattern {
    QRegularExpression expression;
    QString text;  // in the language of the window
};

std::vector<Pattern> make_patterns() {
    static const QRegularExpression kPlaceholder(QStringLiteral("%\\d"));
    std::vector<Pattern> patterns;
    for (const char* source : kPatterns) {
        QStringList literals = QString::fromUtf8(source).split(kPlaceholder);
        for (QString& literal : literals) literal = QRegularExpression::escape(literal);
        const QString expression = QRegularExpression::anchoredPattern(literals.join(QStringLiteral("(.+?)")));
        patterns.push_back({QRegularExpression(expression), translated(source)});
    }
    return patterns;
}

// Made again after a change of the language, which one of the texts shows.
const std::vector<Pattern>& patterns_now() {
    static std::vector<Pattern> patterns;
    if (patterns.empty() || patterns.front().text != translated(kPatterns[0])) patterns = make_patterns();
    return patterns;
}

QString translated_part(const QString& part) {
    for (const Pattern& pattern : patterns_now()) {
        const QRegularExpressionMatch match = pattern.expression.match(part);
        if (!match.hasMatch()) continue;
        QString text = pattern.text;
        for (int i = match.lastCapturedIndex(); i > 0; --i) {
            text.replace(QLatin1Char('%') + QString::number(i), translated_message(match.captured(i)));
        }
        return text;
    }
    return translated(part.toStdString());
}

}  // namespace

QString translated_message(const QString& message) {
    // Asked with every frame: most have no message, and in English none changes.
    if (message.isEmpty() || translated(kPatterns[0]) == QLatin1String(kPatterns[0])) return message;
    QStringList parts = message.split(QStringLiteral("; "));
    for (QString& part : parts) part = translated_part(part);
    return parts.join(QStringLiteral("; "));
}

}  // namespace throng::ui
