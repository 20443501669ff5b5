import QtQuick
import Throng.Ui

// Legend of a plot's colors. entries: {text, color} each.
Row {
    id: root

    property var entries: []

    spacing: 14
    Repeater {
        model: root.entries
        Row {
            id: entry
            required property var modelData
            spacing: 5
            Rectangle {
                anchors.verticalCenter: parent.verticalCenter
                visible: entry.modelData.color !== "transparent"
                width: 12
                height: 4
                radius: 2
                color: entry.modelData.color
            }
            Label { text: entry.modelData.text; color: Theme.textDim; font.pixelSize: Theme.fontSmall }
        }
    }
}
