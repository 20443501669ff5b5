import QtQuick
import Throng.Ui

// Left edge of a panel.
Rectangle {
    width: 1
    height: parent.height
    color: Theme.line
}
