import QtQuick
import QtQuick.Controls.Basic as C
import Throng.Ui

// Tooltip of a control, shown after the pointer has hovered over it for 0.6 s.
C.ToolTip {
    id: tip

    property bool shown: false

    visible: shown && text.length > 0
    delay: 600
    padding: Theme.gap
    contentItem: Label { text: tip.text; font.pixelSize: Theme.fontSmall }
    background: Rectangle { color: Theme.surfaceHigh; border.color: Theme.line; radius: Theme.radius }
}
