import QtQuick
import Throng.Ui

// A line that is filled from the left.
Rectangle {
    id: root

    required property real value  // 0 to 1
    property color fill: Theme.accent

    implicitHeight: 6
    radius: 3
    color: Theme.surfaceHigh
    Rectangle {
        width: parent.width * Math.min(1, root.value)
        height: parent.height
        radius: parent.radius
        color: root.fill
    }
}
