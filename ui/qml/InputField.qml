import QtQuick
import QtQuick.Controls.Basic as C
import Throng.Ui

// Text field in the colors of the window.
C.TextField {
    id: field

    implicitHeight: Theme.target
    color: Theme.text
    placeholderTextColor: Theme.textDim
    font.pixelSize: Theme.fontBody
    selectByMouse: true
    selectionColor: Theme.accent
    selectedTextColor: Theme.accentText
    background: Rectangle {
        radius: Theme.radius
        color: Theme.background
        border.color: field.activeFocus ? Theme.accent : Theme.line
    }
}
