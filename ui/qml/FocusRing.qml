import QtQuick
import Throng.Ui

// Shows which control has keyboard focus: `shown` is its visualFocus. Must be a child of the control's background.
Rectangle {
    required property bool shown

    anchors.fill: parent
    anchors.margins: -3
    visible: shown
    radius: Theme.radius + 3
    color: "transparent"
    border.color: Theme.accent
    border.width: 2
}
