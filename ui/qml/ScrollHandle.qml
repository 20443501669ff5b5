import QtQuick
import QtQuick.Controls.Basic as C
import Throng.Ui

// Scroll bar that is visible whenever there is more content than fits.
C.ScrollBar {
    id: bar
    policy: C.ScrollBar.AsNeeded
    contentItem: Rectangle {
        implicitWidth: 6
        radius: 3
        color: bar.pressed ? Theme.accent : Theme.groove
        visible: bar.size < 1
    }
}
