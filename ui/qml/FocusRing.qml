import QtQuick
import Throng.Ui

// Shows which control has keyboard focus. Must be a child of the control's background.
Rectangle {
    required property Item control

    anchors.fill: parent
    anchors.margins: -3
    visible: control.visualFocus ?? false
    radius: Theme.radius + 3
    color: "transparent"
    border.color: Theme.accent
    border.width: 2
}
