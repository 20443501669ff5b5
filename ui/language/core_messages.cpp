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
    QT_TR_NOOP("cpu: %1"),
    QT_TR_NOOP("requested"),
    QT_TR_NOOP("no NVIDIA driver is installed"),
    QT_TR_NOOP("the NVIDIA driver found no GPU"),
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
    QT_TR_NOOP("no source specified"),
    QT_TR_NOOP("not a regular file"),
    QT_TR_NOOP("no answer within %1"),
    QT_TR_NOOP("check the address, the network and whether the sender is running"),
    QT_TR_NOOP("the server rejected the user name or password"),
    QT_TR_NOOP("the server requires a user name and a password"),
    QT_TR_NOOP("put user:password@ before the host"),
    QT_TR_NOOP("the server denied access"),
    QT_TR_NOOP("check the user name and the password"),
    QT_TR_NOOP("not found on the server"),
    QT_TR_NOOP("check the path after the host"),
    QT_TR_NOOP("this FFmpeg build does not support this protocol"),
    QT_TR_NOOP("check the part before the colon"),
    QT_TR_NOOP("not a readable video"),
    QT_TR_NOOP("the file may be damaged, cut short, or of another type"),
    QT_TR_NOOP("another program may be using it"),
    QT_TR_NOOP("check the address and whether the sender is running"),
    QT_TR_NOOP("check the sender of the video"),
    QT_TR_NOOP("choose a file with a video track"),
    QT_TR_NOOP("the connection or the sender has stopped"),
    QT_TR_NOOP("%1, before the first frame"),
    QT_TR_NOOP("the input contains no frames"),
    QT_TR_NOOP("the video has a length of 0 seconds"),
    QT_TR_NOOP("the host name was not resolved within %1"),
    QT_TR_NOOP("check the network and its name server"),
    QT_TR_NOOP("host not found: %1"),
    QT_TR_NOOP("check the address and the network"),
    QT_TR_NOOP("the frame is too large: %1 pixels"),
    QT_TR_NOOP("at most %1 megapixels are supported"),
    QT_TR_NOOP("the %1 decoder is unavailable: %2"),
    QT_TR_NOOP("the GPU cannot decode this type of video (%1)"),
    QT_TR_NOOP("use --decoder auto or software"),
    QT_TR_NOOP("convert it to H.264"),
    QT_TR_NOOP("frames in the format %1 are not supported"),
    QT_TR_NOOP("this OpenCV was built without GStreamer"),
    QT_TR_NOOP("the pipeline is empty"),
    QT_TR_NOOP("the pipeline did not start in time"),
    QT_TR_NOOP("test it with gst-launch-1.0 and autovideosink at its end"),
    QT_TR_NOOP("not a camera number"),
    QT_TR_NOOP("use camera:0 for the first one"),
    QT_TR_NOOP("cannot read the image: %1"),
    QT_TR_NOOP("animated WebP is not supported"),
    QT_TR_NOOP("convert it to GIF or MP4"),
    QT_TR_NOOP("the image header is damaged"),
    QT_TR_NOOP("the image cannot be decoded: %1"),
    QT_TR_NOOP("the image cannot be decoded"),
    QT_TR_NOOP("the file is larger than 512 megabytes"),
    QT_TR_NOOP("none of the %1 images in the folder can be read"),
    QT_TR_NOOP("cannot read the folder: %1"),
    QT_TR_NOOP("the stream has ended"),
    QT_TR_NOOP("the sender restarts it from the same frame"),
    QT_TR_NOOP("reconnecting failed"),
    QT_TR_NOOP("check the device or the sender, then open the source again"),
    QT_TR_NOOP("invalid value '%1'"),
    QT_TR_NOOP("unknown option '%1'"),
    QT_TR_NOOP("model file not found"),
    QT_TR_NOOP("no model of this name found"),
    QT_TR_NOOP("larger than 64 MiB, too large for a cascade"),
    QT_TR_NOOP("not XML: %1"),
    QT_TR_NOOP("the cascade is damaged or not supported"),
    QT_TR_NOOP("is not an ONNX model"),
    QT_TR_NOOP("is a truncated or damaged ONNX model of %1 bytes"),
    QT_TR_NOOP("is too large for a %1: more than %2 bytes"),
    QT_TR_NOOP("use a YuNet or UltraFace model, see `throng models`"),
    QT_TR_NOOP("download the file again"),
    QT_TR_NOOP("`throng models` lists sizes and checksums"),
    QT_TR_NOOP("is a web page, not a model"),
    QT_TR_NOOP("the %1 backend failed"),
    QT_TR_NOOP("continuing with %1: %2"),
    QT_TR_NOOP("%1 frame dropped"),
    QT_TR_NOOP("%1 frames dropped"),
    QT_TR_NOOP("cannot create the file: %1"),
    QT_TR_NOOP("cannot write: %1"),
    QT_TR_NOOP("cannot create the folder: %1"),
    QT_TR_NOOP("the disk is full"),
    QT_TR_NOOP("the file size limit is reached"),
    QT_TR_NOOP("check the folder and its permissions"),
    QT_TR_NOOP("check the folder"),
    QT_TR_NOOP("another program is writing this file"),
    QT_TR_NOOP("choose another file"),
    QT_TR_NOOP("is a folder"),
    QT_TR_NOOP("choose a file"),
    QT_TR_NOOP("unknown video file extension"),
    QT_TR_NOOP("use a name that ends in .mp4 or .mkv"),
    QT_TR_NOOP("this FFmpeg build cannot write %1"),
    QT_TR_NOOP("this FFmpeg build has no video encoder"),
    QT_TR_NOOP("install libx264"),
    QT_TR_NOOP("a video of %1 pixels cannot be encoded"),
    QT_TR_NOOP("write images instead"),
    QT_TR_NOOP("the recording contains no frames"),
    QT_TR_NOOP("record while the source is playing"),
    QT_TR_NOOP("a zone needs at least 3 points"),
    QT_TR_NOOP("a line needs 2 points"),
    QT_TR_NOOP("click the points in the image"),
    QT_TR_NOOP("cannot read the %1: %2"),
    QT_TR_NOOP("file of lines and zones"),
    QT_TR_NOOP("cannot save the lines and zones"),
    QT_TR_NOOP("the file was changed by another program"),
    QT_TR_NOOP("reload it, or save the lines and zones to another file"),
    QT_TR_NOOP("a clock sweep needs at least two clock profiles"),
    QT_TR_NOOP("a clock sweep needs a running video"),
    QT_TR_NOOP("open a video or a camera, or start playback"),
    QT_TR_NOOP("not a clock step of this board"),
    QT_TR_NOOP("this machine has no cpufreq"),
    QT_TR_NOOP("the governor did not change"),
    QT_TR_NOOP("no GPU found"),
    QT_TR_NOOP("the board does not accept this value"),
    QT_TR_NOOP("this kernel has no such control"),
    QT_TR_NOOP("the clock cannot be read back"),
    QT_TR_NOOP("the GPU runs at %1 MHz: it is throttled"),
};

const QRegularExpression& placeholder() {
    static const QRegularExpression kPlaceholder(QStringLiteral("%(\\d)"));
    return kPlaceholder;
}

struct Pattern {
    QRegularExpression expression;
    QString text;  // in the language of the window
};

std::vector<Pattern> make_patterns() {
    std::vector<Pattern> patterns;
    for (const char* source : kPatterns) {
        QStringList literals = QString::fromUtf8(source).split(placeholder());
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

// Returns the text with the translated values of the match. A value is not searched for placeholders: a path may look
// like one.
QString filled(const QString& text, const QRegularExpressionMatch& values) {
    QString result;
    qsizetype end = 0;
    for (auto each = placeholder().globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch place = each.next();
        result += text.mid(end, place.capturedStart() - end);
        result += translated_message(values.captured(place.captured(1).toInt()));
        end = place.capturedEnd();
    }
    return result + text.mid(end);
}

// Returns the text itself if it is not listed.
QString translated_text(const QString& part) {
    for (const Pattern& pattern : patterns_now()) {
        const QRegularExpressionMatch match = pattern.expression.match(part);
        if (match.hasMatch()) return filled(pattern.text, match);
    }
    return translated(part.toStdString());
}

// Also translates Error::what(): "source: problem (advice)".
QString translated_part(const QString& part) {
    if (const QString text = translated_text(part); text != part) return text;
    static const QRegularExpression kAdvice(QStringLiteral("^(.+) \\((.+)\\)$"));
    if (const QRegularExpressionMatch match = kAdvice.match(part); match.hasMatch()) {
        return QStringLiteral("%1 (%2)").arg(translated_part(match.captured(1)), translated_text(match.captured(2)));
    }
    for (qsizetype at = part.indexOf(QLatin1String(": ")); at >= 0; at = part.indexOf(QLatin1String(": "), at + 1)) {
        const QString problem = part.mid(at + 2);
        if (const QString text = translated_text(problem); text != problem) return part.left(at + 2) + text;
    }
    return part;
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
