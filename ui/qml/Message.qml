import QtQuick
import QtQuick.Layouts
import Throng.Ui

// What happened, where, and what to do, with buttons at the right.
Rectangle {
    id: root

    property string text
    property string location
    property string advice
    property bool isWarning: true
    property int letters: Theme.fontBody
    property bool closable: true
    property string closeTip: qsTr("Dismiss")
    default property alias buttons: more.data
    signal closed()

    implicitHeight: row.implicitHeight + 2 * Theme.gap
    radius: Theme.radius
    color: Theme.surfaceHigh
    border.color: Theme.warning
    border.width: 1
    Accessible.role: Accessible.AlertMessage
    Accessible.name: text + " " + location + " " + advice

    RowLayout {
        id: row
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.verticalCenter: parent.verticalCenter
        anchors.leftMargin: 12
        anchors.rightMargin: root.closable ? 0 : 12
        spacing: Theme.gap + 2
        Icon {
            Layout.alignment: Qt.AlignTop
            implicitWidth: Math.round(root.letters * 1.4)
            implicitHeight: implicitWidth
            name: root.isWarning ? "warning" : "check"
            color: root.border.color
        }
        ColumnLayout {
            Layout.fillWidth: true
            spacing: 3
            Label {
                Layout.fillWidth: true
                text: root.text
                font.pixelSize: root.letters
                font.bold: root.letters > Theme.fontBody
                wrapMode: Text.Wrap
                elide: Text.ElideNone
            }
            Note {
                visible: text.length > 0
                text: root.location
                font.pixelSize: root.letters - 2
                wrapMode: Text.WrapAnywhere
                maximumLineCount: 3
                elide: Text.ElideRight
            }
            Note {
                visible: text.length > 0
                text: root.advice
                font.pixelSize: root.letters - 2
                color: Theme.text
            }
        }
        RowLayout { id: more }
        IconButton {
            visible: root.closable
            iconName: "close"
            tip: root.closeTip
            onClicked: root.closed()
        }
    }
}
