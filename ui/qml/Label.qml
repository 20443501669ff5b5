import QtQuick
import Throng.Ui

// Text in the window's font size and color.
Text {
    color: Theme.text
    font.pixelSize: Theme.fontBody
    elide: Text.ElideRight
    verticalAlignment: Text.AlignVCenter
}
