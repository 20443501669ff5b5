// The keyboard shortcuts: one table, from which the shortcuts themselves, the sheet that lists them and the tips of
// the buttons are made.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <span>

namespace throng::ui {

struct ShortcutEntry {
    const char* id;       // the action's name in Actions.qml
    const char* keys;     // as QKeySequence::fromString reads them, alternatives parted by "; "
    const char* group;    // heading on the sheet; entries of a group stand together
    const char* text;     // what it does
    bool yields = false;  // a control reached by the keyboard keeps these keys for itself
};

[[nodiscard]] std::span<const ShortcutEntry> shortcut_table();

class ShortcutModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT

public:
    enum Role { id_role = Qt::UserRole + 1, keys_role, sequences_role, group_role, text_role, yields_role };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    // "Play or pause (Space)", for the tip of a button; empty for an unknown id.
    Q_INVOKABLE [[nodiscard]] QString tip(const QString& id) const;
    // Headings in the order of the table, and the rows below one: {keys, text} each.
    Q_INVOKABLE [[nodiscard]] QStringList groups() const;
    Q_INVOKABLE [[nodiscard]] QVariantList entries(const QString& group) const;
};

}  // namespace throng::ui
