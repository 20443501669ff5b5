// Table of the keyboard shortcuts. The shortcuts, the shortcut sheet and the tooltips of the buttons are generated from
// it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <span>

#include "ui/models/row_model.h"

namespace throng::ui {

struct ShortcutEntry {
    const char* id;       // of the action in Actions.qml, or of a view
    const char* keys;     // in the format of QKeySequence::fromString, alternatives separated by "; "
    const char* group;    // heading on the sheet; entries of a group are contiguous
    const char* text;     // description of the action
    bool yields = false;  // inactive while a control has keyboard focus, which uses these keys
};

[[nodiscard]] std::span<const ShortcutEntry> shortcut_table();

// Returns the keys of an action as the platform writes them: "D". Empty for an unknown id.
[[nodiscard]] QString shortcut_keys(const QString& id);

class ShortcutModel : public throng::ui::RowModel {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(bool touched READ touched NOTIFY touchedChanged)

public:
    explicit ShortcutModel(QObject* parent = nullptr);

    // The last input was that of a finger: gestures are listed, not keys.
    [[nodiscard]] bool touched() const { return touched_; }
    bool eventFilter(QObject* watched, QEvent* event) override;

    // Returns the tooltip of a button: "Play or pause (Space)". Empty for an unknown id.
    Q_INVOKABLE [[nodiscard]] QString tip(const QString& id) const;
    // Return the headings in table order, and the rows of a heading: {id, keys, text} each.
    Q_INVOKABLE [[nodiscard]] QStringList groups() const;
    Q_INVOKABLE [[nodiscard]] QVariantList entries(const QString& group) const;
    Q_INVOKABLE [[nodiscard]] QVariantList gestures() const;  // the same for fingers

signals:
    void touchedChanged();

private:
    [[nodiscard]] std::size_t size() const override { return shortcut_table().size(); }

    bool touched_ = false;
};

}  // namespace throng::ui
