import QtQuick
import QtQuick.Controls.Basic as C
import Throng.Ui

// Scrolls its content up and down, also to the control that the Tab key has moved the focus to.
Flickable {
    id: root

    signal focusMoved()  // to a control of the content

    contentWidth: width
    boundsBehavior: Flickable.StopAtBounds
    clip: true
    C.ScrollBar.vertical: ScrollHandle {}

    Connections {
        target: root.Window.window
        function onActiveFocusItemChanged() {
            const item = root.Window.activeFocusItem
            if (!item?.visualFocus) return
            let ancestor = item
            while (ancestor && ancestor !== root.contentItem) ancestor = ancestor.parent
            if (!ancestor) return
            root.focusMoved()
            const top = item.mapToItem(root.contentItem, 0, 0).y - Theme.gap
            const bottom = top + item.height + 2 * Theme.gap
            if (top < root.contentY) root.contentY = Math.max(0, top)
            else if (bottom > root.contentY + root.height) root.contentY = bottom - root.height
        }
    }
}
