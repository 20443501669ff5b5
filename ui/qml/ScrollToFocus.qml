import QtQuick
import Throng.Ui

// Scrolls a panel to the control that the Tab key has moved the focus to.
Item {
    id: root

    required property Flickable flick
    required property Item content  // ancestor of the panel's controls
    signal focusMoved()             // to a control of the panel

    Connections {
        target: root.Window.window
        function onActiveFocusItemChanged() {
            const item = root.Window.activeFocusItem
            if (!item?.visualFocus) return
            let ancestor = item
            while (ancestor && ancestor !== root.content) ancestor = ancestor.parent
            if (!ancestor) return
            root.focusMoved()
            const flick = root.flick
            const top = item.mapToItem(flick.contentItem, 0, 0).y
            const margin = Theme.gap
            if (top - margin < flick.contentY) {
                flick.contentY = Math.max(0, top - margin)
            } else if (top + item.height + margin > flick.contentY + flick.height) {
                flick.contentY = top + item.height + margin - flick.height
            }
        }
    }
}
