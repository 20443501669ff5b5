import QtQuick
import QtQuick.Controls.Basic as C
import Throng.Ui

// What a control does, shown after the pointer has rested on it.
C.ToolTip {
    id: tip

    property bool shown: false

    visible: shown && text.length > 0
    delay: 600
    padding: Theme.gap
    contentItem: Label { text: tip.text; font.pixelSize: Theme.fontSmall }
    background: Rectangle { color: Theme.surfaceHigh; border.color: Theme.line; radius: Theme.radius }
}
