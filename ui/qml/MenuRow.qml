import QtQuick
import QtQuick.Templates as T
import Throng.Ui

// Menu item with icon, text and a dimmed subtitle.
T.ItemDelegate {
    id: control

    property string iconName
    property string subtitle

    implicitWidth: 260
    implicitHeight: Theme.target
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    Accessible.name: text

    contentItem: Item {
        Icon {
            id: icon
            x: 10
            anchors.verticalCenter: parent.verticalCenter
            width: control.iconName.length > 0 ? 20 : 0
            height: 20
            name: control.iconName
            color: Theme.textDim
        }
        Label {
            id: title
            anchors.left: icon.right
            anchors.leftMargin: 10
            anchors.right: parent.right
            anchors.rightMargin: 10
            anchors.verticalCenter: parent.verticalCenter
            anchors.verticalCenterOffset: control.subtitle.length > 0 ? -8 : 0
            text: control.text
            elide: Text.ElideMiddle
        }
        Label {
            anchors.left: title.left
            anchors.right: title.right
            anchors.top: title.bottom
            visible: control.subtitle.length > 0
            text: control.subtitle
            color: Theme.textDim
            font.pixelSize: Theme.fontSmall - 1
            elide: Text.ElideMiddle
        }
    }
    background: Rectangle {
        radius: Theme.radius - 2
        color: control.pressed ? Theme.surfacePressed
             : control.hovered || control.highlighted ? Theme.surfaceHigh : "transparent"
        FocusRing { control: control; anchors.margins: 0 }
    }
}
