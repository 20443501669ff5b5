import QtQuick
import QtQuick.Layouts
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

    contentItem: RowLayout {
        spacing: 10
        Icon {
            Layout.leftMargin: 10
            Layout.preferredWidth: control.iconName.length > 0 ? 20 : 0
            Layout.preferredHeight: 20
            name: control.iconName
            color: Theme.textDim
        }
        ColumnLayout {
            Layout.fillWidth: true
            Layout.rightMargin: 10
            spacing: 0
            Label {
                Layout.fillWidth: true
                text: control.text
                elide: Text.ElideMiddle
            }
            Label {
                Layout.fillWidth: true
                visible: control.subtitle.length > 0
                text: control.subtitle
                color: Theme.textDim
                font.pixelSize: Theme.fontSmall - 1
                elide: Text.ElideMiddle
            }
        }
    }
    background: Rectangle {
        radius: Theme.radius - 2
        color: control.pressed ? Theme.surfacePressed
             : control.hovered || control.highlighted ? Theme.surfaceHigh : "transparent"
        FocusRing { shown: control.visualFocus; anchors.margins: 0 }
    }
}
