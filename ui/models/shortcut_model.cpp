#include "ui/models/shortcut_model.h"

#include <QKeySequence>
#include <algorithm>
#include <array>

namespace throng::ui {
namespace {

constexpr std::array kTable = {
    ShortcutEntry{"play", "Space", "Playback", "Play or pause", true},
    ShortcutEntry{"step", ".", "Playback", "Forward one frame"},
    ShortcutEntry{"stepBack", ",", "Playback", "Back one frame"},
    ShortcutEntry{"back", "Left", "Playback", "Back 5 seconds", true},
    ShortcutEntry{"forward", "Right", "Playback", "Forward 5 seconds", true},
    ShortcutEntry{"start", "Home", "Playback", "To the beginning", true},
    ShortcutEntry{"slower", "[", "Playback", "Slower"},
    ShortcutEntry{"faster", "]", "Playback", "Faster"},
    ShortcutEntry{"loop", "Ctrl+L", "Playback", "Loop on or off"},
    ShortcutEntry{"markLoop", "A", "Playback", "Repeat a part: start, end, off"},

    ShortcutEntry{"fullscreen", "F; F11", "Window", "Full screen"},
    ShortcutEntry{"panel", "P", "Window", "Side panel"},
    ShortcutEntry{"matrix", "M", "Window", "Suppression matrix"},
    ShortcutEntry{"counts", "Z", "Window", "People, lines and zones"},
    ShortcutEntry{"undo", "Ctrl+Z", "Window", "Undo (lines and zones)"},
    ShortcutEntry{"compare", "V", "Window", "Two settings side by side"},
    ShortcutEntry{"race", "X", "Window", "Race of the implementations"},
    ShortcutEntry{"replay", "I", "Window", "The last 30 seconds"},
    ShortcutEntry{"screenshot", "S", "Window", "Save a screenshot"},
    ShortcutEntry{"record", "Ctrl+R", "Window", "Record a video"},
    ShortcutEntry{"help", "?; F1", "Window", "This list of shortcuts"},
    ShortcutEntry{"escape", "Esc", "Window", "Close, leave full screen"},
    ShortcutEntry{"quit", "Ctrl+Q", "Window", "Quit"},

    ShortcutEntry{"zoomIn", "+; =", "Image", "Zoom in; also the wheel"},
    ShortcutEntry{"zoomOut", "-", "Image", "Zoom out"},
    ShortcutEntry{"zoomReset", "0", "Image", "Show the whole image"},
    ShortcutEntry{"raw", "R", "Image", "Raw detections on or off"},
    ShortcutEntry{"kept", "K", "Image", "Kept detections on or off"},
    ShortcutEntry{"labels", "L", "Image", "Scores and hits on or off"},
    ShortcutEntry{"landmarks", "E", "Image", "Eyes, nose and mouth on or off"},
    ShortcutEntry{"blur", "B", "Image", "Blur faces"},
    ShortcutEntry{"stageMap", "G", "Image", "Map of stages on or off"},

    ShortcutEntry{"detector", "D", "Detection", "Next detector"},
    ShortcutEntry{"rule", "N", "Detection", "Next suppression rule"},
    ShortcutEntry{"thetaUp", "T", "Detection", "Raise the threshold"},
    ShortcutEntry{"thetaDown", "Shift+T", "Detection", "Lower the threshold"},

    ShortcutEntry{"clockUp", "C", "Clock", "Next clock profile"},
    ShortcutEntry{"clockDown", "Shift+C", "Clock", "Previous clock profile"},
    ShortcutEntry{"sweep", "W", "Clock", "Start or cancel the clock sweep"},

    ShortcutEntry{"open", "Ctrl+O", "Source", "Open a video or image"},
    ShortcutEntry{"sources", "O", "Source", "Source menu"},
    ShortcutEntry{"demo", "Ctrl+D", "Source", "Demo crowd"},
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
    return kTable;
}

QString shortcut_keys(const QString& id) {
    const auto* found = std::find_if(kTable.begin(), kTable.end(),
                                     [&](const ShortcutEntry& entry) { return id == QLatin1String(entry.id); });
    return found == kTable.end() ? QString() : keys_of(*found);
}

int ShortcutModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(kTable.size());
}

QVariant ShortcutModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const ShortcutEntry& entry = kTable[static_cast<std::size_t>(index.row())];
    switch (role) {
        case id_role: return QString::fromLatin1(entry.id);
        case keys_role: return keys_of(entry);
        case sequences_role: return sequences_of(entry);
        case group_role: return tr(entry.group);
        case Qt::DisplayRole:
        case text_role: return tr(entry.text);
        case yields_role: return entry.yields;
        default: return {};
    }
}

QHash<int, QByteArray> ShortcutModel::roleNames() const {
    return {{id_role, "actionId"}, {keys_role, "keys"}, {sequences_role, "keySequences"},
            {group_role, "group"}, {text_role, "text"}, {yields_role, "yieldsToFocus"}};
}

QString ShortcutModel::tip(const QString& id) const {
    for (const ShortcutEntry& entry : kTable) {
        if (id == QLatin1String(entry.id)) return tr(entry.text) + QStringLiteral(" (%1)").arg(keys_of(entry));
    }
    return {};
}

QStringList ShortcutModel::groups() const {
    QStringList found;
    for (const ShortcutEntry& entry : kTable) {
        if (!found.contains(tr(entry.group))) found += tr(entry.group);
    }
    return found;
}

QVariantList ShortcutModel::entries(const QString& group) const {
    QVariantList found;
    for (const ShortcutEntry& entry : kTable) {
        if (tr(entry.group) == group) {
            found += QVariantMap{{QStringLiteral("keys"), keys_of(entry)}, {QStringLiteral("text"), tr(entry.text)}};
        }
    }
    return found;
}

}  // namespace throng::ui
