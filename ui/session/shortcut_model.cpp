#include "ui/session/shortcut_model.h"

#include <QCoreApplication>
#include <QEvent>
#include <QKeySequence>
#include <algorithm>
#include <utility>

#include "ui/language/language.h"
#include "ui/session/view_table.h"

namespace throng::ui {
namespace {

constexpr const char* kViews = "views";  // here come the views of this group

// lupdate finds no namespace in an initializer of std::array.
constexpr ShortcutEntry kTable[] = {
    {"play", "Space", QT_TR_NOOP("Playback"), QT_TR_NOOP("Play or pause"), true},
    {"step", ".", QT_TR_NOOP("Playback"), QT_TR_NOOP("Forward one frame")},
    {"stepBack", ",", QT_TR_NOOP("Playback"), QT_TR_NOOP("Back one frame")},
    {"back", "Left", QT_TR_NOOP("Playback"), QT_TR_NOOP("Back 5 seconds"), true},
    {"forward", "Right", QT_TR_NOOP("Playback"), QT_TR_NOOP("Forward 5 seconds"), true},
    {"start", "Home", QT_TR_NOOP("Playback"), QT_TR_NOOP("To the beginning"), true},
    {"slower", "[", QT_TR_NOOP("Playback"), QT_TR_NOOP("Slower")},
    {"faster", "]", QT_TR_NOOP("Playback"), QT_TR_NOOP("Faster")},
    {"loop", "Ctrl+L", QT_TR_NOOP("Playback"), QT_TR_NOOP("Loop on or off")},
    {"markLoop", "A", QT_TR_NOOP("Playback"), QT_TR_NOOP("Repeat a segment: start, end, off")},

    {"fullscreen", "F; F11", QT_TR_NOOP("Window"), QT_TR_NOOP("Full screen")},
    {"panel", "P", QT_TR_NOOP("Window"), QT_TR_NOOP("Side panel")},
    {kViews, "", QT_TR_NOOP("Window"), ""},
    {"undo", "Ctrl+Z", QT_TR_NOOP("Window"), QT_TR_NOOP("Undo (lines and zones)")},
    {"screenshot", "S", QT_TR_NOOP("Window"), QT_TR_NOOP("Save a screenshot")},
    {"record", "Ctrl+R", QT_TR_NOOP("Window"), QT_TR_NOOP("Record a video")},
    {"help", "?; F1", QT_TR_NOOP("Window"), QT_TR_NOOP("This list of shortcuts")},
    {"escape", "Esc", QT_TR_NOOP("Window"), QT_TR_NOOP("Close, leave full screen")},
    {"quit", "Ctrl+Q", QT_TR_NOOP("Window"), QT_TR_NOOP("Quit")},

    {"zoomIn", "+; =", QT_TR_NOOP("Image"), QT_TR_NOOP("Zoom in; also the wheel")},
    {"zoomOut", "-", QT_TR_NOOP("Image"), QT_TR_NOOP("Zoom out")},
    {"zoomReset", "0", QT_TR_NOOP("Image"), QT_TR_NOOP("Show the whole image")},
    {"raw", "R", QT_TR_NOOP("Image"), QT_TR_NOOP("Raw detections on or off")},
    {"kept", "K", QT_TR_NOOP("Image"), QT_TR_NOOP("Kept detections on or off")},
    {"labels", "L", QT_TR_NOOP("Image"), QT_TR_NOOP("Scores and hits on or off")},
    {"landmarks", "E", QT_TR_NOOP("Image"), QT_TR_NOOP("Eyes, nose and mouth on or off")},
    {"blur", "B", QT_TR_NOOP("Image"), QT_TR_NOOP("Hide faces")},
    {kViews, "", QT_TR_NOOP("Image"), ""},

    {"detector", "D", QT_TR_NOOP("Detection"), QT_TR_NOOP("Next detector")},
    {"rule", "N", QT_TR_NOOP("Detection"), QT_TR_NOOP("Next suppression rule")},
    {"thetaUp", "T", QT_TR_NOOP("Detection"), QT_TR_NOOP("Raise the threshold")},
    {"thetaDown", "Shift+T", QT_TR_NOOP("Detection"), QT_TR_NOOP("Lower the threshold")},

    {"clockUp", "C", QT_TR_NOOP("Clock"), QT_TR_NOOP("Next clock profile")},
    {"clockDown", "Shift+C", QT_TR_NOOP("Clock"), QT_TR_NOOP("Previous clock profile")},
    {"sweep", "W", QT_TR_NOOP("Clock"), QT_TR_NOOP("Start or cancel the clock sweep")},

    {"nextFile", "PgDown", QT_TR_NOOP("Source"), QT_TR_NOOP("Next file"), true},
    {"previousFile", "PgUp", QT_TR_NOOP("Source"), QT_TR_NOOP("Previous file"), true},
    {"open", "Ctrl+O", QT_TR_NOOP("Source"), QT_TR_NOOP("Open a video or image")},
    {"sources", "O", QT_TR_NOOP("Source"), QT_TR_NOOP("Source menu")},
    {"demo", "Ctrl+D", QT_TR_NOOP("Source"), QT_TR_NOOP("Demo crowd")},
};

// {id of the action, "" if it has none; gesture; what it does}
constexpr const char* kGestures[][3] = {
    {"", QT_TR_NOOP("Pinch"), QT_TR_NOOP("Zoom in and out")},
    {"", QT_TR_NOOP("Drag"), QT_TR_NOOP("Move the magnified image, or the line between two settings")},
    {"", QT_TR_NOOP("Tap"), QT_TR_NOOP("Press a button, choose a row of the matrix or a moment of the replay")},
    {"fullscreen", QT_TR_NOOP("Tap twice"), QT_TR_NOOP("Full screen")},
};

QStringList sequences_of(const ShortcutEntry& entry) {
    return QString::fromLatin1(entry.keys).split(QStringLiteral("; "));
}

QString keys_of(const ShortcutEntry& entry) {
    QStringList shown;
    for (const QString& keys : sequences_of(entry)) {
        shown += QKeySequence::fromString(keys).toString(QKeySequence::NativeText);
    }
    return shown.join(QStringLiteral(", "));
}

}  // namespace

std::span<const ShortcutEntry> shortcut_table() {
    static const std::vector<ShortcutEntry> kEntries = [] {
        std::vector<ShortcutEntry> all;
        for (const ShortcutEntry& entry : kTable) {
            if (std::string_view(entry.id) != kViews) {
                all.push_back(entry);
                continue;
            }
            for (const auto& [view, make] : view_table()) {
                if (std::string_view(view.group) == entry.group)
                    all.push_back({view.id, view.keys, view.group, view.text});
            }
        }
        return all;
    }();
    return kEntries;
}

QString shortcut_keys(const QString& id) {
    const auto entries = shortcut_table();
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const ShortcutEntry& entry) { return id == QLatin1String(entry.id); });
    return found == entries.end() ? QString() : keys_of(*found);
}

ShortcutModel::ShortcutModel(QObject* parent)
    : RowModel({{"actionId", [](auto row) { return QString::fromLatin1(shortcut_table()[row].id); }},
                {"keys", [](auto row) { return keys_of(shortcut_table()[row]); }},
                {"keySequences", [](auto row) { return sequences_of(shortcut_table()[row]); }},
                {"group", [](auto row) { return translated(shortcut_table()[row].group); }},
                {"text", [](auto row) { return translated(shortcut_table()[row].text); }},
                {"yieldsToFocus", [](auto row) { return shortcut_table()[row].yields; }}},
               parent) {
    QCoreApplication::instance()->installEventFilter(this);
}

bool ShortcutModel::eventFilter(QObject*, QEvent* event) {
    const QEvent::Type type = event->type();
    if (type != QEvent::TouchBegin && type != QEvent::KeyPress) return false;
    if (std::exchange(touched_, type == QEvent::TouchBegin) != touched_) emit touchedChanged();
    return false;
}

QString ShortcutModel::tip(const QString& id) const {
    for (const ShortcutEntry& entry : shortcut_table()) {
        if (id == QLatin1String(entry.id)) return translated(entry.text) + QStringLiteral(" (%1)").arg(keys_of(entry));
    }
    return {};
}

QStringList ShortcutModel::groups() const {
    QStringList found;
    for (const ShortcutEntry& entry : shortcut_table()) {
        if (!found.contains(translated(entry.group))) found += translated(entry.group);
    }
    return found;
}

QVariantList ShortcutModel::entries(const QString& group) const {
    QVariantList found;
    for (const ShortcutEntry& entry : shortcut_table()) {
        if (translated(entry.group) == group) {
            found += QVariantMap{{QStringLiteral("id"), QLatin1String(entry.id)},
                                 {QStringLiteral("keys"), keys_of(entry)},
                                 {QStringLiteral("text"), translated(entry.text)}};
        }
    }
    return found;
}

QVariantList ShortcutModel::gestures() const {
    QVariantList found;
    for (const auto& [id, gesture, text] : kGestures) {
        found += QVariantMap{{QStringLiteral("id"), QLatin1String(id)},
                             {QStringLiteral("keys"), translated(gesture)},
                             {QStringLiteral("text"), translated(text)}};
    }
    return found;
}

}  // namespace throng::ui
