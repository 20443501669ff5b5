import QtQuick

// Returns the keyboard focus when a view is closed: to the control that had it when the view was opened. Otherwise it
// would remain on an invisible control, which keeps its keys from the window.
Item {
    id: root

    required property bool open
    property Item before: null

    function restore() {
        let now = Window.activeFocusItem
        // Closing the view may disable the control. The focus is that of a scope around both then.
        for (let scope = root; scope; scope = scope.parent) if (scope === now) now = null
        if (open || (now && now.visible && now.enabled)) return
        if (before && before.visible) before.forceActiveFocus(Qt.TabFocusReason)
        else if (now) now.focus = false
        before = null
    }
    onOpenChanged: {
        if (open) before = Window.activeFocusItem?.visualFocus ? Window.activeFocusItem : null
        else Qt.callLater(restore)  // the view is invisible then
    }
}
