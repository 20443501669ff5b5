import QtQuick
import QtQuick.Templates as T
import Throng.Ui

// Button with an icon and optional text. Square without text.
T.AbstractButton {
    id: control

    property string iconName
    property string tip
    property bool framed: false  // draws a border, for a single button in a panel
    property color iconColor: checked ? Theme.accent : Theme.text
    property int letters: Theme.fontBody

    implicitWidth: text.length > 0 ? implicitContentWidth + 2 * Theme.gap + 4 : Theme.target
    implicitHeight: Theme.target
    horizontalPadding: (width - implicitContentWidth) / 2  // centers the content; 0 for another contentItem
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    opacity: enabled ? 1 : 0.35
    Accessible.name: text.length > 0 ? text : tip

    contentItem: Row {
        spacing: Theme.gap
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            width: 24
            height: 24
            name: control.iconName
            color: control.iconColor
            visible: control.iconName.length > 0
        }
        Label {
            anchors.verticalCenter: parent.verticalCenter
            visible: control.text.length > 0
            text: control.text
            font.pixelSize: control.letters
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: control.pressed ? Theme.surfacePressed
             : control.hovered || control.checked || control.framed ? Theme.surfaceHigh : "transparent"
        border.color: Theme.line
        border.width: control.framed ? 1 : 0
        FocusRing { shown: control.visualFocus }
    }

    Tip { text: control.tip; shown: control.hovered && !control.pressed }
}
