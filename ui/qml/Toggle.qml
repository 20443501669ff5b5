import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Throng.Ui

// Switch with its label. The whole row is clickable.
T.Switch {
    id: control

    property string tip

    Layout.fillWidth: true
    implicitWidth: 200
    implicitHeight: Theme.target
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    spacing: Theme.gap
    Accessible.name: text
    Accessible.description: tip

    indicator: Rectangle {
        x: control.width - width
        anchors.verticalCenter: parent ? parent.verticalCenter : undefined
        width: 44
        height: 24
        radius: 12
        color: control.checked ? Theme.accent : Theme.surfaceHigh
        border.color: control.checked ? Theme.accent : Theme.groove
        border.width: 2
        Rectangle {
            x: control.checked ? parent.width - width - 3 : 3
            anchors.verticalCenter: parent.verticalCenter
            width: 18
            height: 18
            radius: 9
            color: control.checked ? Theme.accentText : Theme.textDim
        }
        FocusRing { shown: control.visualFocus; radius: 15 }
    }
    contentItem: Label {
        text: control.text
        rightPadding: 52
        color: control.hovered ? Theme.text : Theme.textDim
    }

    Tip { text: control.tip; shown: control.hovered && !control.pressed }
}
