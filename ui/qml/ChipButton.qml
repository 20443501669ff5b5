import QtQuick
import QtQuick.Templates as T
import Throng.Ui

// Button for one of a few choices, shown side by side.
T.AbstractButton {
    id: control

    property bool chosen: false
    property bool busy: false  // chosen, but not applied yet
    property string tip

    implicitWidth: Math.max(Theme.target, implicitContentWidth + 2 * Theme.gap)
    implicitHeight: Theme.target
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    opacity: enabled ? 1 : 0.4
    Accessible.role: Accessible.RadioButton
    Accessible.checked: chosen
    Accessible.name: text
    Accessible.description: tip

    contentItem: Label {
        horizontalAlignment: Text.AlignHCenter
        text: control.text
        font.bold: control.chosen
        color: control.chosen ? Theme.accentText : Theme.text
    }
    background: Rectangle {
        radius: Theme.radius
        color: control.chosen ? Theme.accent
             : control.pressed || control.hovered ? Theme.surfacePressed : Theme.surfaceHigh
        Rectangle {
            anchors.fill: parent
            radius: Theme.radius
            color: "transparent"
            border.color: Theme.accent
            border.width: 2
            visible: control.busy
            SequentialAnimation on opacity {
                running: control.busy
                loops: Animation.Infinite
                NumberAnimation { from: 1; to: 0.2; duration: 400 }
                NumberAnimation { from: 0.2; to: 1; duration: 400 }
            }
        }
        FocusRing { shown: control.visualFocus }
    }

    Tip { text: control.tip; shown: control.hovered && !control.pressed }
}
